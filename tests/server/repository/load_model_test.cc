#include "server/repository/load_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "engine/base/usable_memory.h"
#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

using testing::HasSubstr;
using testing::Not;

class LoadModelTest : public ModelFiles {
 protected:
  absl::StatusOr<LoadedModel> Load() {
    return LoadModel({.name = "relu", .version = 1, .directory = (root() / "m").string()}, options_, stop_);
  }
  // The error of loading, after checking that it names no folder of this machine.
  std::string Error() {
    const std::string message(Load().status().message());
    EXPECT_THAT(message, Not(HasSubstr(root().string())));
    return message;
  }

  ServeOptions options_{.instances = 2};
  std::atomic<bool> stop_{false};
};

const Placed<int64_t> At(int64_t rows) { return {rows, "config.textproto:1:1"}; }

TEST_F(LoadModelTest, WithoutGoldenFile) {
  WriteRelu("m");
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_FALSE(model->golden);
  EXPECT_EQ(model->instances.size(), 2);
  for (const ModelInstance& instance : model->instances) EXPECT_EQ(instance.outputs.size(), 1) << "not warm";
}

TEST_F(LoadModelTest, WarmUpRowsAreRunOnEveryInstance) {
  WriteRelu("m");
  options_.warm_up_rows = {At(2), At(8)};
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  for (const ModelInstance& instance : model->instances) EXPECT_EQ(instance.outputs.at(0).shape().dim(0), 8);
}

TEST_F(LoadModelTest, Stopped) {
  WriteRelu("m");
  stop_ = true;
  EXPECT_TRUE(absl::IsCancelled(Load().status()));
}

TEST_F(LoadModelTest, MaxRows) {
  WriteRelu("m");
  EXPECT_EQ(Load()->max_rows, 8);
  options_.max_rows = At(5);
  EXPECT_EQ(Load()->max_rows, 5);
}

TEST_F(LoadModelTest, RowsThatTheModelDoesNotTake) {
  WriteRelu("m");
  options_.max_rows = At(9);
  EXPECT_EQ(Error(), "config.textproto:1:1: max_rows is 9; expected 1 to 8, as many rows as this model takes");
  options_.max_rows = At(4);
  options_.warm_up_rows = {At(4), At(5)};
  EXPECT_EQ(Error(), "config.textproto:1:1: warm_up_rows has 5; expected 1 to 4, as many rows as this model takes");
}

TEST_F(LoadModelTest, RowsOfAModelWithFixedShapes) {
  WriteRelu("m");
  std::string json = kReluJson;
  for (const auto& [from, to] :
       {std::pair(R"("symbols":{"B":{"min":1,"max":8}},)", ""), {R"("B")", "2"}, {R"("B")", "2"}}) {
    json.replace(json.find(from), std::string(from).size(), to);
  }
  WriteText(root() / "m/model.json", json);
  EXPECT_EQ(Load()->max_rows, 1);
  options_.warm_up_rows = {At(1)};
  EXPECT_EQ(Error(), "config.textproto:1:1: warm_up_rows has 1; expected none, since this model's shapes are fixed");
  options_ = {.max_rows = At(1)};
  EXPECT_EQ(Error(), "config.textproto:1:1: max_rows is 1; expected none, since this model's shapes are fixed");
}

TEST_F(LoadModelTest, ReproducesItsGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", ReluGolden({0, 0, 2}));
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->golden);
  EXPECT_EQ(model->golden_max_error, 0);
}

TEST_F(LoadModelTest, GoldenRowsAreRunInBatchesOfOtherSizes) {
  WriteRelu("m");  // takes 1 to 8 rows
  for (const auto& [rows, sizes] : {std::pair(1, std::vector<int64_t>{3}), std::pair(2, std::vector<int64_t>{1, 5}),
                                    std::pair(6, std::vector<int64_t>{1, 8})}) {
    const std::vector<float> zeros(static_cast<size_t>(3 * rows));
    const ConstTensorView batch{DType::kF32, Shape{rows, 3}, zeros.data()};
    WriteText(root() / "m/golden.safetensors", SerializeSafetensors({{"input.0", batch}, {"output.0", batch}}));
    const absl::StatusOr<LoadedModel> model = Load();
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->golden_sizes, sizes) << rows;
  }
}

// A file that says of its rows what is not so: y is the running sum over them.
TEST_F(LoadModelTest, GoldenRowsThatAreOthersInABatchOfAnotherSize) {
  WriteText(root() / "m/model.json",
            absl::StrReplaceAll(kReluJson, {{R"("op":"relu","in":[0],"out":[1])",
                                             R"("op":"cumsum","in":[0],"out":[1],"attrs":{"axis":0})"}}));
  const std::vector<float> x = {1, 1, 1, 1, 1, 1}, y = {1, 1, 1, 2, 2, 2};
  WriteText(root() / "m/golden.safetensors",
            SerializeSafetensors({{"input.0", {DType::kF32, Shape{2, 3}, x.data()}},
                                  {"output.0", {DType::kF32, Shape{2, 3}, y.data()}}}));
  EXPECT_TRUE(absl::IsFailedPrecondition(Load().status()));
  EXPECT_EQ(Error(), "golden row check failed: output 'y' row 0 of a batch of 1 has other bits than in one of 2");
}

