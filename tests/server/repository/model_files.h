// Model folders made for a test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rml {

// y = relu(x) for x [B, 3] with B in 1..8, without weights.
inline constexpr char kReluJson[] = R"({"format":"rml-graph","version":1,"producer":"test",
"symbols":{"B":{"min":1,"max":8}},
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true}],
"constants":[],
"nodes":[{"op":"relu","in":[0],"out":[1]}],
"values":[{"id":1,"dtype":"f32","shape":["B",3]}],
"outputs":[{"id":1,"name":"y","rows":true}]})";

inline void WriteText(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A safetensors file with this header (JSON) and data.
inline std::string Safetensors(std::string header, const std::string& data = "") {
  while ((8 + header.size()) % 64 != 0) header += ' ';
  std::string size(8, '\0');
  for (int i = 0; i < 8; ++i) size[i] = static_cast<char>(header.size() >> (8 * i));
  return size + header + data;
}

inline std::string Floats(std::initializer_list<float> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float));
}

// The golden file of kReluJson for one row: relu(-1, 0, 2) = `want`.
inline std::string ReluGolden(std::initializer_list<float> want) {
  return Safetensors(R"({"__metadata__":{"atol":"0.001","rtol":"0"},)"
                     R"("input.0":{"dtype":"F32","shape":[1,3],"data_offsets":[0,12]},)"
                     R"("__pad.0":{"dtype":"U8","shape":[52],"data_offsets":[12,64]},)"
                     R"("output.0":{"dtype":"F32","shape":[1,3],"data_offsets":[64,76]}})",
                     Floats({-1, 0, 2}) + std::string(52, '\0') + Floats(want));
}

// A folder that goes with the test. Models are written below root().
class ModelFiles : public testing::Test {
 protected:
  ModelFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "rml_models_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~ModelFiles() override { std::filesystem::remove_all(root_); }

  const std::filesystem::path& root() const { return root_; }
  // Writes kReluJson's pair to root()/folder.
  void WriteRelu(const std::string& folder) {
    WriteText(root_ / folder / "model.json", kReluJson);
    WriteText(root_ / folder / "model.safetensors", Safetensors("{}"));
  }

 private:
  std::filesystem::path root_;
};

}  // namespace rml
