// Model folders made for a test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/graph/safetensors.h"
#include "tests/engine/temporary_folder.h"

namespace rml {

// y = relu(x) for x [B, 3] with B in 1..8, without weights.
inline constexpr char kReluJson[] = R"({"format":"rml-graph","version":1,"producer":"test",
"symbols":{"B":{"min":1,"max":8}},
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true}],
"constants":[],
"nodes":[{"op":"relu","in":[0],"out":[1]}],
"values":[{"id":1,"dtype":"f32","shape":["B",3]}],
"outputs":[{"id":1,"name":"y","rows":true}]})";

// y = softmax(softmax(x)): what lies between the two is in the arena.
inline constexpr char kTwoStepsJson[] = R"({"format":"rml-graph","version":1,"producer":"test",
"symbols":{"B":{"min":1,"max":4096}},
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true}],
"constants":[],
"nodes":[{"op":"softmax","in":[0],"out":[1],"attrs":{"axis":1}},{"op":"softmax","in":[1],"out":[2],"attrs":{"axis":1}}],
"values":[{"id":1,"dtype":"f32","shape":["B",3]},{"id":2,"dtype":"f32","shape":["B",3]}],
"outputs":[{"id":2,"name":"y","rows":true}]})";

inline void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline ConstTensorView RowOf(const std::vector<float>& values) {
  return {DType::kF32, Shape{1, static_cast<int64_t>(values.size())}, values.data()};
}

// A golden file for kReluJson of one row x.
inline std::string GoldenBytes(const std::vector<float>& x, const std::vector<float>& y) {
  return SerializeSafetensors({{"input.0", RowOf(x)}, {"output.0", RowOf(y)}}, {{"atol", "0.001"}, {"rtol", "0"}});
}

// The same for relu(-1, 0, 2) = `want`.
inline std::string ReluGolden(const std::vector<float>& want) { return GoldenBytes({-1, 0, 2}, want); }

// A folder that goes with the test. Models are written below root().
class ModelFiles : public testing::Test {
 protected:
  const std::filesystem::path& root() const { return folder_.path(); }
  // Writes kReluJson's pair to root()/folder.
  void WriteRelu(const std::string& folder) {
    WriteText(root() / folder / "model.json", kReluJson);
    WriteText(root() / folder / "model.safetensors", SerializeSafetensors({}));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace rml
