#include "server/repository/load_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/repository/model_files.h"

namespace rml {
namespace {

using testing::HasSubstr;
using testing::Not;

class LoadModelTest : public ModelFiles {
 protected:
  absl::StatusOr<LoadedModel> Load() { return LoadModel({"relu", 1, (root() / "m").string()}, {.instances = 2}); }
  // The error of loading, after checking that it names no folder of this machine.
  std::string Error() {
    const std::string message(Load().status().message());
    EXPECT_THAT(message, Not(HasSubstr(root().string())));
    return message;
  }
};

TEST_F(LoadModelTest, WithoutGoldenFile) {
  WriteRelu("m");
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_FALSE(model->golden);
  EXPECT_EQ(model->instances.size(), 2);
  for (const ModelInstance& instance : model->instances) EXPECT_EQ(instance.outputs.size(), 1) << "not warm";
}

TEST_F(LoadModelTest, ReproducesItsGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", ReluGolden({0, 0, 2}));
  const absl::StatusOr<LoadedModel> model = Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->golden);
  EXPECT_EQ(model->golden_max_error, 0);
}

TEST_F(LoadModelTest, OffItsGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", ReluGolden({0, 0.25, 2}));
  EXPECT_TRUE(absl::IsFailedPrecondition(Load().status()));
  EXPECT_EQ(Error(), "golden row check failed: output 'y' is off by 0.25 (0.001 allowed)");
}

TEST_F(LoadModelTest, GoldenFileOfAnotherModel) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors",
            Safetensors(R"({"input.0":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                        R"("output.0":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}})",
                        std::string(16, '\0')));
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("golden.safetensors: input 'x' is f32[1, 2]; expected f32[B, 3]"));
}

TEST_F(LoadModelTest, BrokenGoldenFile) {
  WriteRelu("m");
  WriteText(root() / "m/golden.safetensors", "short");
  EXPECT_TRUE(absl::IsInvalidArgument(Load().status()));
  EXPECT_THAT(Error(), HasSubstr("golden.safetensors"));
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
