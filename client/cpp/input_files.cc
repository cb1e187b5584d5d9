#include "client/cpp/input_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

constexpr int64_t kMaxNpzBytes = int64_t{1} << 40;

absl::StatusOr<std::vector<NamedArray>> ReadNpzFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const FileContent> content, FileContent::Read(path, kMaxNpzBytes));
  absl::StatusOr<std::vector<NamedArray>> arrays = ParseNpz(content->bytes());
  if (!arrays.ok()) return Annotate(arrays.status(), FileName(path));
  return arrays;
}

// What a server says is outside data like any other.
absl::Status Wrong(const v1::TensorInfo& info, const std::string& what) {
  return absl::InternalError(absl::StrFormat("the server's description of input '%s' %s", info.name(), what));
}

absl::StatusOr<Shape> ShapeForRows(const v1::TensorInfo& info, int64_t rows) {
  if (info.shape_size() > kMaxRank) {
    return Wrong(info, absl::StrFormat("has %d dims; expected at most %d", info.shape_size(), kMaxRank));
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < info.shape_size(); ++i) {
    int64_t dim = info.shape(i);
    if (dim == -1) {
      const int64_t factor = i < info.row_factors_size() ? info.row_factors(i) : 0;
      if (factor < 1) return Wrong(info, absl::StrFormat("has no factor for dim %d, which varies with the rows", i));
      if (__builtin_mul_overflow(factor, rows, &dim)) {
        return Wrong(info, absl::StrFormat("has factor %d for dim %d, too large for %d rows", factor, i, rows));
      }
    }
    dims.push_back(dim);
  }
  const absl::Status fits = CheckedNumElements(dims).status();
  if (!fits.ok())
    return Wrong(info, absl::StrFormat("has the shape [%s]: %s", absl::StrJoin(dims, ", "), fits.message()));
  return Shape(dims);
}

absl::StatusOr<DType> DTypeOf(const v1::TensorInfo& info) {
  if (info.dtype() == v1::F32) return DType::kF32;
  if (info.dtype() == v1::I32) return DType::kI32;
  return Wrong(info, absl::StrFormat("has type number %d; expected F32 or I32", static_cast<int>(info.dtype())));
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
    ASSIGN_OR_RETURN(const DType dtype, DTypeOf(info));
    Tensor tensor(dtype, shape);
    if (dtype == DType::kI32) {
      for (int32_t& element : tensor.data<int32_t>()) element = static_cast<int32_t>(random() >> 31);
    } else {
      for (float& element : tensor.data<float>()) element = static_cast<float>(random() >> 8) * 0x1p-23f - 1;
    }
    arrays.push_back({info.name(), std::move(tensor)});
  }
  return arrays;
}

}  // namespace rml
