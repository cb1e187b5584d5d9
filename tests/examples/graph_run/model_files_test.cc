#include "examples/graph_run/model_files.h"

#include <gtest/gtest.h>

#include <string>

namespace rml {
namespace {

TEST(ModelFilesTest, TheStemAndTheFileNameTheSameGraph) {
  EXPECT_EQ(GraphPath("out/mlp"), "out/mlp.json");
  EXPECT_EQ(GraphPath("out/mlp.json"), "out/mlp.json");
  EXPECT_EQ(GraphPath("out/mlp.v2"), "out/mlp.v2.json");
}

TEST(ModelFilesTest, GoldenFilesLieBesideTheGraph) {
  EXPECT_EQ(GoldenPath("out/mlp.json"), "out/mlp.golden.safetensors");
  EXPECT_EQ(GoldenPath("models/mlp/1/model.json"), "models/mlp/1/golden.safetensors");
  EXPECT_EQ(GoldenPath("mlp.json"), "mlp.golden.safetensors");
}

}  // namespace
}  // namespace rml
