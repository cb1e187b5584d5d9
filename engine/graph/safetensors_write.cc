#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/out_of_memory.h"
#include "engine/graph/atomic_file.h"
#include "engine/graph/json_text.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

constexpr int64_t kAlignment = 64;

int64_t PaddingAfter(int64_t bytes) { return (kAlignment - bytes % kAlignment) % kAlignment; }

// Bytes between tensor i, which ends at `offset`, and the next.
int64_t PaddingAfterTensor(const std::vector<NamedTensor>& tensors, size_t i, int64_t offset) {
  return i + 1 < tensors.size() ? PaddingAfter(offset) : 0;
}

// The header's JSON and the number of bytes of the data that it describes.
std::pair<std::string, int64_t> Header(const std::vector<NamedTensor>& tensors,
                                       const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> entries;
  if (!metadata.empty()) {
    const auto add = [](std::string* out, const auto& item) {
      absl::StrAppend(out, JsonString(item.first), ":", JsonString(item.second));
    };
    entries.push_back(absl::StrCat("\"__metadata__\":{", absl::StrJoin(metadata, ",", add), "}"));
  }
  int64_t offset = 0;
  const auto describe = [&](const std::string& name, const char* dtype, absl::Span<const int64_t> shape,
                            int64_t bytes) {
    entries.push_back(absl::StrFormat(R"(%s:{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]})", JsonString(name),
                                      dtype, absl::StrJoin(shape, ","), offset, offset + bytes));
    offset += bytes;
  };
  int num_pads = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ConstTensorView& tensor = tensors[i].tensor;
    describe(tensors[i].name, tensor.dtype == DType::kF32 ? "F32" : "I32", tensor.shape.dims(),
             tensor.shape.num_bytes());
    const int64_t padding = PaddingAfterTensor(tensors, i, offset);
    if (padding > 0) describe(absl::StrCat("__pad.", num_pads++), "U8", {padding}, padding);
  }
  return {absl::StrCat("{", absl::StrJoin(entries, ","), "}"), offset};
}

}  // namespace

std::string SerializeSafetensors(const std::vector<NamedTensor>& tensors,
                                 const std::map<std::string, std::string>& metadata) {
  auto [header, data_bytes] = Header(tensors, metadata);
  header.append(PaddingAfter(8 + static_cast<int64_t>(header.size())), ' ');
  const uint64_t header_bytes = header.size();
  std::string file(8, '\0');
  file.reserve(8 + header_bytes + data_bytes);
  std::memcpy(file.data(), &header_bytes, 8);
  file.append(header);
  int64_t offset = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ConstTensorView& tensor = tensors[i].tensor;
    const int64_t bytes = tensor.shape.num_bytes();
    if (bytes > 0) file.append(static_cast<const char*>(tensor.data), bytes);
    offset += bytes;
    const int64_t padding = PaddingAfterTensor(tensors, i, offset);
    file.append(padding, '\0');
    offset += padding;
  }
  return file;
}

absl::Status WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  return CatchOutOfMemory("writing a safetensors file",
                          [&] { return WriteFileAtomically(path, SerializeSafetensors(tensors, metadata)); });
}

}  // namespace rml
