#include "examples/graph_run/graph_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// y = relu(x * 2 + i) with x f32[B, 2] and i i32 cast to f32; at the default inputs every y is 1.
Graph SymbolicGraph() {
  GraphBuilder b;
  b.Symbolic(1, 16);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 2}, DType::kF32, true);
  const ValueId i = b.Input("i", {2}, DType::kI32);
  const ValueId shifted = b.Node("add", {b.Node("mul", {x, b.Scalar(2)}), b.Node("cast", {i}, {{"to", "f32"}})});
  b.Output(b.Node("relu", {shifted}), "y");
  return b.Build();
}

class GraphRunTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(WriteGraphFile(SymbolicGraph(), Path("net.json")).ok()); }

  std::string Path(const std::string& name) const { return folder_.Path(name); }

  // Inputs of 3 rows and, if not NaN, an output of that value everywhere.
  void WriteData(const std::string& name, float output, const std::map<std::string, std::string>& metadata = {}) {
    Tensor x(DType::kF32, {3, 2}), i(DType::kI32, {2}), y(DType::kF32, {3, 2});
    for (float& element : x.data<float>()) element = 1;
    for (float& element : y.data<float>()) element = output;
    std::vector<NamedTensor> tensors = {{"input.0", x.view()}, {"input.1", i.view()}};
    if (!std::isnan(output)) tensors.push_back({"output.0", y.view()});
    ASSERT_TRUE(WriteSafetensors(Path(name), tensors, metadata).ok());
  }

  // The message of the error that these options give.
  static std::string Error(const GraphRunOptions& options) {
    const absl::StatusOr<GraphRunResult> result = RunGraph(options);
    return result.ok() ? "no error" : std::string(result.status().message());
  }

  TemporaryFolder folder_;
};

TEST_F(GraphRunTest, RunsOnDefaultInputsAndWritesOutputs) {
  const auto result = RunGraph({.model = Path("net"), .batch = 4, .output = Path("y.safetensors")});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->batch, 4);
  EXPECT_GT(result->load_ms, 0);
  EXPECT_FALSE(result->max_abs_error || result->latency || result->profile);
  const auto file = SafetensorsFile::Open(Path("y.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_NE((*file)->Find("output.0"), nullptr);
  const auto y = ToTensor(*(*file)->Find("output.0"));
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->shape(), (Shape{4, 2}));
  EXPECT_THAT(y->data<float>(), testing::Each(1.0f));
}

TEST_F(GraphRunTest, TheBatchIsOneWithoutInputsAndTheirsOtherwise) {
  EXPECT_EQ(RunGraph({.model = Path("net.json")})->batch, 1);
  WriteData("x.safetensors", NAN);
  EXPECT_EQ(RunGraph({.model = Path("net"), .inputs = Path("x.safetensors")})->batch, 3);
}

TEST_F(GraphRunTest, ChecksAgainstTheGoldenFileBesideTheModel) {
  WriteData("net.golden.safetensors", 2.0f);
  const auto result = RunGraph({.model = Path("net"), .check = true});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->batch, 3);
  EXPECT_EQ(result->max_abs_error, 0);
  EXPECT_EQ(result->failed_check, "");
}

TEST_F(GraphRunTest, ToleranceIsThatOfTheFileOrOfTheOption) {
  WriteData("x.safetensors", 2.5f, {{"atol", "0.1"}, {"rtol", "0.2"}});  // allows 0.1 + 0.2 * 2.5 = 0.6
  GraphRunOptions options{.model = Path("net"), .inputs = Path("x.safetensors"), .check = true};
  auto result = RunGraph(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->max_abs_error, 0.5);
  EXPECT_EQ(result->failed_check, "");
  options.tolerance = 0.4;
  result = RunGraph(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failed_check, "output.0 is off by 0.5; the tolerance is 0.4");
}

TEST_F(GraphRunTest, BenchAndProfileCoverEveryNode) {
  const auto result =
      RunGraph({.model = Path("net"), .bench = 5, .warmup = 1, .profile = true, .threads = 2, .fuse = false});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->latency->iterations, 5);
  EXPECT_LE(result->latency->min_us, result->latency->median_us);
  int nodes = 0;
  for (const ProfileRow& row : *result->profile) nodes += row.nodes;
  EXPECT_EQ(nodes, 4);
}

TEST_F(GraphRunTest, ErrorsSayWhatWasExpected) {
  WriteData("no_outputs.safetensors", NAN);
  Tensor x(DType::kF32, {3, 2});
  ASSERT_TRUE(WriteSafetensors(Path("one.safetensors"), {{"input.0", x.view()}}).ok());
  ASSERT_TRUE(
      WriteSafetensors(Path("three.safetensors"), {{"input.0", x.view()}, {"input.1", x.view()}, {"input.2", x.view()}})
          .ok());
  const std::string net = Path("net");
  EXPECT_THAT(Error({.model = Path("other")}), HasSubstr("other.json"));
  EXPECT_THAT(Error({.model = net, .batch = 17}), HasSubstr("--batch is 17; this model takes 1 to 16 rows"));
  EXPECT_THAT(Error({.model = net, .inputs = Path("no_outputs.safetensors"), .batch = 2}),
              HasSubstr("--batch is 2, but the inputs have 3 rows"));
  EXPECT_THAT(Error({.model = net, .inputs = Path("no_outputs.safetensors"), .check = true}),
              HasSubstr("no tensor output.0 to check against"));
  EXPECT_THAT(Error({.model = net, .check = true}), HasSubstr("net.golden.safetensors"));
  EXPECT_THAT(Error({.model = net, .inputs = Path("one.safetensors")}),
              HasSubstr("one.safetensors: there is no tensor 'input.1' for the model's input 'i'"));
  EXPECT_THAT(Error({.model = net, .inputs = Path("three.safetensors")}), HasSubstr("one too many"));
}

TEST_F(GraphRunTest, AFixedShapeTakesNoBatch) {
  GraphBuilder b;
  b.Output(b.Node("relu", {b.Input("x", {2, 2})}));
  ASSERT_TRUE(WriteGraphFile(b.Build(), Path("fixed.json")).ok());
  EXPECT_EQ(RunGraph({.model = Path("fixed")})->batch, 1);
  EXPECT_THAT(Error({.model = Path("fixed"), .batch = 2}),
              HasSubstr("--batch is 2, but this model's shapes are fixed"));
}

TEST(GraphRunJsonTest, KeysComeInTheDocumentedOrder) {
  GraphRunResult result{.model = "m", .threads = 2, .batch = 8, .load_ms = 1.5};
  EXPECT_EQ(ToJson(result), R"({"model":"m","threads":2,"batch":8,"load_ms":1.5})");
  result.max_abs_error = std::numeric_limits<double>::infinity();
  result.latency = Latency{.iterations = 1};
  result.profile = {{.label = "add"}};
  const auto json = nlohmann::ordered_json::parse(ToJson(result));
  std::vector<std::string> keys, row_keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  for (const auto& [key, value] : json["profile"][0].items()) row_keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("model", "threads", "batch", "load_ms", "max_abs_error", "iterations", "mean_us",
                                "min_us", "p10_us", "median_us", "p90_us", "profile"));
  EXPECT_THAT(row_keys, ElementsAre("label", "nodes", "calls", "seconds", "share", "gflops", "gbytes", "kernel",
                                    "width", "peak_share"));
  EXPECT_TRUE(json["max_abs_error"].is_null());
}

}  // namespace
}  // namespace rml
