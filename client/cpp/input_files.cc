#include "client/cpp/input_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/base/status_macros.h"
#include "engine/graph/mapped_file.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

absl::StatusOr<std::vector<NamedArray>> ReadNpzFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    return absl::NotFoundError(FileName(path) + ": cannot be opened");
  }
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return Annotate(ParseNpz(bytes), FileName(path));
}

// "f32[64*B, 3]" for a number of rows. The shape field alone does not say by how much a free dim grows.
absl::StatusOr<Shape> ShapeForRows(const v1::TensorInfo& info, int64_t rows) {
  const std::string& text = info.display();
  const size_t open = text.find('['), close = text.rfind(']');
  const absl::Status wrong = absl::InternalError(
      absl::StrFormat("the server describes input '%s' as '%s'; expected a shape", info.name(), text));
  if (open == std::string::npos || close == std::string::npos || close < open) return wrong;
  std::vector<int64_t> dims;
  const std::string list = text.substr(open + 1, close - open - 1);
  const std::vector<std::string> parts = absl::StrSplit(list, ", ", absl::SkipEmpty());
  for (const std::string& dim : parts) {
    int64_t factor = 1;
    const bool free = dim.back() == 'B';
    const std::string number = free ? dim.substr(0, dim.size() - (absl::StrContains(dim, "*") ? 2 : 1)) : dim;
    if (!(free && number.empty()) && !absl::SimpleAtoi(number, &factor)) return wrong;
    if (free && __builtin_mul_overflow(factor, rows, &factor)) return wrong;
    dims.push_back(factor);
  }
  if (dims.size() > static_cast<size_t>(kMaxRank)) return wrong;
  RETURN_IF_ERROR(CheckedNumElements(dims).status());
  return Shape(dims);
}

}  // namespace

absl::StatusOr<std::vector<NamedArray>> ReadInputFile(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".npz") return ReadNpzFile(path);
  ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
  std::vector<NamedArray> arrays;
  for (const SafetensorsEntry& entry : file->entries()) {
    if (absl::StartsWith(entry.name, "output.") || absl::StartsWith(entry.name, "__pad.")) continue;
    ASSIGN_OR_RETURN(Tensor tensor, Annotate(ToTensor(entry), FileName(path)));
    arrays.push_back({entry.name, std::move(tensor)});
  }
  return arrays;
}

absl::Status UseModelNames(absl::Span<const v1::TensorInfo> inputs, std::vector<NamedArray>& arrays) {
  const auto is = [](const std::string& name) {
    return [name](const v1::TensorInfo& info) { return info.name() == name; };
  };
  for (NamedArray& array : arrays) {
    size_t index = 0;
    if (std::any_of(inputs.begin(), inputs.end(), is(array.name))) continue;
    if (!absl::StartsWith(array.name, "input.") || !absl::SimpleAtoi(array.name.substr(6), &index)) continue;
    if (index >= inputs.size()) {
      const auto add_name = [](std::string* out, const v1::TensorInfo& info) { out->append("'" + info.name() + "'"); };
      return absl::InvalidArgumentError(absl::StrFormat("tensor '%s' is one too many; the model's inputs are %s",
                                                        array.name, absl::StrJoin(inputs, ", ", add_name)));
    }
    array.name = inputs[index].name();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<NamedArray>> RandomInputs(absl::Span<const v1::TensorInfo> inputs, int64_t rows,
                                                     uint32_t seed) {
  std::mt19937 random(seed);  // its numbers are fixed by the standard; those of the library's distributions are not
  std::vector<NamedArray> arrays;
  for (const v1::TensorInfo& info : inputs) {
    ASSIGN_OR_RETURN(const Shape shape, ShapeForRows(info, rows));
    Tensor tensor(info.dtype() == v1::I32 ? DType::kI32 : DType::kF32, shape);
    if (info.dtype() == v1::I32) {
      for (int32_t& element : tensor.data<int32_t>()) element = static_cast<int32_t>(random() >> 31);
    } else {
      for (float& element : tensor.data<float>()) element = static_cast<float>(random() >> 8) * 0x1p-23f - 1;
    }
    arrays.push_back({info.name(), std::move(tensor)});
  }
  return arrays;
}

}  // namespace rml
