#include "tests/examples/exact_check/expect_exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/graph/golden.h"

namespace rml {
namespace {

const std::set<std::string> kFrameworks = {"torch", "jax", "tf"};

}  // namespace

void ExpectExact(const std::string& folder, const ExactModel& model) {
  const absl::StatusOr<std::vector<ExactRun>> runs = RunExports(folder, model);
  ASSERT_TRUE(runs.ok()) << runs.status();
  std::set<std::string> frameworks;
  for (const ExactRun& run : *runs) {
    frameworks.insert(run.name.substr(0, run.name.size() - model.suffix.size()));
    EXPECT_EQ(run.different, 0) << run.name << (run.fused ? " fused" : " unfused");
    const absl::StatusOr<Golden> golden = ReadGolden(folder + "/" + run.name + ".golden.safetensors");
    ASSERT_TRUE(golden.ok()) << golden.status();
    ASSERT_EQ(golden->inputs.size(), 1u);
    EXPECT_EQ(golden->inputs[0].shape(), model.input_shape);
    EXPECT_EQ(std::as_const(golden->inputs[0]).data<float>(), absl::MakeConstSpan(model.input)) << run.name;
    ASSERT_EQ(golden->outputs.size(), 1u);
    EXPECT_EQ(std::as_const(golden->outputs[0]).data<float>(), absl::MakeConstSpan(model.expected)) << run.name;
  }
  EXPECT_EQ(frameworks, kFrameworks);
  EXPECT_EQ(runs->size(), 2 * kFrameworks.size());
}

}  // namespace rml
