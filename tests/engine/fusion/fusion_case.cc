#include "tests/engine/fusion/fusion_case.h"

#include <gtest/gtest.h>

#include "engine/exec/executor.h"
#include "tests/engine/exec/fixtures.h"

namespace rml {

std::vector<std::string> Labels(const Graph& graph, const ProgramOptions& options) {
  const auto program = Program::Compile(graph, options);
  EXPECT_TRUE(program.ok()) << program.status();
  const auto executor = Executor::Create(*program);
  EXPECT_TRUE(executor.ok()) << executor.status();
  std::vector<std::string> labels;
  const auto steps = (*executor)->step_info();
  EXPECT_TRUE(steps.ok()) << steps.status();
  for (const StepInfo& info : *steps) labels.push_back(info.label);
  return labels;
}

std::vector<std::string> Kernels(const Graph& graph) {
  const auto program = Program::Compile(graph, {});
  EXPECT_TRUE(program.ok()) << program.status();
  std::vector<std::string> kernels;
  const auto executor = Executor::Create(*program);
  EXPECT_TRUE(executor.ok()) << executor.status();
  const auto steps = (*executor)->step_info();
  EXPECT_TRUE(steps.ok()) << steps.status();
  for (const StepInfo& info : *steps) kernels.push_back(info.kernel);
  return kernels;
}

PassReport Report(const Graph& graph, const std::string& pass) {
  const auto program = Program::Compile(graph, {});
  EXPECT_TRUE(program.ok()) << program.status();
  for (const PassReport& report : (*program)->passes()) {
    if (report.pass == pass) return report;
  }
  ADD_FAILURE() << "no pass " << pass;
  return {};
}

std::vector<std::string> Refusals(const Graph& graph, const std::string& pass) { return Report(graph, pass).refused; }

void ExpectSameBitsUnfused(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    inputs.push_back(RandomTensor(ShapeAt(graph.values[graph.inputs[i].id], graph.min_rows), static_cast<unsigned>(i)));
  }
  std::vector<std::string> digests;
  for (const bool fuse : {true, false}) {
    const auto program = Program::Compile(graph, {.fuse = fuse});
    ASSERT_TRUE(program.ok()) << program.status();
    const auto outputs = RunOnce(*program, inputs, 1);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    digests.push_back(BitsDigest(*outputs));
  }
  EXPECT_EQ(digests[0], digests[1]);
}

void ExpectSteps(const FusionCase& fusion_case) {
  GraphBuilder b;
  fusion_case.build(b);
  EXPECT_EQ(Labels(b.Build()), fusion_case.labels);
  ExpectSameBitsUnfused(b.Build());
}

}  // namespace rml
