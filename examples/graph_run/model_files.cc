#include "examples/graph_run/model_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/safetensors.h"

namespace rml {

std::string GraphPath(const std::string& model) {
  return std::filesystem::path(model).extension() == ".json" ? model : model + ".json";
}

std::string GoldenPath(const std::string& graph_path) {
  std::filesystem::path path(graph_path);
  const std::string stem = path.stem().string();
  return path.replace_filename(stem == "model" ? "golden.safetensors" : stem + ".golden.safetensors").string();
}

absl::StatusOr<std::vector<Tensor>> ReadInputs(const std::string& path, const Program& program) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < program.inputs().size(); ++i) {
    const std::string name = absl::StrCat("input.", i);
    const SafetensorsEntry* entry = file->Find(name);
    if (entry == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s: there is no tensor '%s' for the model's input '%s'; expected input.0 to input.%d",
                          FileName(path), name, program.inputs()[i].name, program.inputs().size() - 1));
    }
    ASSIGN_OR_RETURN(Tensor tensor, Annotate(ToTensor(*entry), FileName(path)));
    inputs.push_back(std::move(tensor));
  }
  if (const std::string extra = absl::StrCat("input.", inputs.size()); file->Find(extra) != nullptr) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: tensor '%s' is one too many; the model has %d inputs",
                                                      FileName(path), extra, inputs.size()));
  }
  return inputs;
}

absl::StatusOr<bool> HasOutputs(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
  return file->Find("output.0") != nullptr;
}

absl::StatusOr<std::vector<Tensor>> DefaultInputs(const Program& program, int64_t rows) {
  ASSIGN_OR_RETURN(std::vector<Tensor> inputs, program.ZeroInputs(rows));
  for (Tensor& tensor : inputs) {
    if (tensor.dtype() != DType::kF32) continue;
    const absl::Span<float> elements = tensor.data<float>();
    std::fill(elements.begin(), elements.end(), 0.5f);
  }
  return inputs;
}

absl::Status WriteOutputs(const std::string& path, const std::vector<Tensor>& outputs) {
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < outputs.size(); ++i) named.push_back({absl::StrCat("output.", i), outputs[i].view()});
  return WriteSafetensors(path, named);
}

}  // namespace rml