TEST_F(LoadModelTest, MoreThanIsLeftOfTheMemoryLimit) {
  WriteText(root() / "m/model.json", kTwoStepsJson);
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  const int64_t each = model->instances[0].executor->arena_bytes();
  options_.memory_left = 2 * each;
  EXPECT_TRUE(Load().ok());
  options_.memory_left = 2 * each - 1;
  EXPECT_TRUE(absl::IsResourceExhausted(Load().status()));
  EXPECT_EQ(Error(),
            absl::StrFormat("it needs %d bytes: 0 of constants, 0 of packed weights and %d of working memory for 2 "
                            "instances; %d are left of the server's memory limit",
                            2 * each, 2 * each, 2 * each - 1));
  WriteText(root() / "m/model.safetensors", std::string(1000, 'x'));
  options_.memory_left = -5;
  EXPECT_EQ(Error(), "its weights alone are 1000 bytes; 0 are left of the server's memory limit");
}

TEST_F(LoadModelTest, OffItsGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", ReluGolden({0, 0.25, 2}));
  EXPECT_TRUE(absl::IsFailedPrecondition(Load().status()));
  EXPECT_EQ(Error(), "golden row check failed: output 'y' is off by 0.25 (0.001 allowed)");
}

TEST_F(LoadModelTest, GoldenFileOfAnotherModel) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", GoldenBytes({0, 0}, {0, 0}));
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("golden.safetensors: input 'x' is f32[1, 2]; expected f32[B, 3]"));
}

TEST_F(LoadModelTest, BrokenGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", "short");
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("golden.safetensors"));
}

// y = mean over x broadcast to [rows, cols]: little to store and much to compute with.
void WriteWide(const std::filesystem::path& path, const std::string& rows, const std::string& cols) {
  WriteText(path, absl::StrReplaceAll(R"({"format":"rml-graph","version":1,"producer":"test",
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":[1,1]}],"constants":[],
"nodes":[{"op":"broadcast_to","in":[0],"out":[1],"attrs":{"shape":[ROWS,COLS]}},{"op":"exp","in":[1],"out":[2]},
{"op":"reduce_sum","in":[2],"out":[3],"attrs":{"axes":[0,1],"keep_dims":false}}],
"values":[{"id":1,"dtype":"f32","shape":[ROWS,COLS]},{"id":2,"dtype":"f32","shape":[ROWS,COLS]},
{"id":3,"dtype":"f32","shape":[]}],"outputs":[{"id":3,"name":"y"}]})",
                                      {{"ROWS", rows}, {"COLS", cols}}));
}

TEST_F(LoadModelTest, MoreThanTheMemoryIsRefusedWithItsBill) {
  WriteWide(root() / "m/model.json", "1048576", "4194304");  // 16 TiB
  EXPECT_TRUE(absl::IsResourceExhausted(Load().status()));
  EXPECT_THAT(Error(), testing::StartsWith("besides 0 bytes of constants and 0 of packed weights: working memory for 1 "
                                           "row: out of memory: 17592186044416 bytes are needed and "));
}

TEST_F(LoadModelTest, ASizeThatDoesNotFitIn63BitsIsRefused) {
  WriteWide(root() / "m/model.json", "1099511627776", "1099511627776");
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status())) << Load().status();
}

TEST_F(LoadModelTest, InstancesThatFitOneByOneButNotTogether) {
  const std::optional<int64_t> usable = UsableMemory();
  // Where /proc or the cgroup tells no size there is no bound to exceed; below 1 GiB other processes move it too much.
  if (!usable || *usable < (int64_t{1} << 30)) GTEST_SKIP() << "how much memory there is cannot be told here";
  // Two thirds of what there is, mapped and never touched: the check comes before the warm-up.
  options_.instances = 2;
  WriteWide(root() / "m/model.json", std::to_string(*usable / 4096 * 2 / 3), "1024");
  EXPECT_TRUE(absl::IsResourceExhausted(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("out of memory: 2 instances need "));
}

TEST_F(LoadModelTest, NoFiles) {
  EXPECT_TRUE(absl::IsNotFound(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("model.json"));
}

TEST_F(LoadModelTest, NoWeights) {
  std::string json = kReluJson;
  const std::string none = "\"constants\":[]";
  json.replace(json.find(none), none.size(), R"("constants":[{"id":2,"name":"w","dtype":"f32","shape":[3]}])");
  WriteText(root() / "m/model.json", json);
  EXPECT_FALSE(Load().ok());
  EXPECT_THAT(Error(), HasSubstr("there is no weights file; expected constants 'w'"));
}

TEST_F(LoadModelTest, BrokenJson) {
  WriteRelu("m");
  WriteText(root() / "m/model.json", "{\"format\":");
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("model.json"));
}

}  // namespace
}  // namespace rml
