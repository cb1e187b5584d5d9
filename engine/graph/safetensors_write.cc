#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "engine/graph/atomic_file.h"
#include "engine/graph/safetensors.h"
#include "nlohmann/json.hpp"

namespace rml {
namespace {

constexpr int64_t kAlignment = 64;

int64_t PaddingAfter(int64_t bytes) { return (kAlignment - bytes % kAlignment) % kAlignment; }

}  // namespace

std::string SerializeSafetensors(const std::vector<NamedTensor>& tensors,
                                 const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  auto describe = [&](const std::string& name, const char* dtype, absl::Span<const int64_t> shape, int64_t bytes) {
    header[name] = {{"dtype", dtype},
                    {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  };
  std::string data;
  int num_pads = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ConstTensorView& tensor = tensors[i].tensor;
    const int64_t bytes = tensor.shape.num_bytes();
    describe(tensors[i].name, tensor.dtype == DType::kF32 ? "F32" : "I32", tensor.shape.dims(), bytes);
    if (bytes > 0) data.append(static_cast<const char*>(tensor.data), bytes);
    const int64_t padding = i + 1 < tensors.size() ? PaddingAfter(offset) : 0;
    if (padding == 0) continue;
    const int64_t shape[] = {padding};
    describe(absl::StrCat("__pad.", num_pads++), "U8", shape, padding);
    data.append(padding, '\0');
  }
  std::string text = header.dump();
  text.append(PaddingAfter(8 + static_cast<int64_t>(text.size())), ' ');
  const uint64_t header_bytes = text.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &header_bytes, 8);
  return absl::StrCat(file, text, data);
}

absl::Status WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  return WriteFileAtomically(path, SerializeSafetensors(tensors, metadata));
}

}  // namespace rml
