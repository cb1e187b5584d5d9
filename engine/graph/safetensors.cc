#include "engine/graph/safetensors.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/quoted.h"
#include "engine/graph/safetensors_entry.h"
#include "engine/graph/strict_json.h"

namespace rml {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr int64_t kMaxFileBytes = int64_t{1} << 48;
// What the reference reader's JSON parser allows.
constexpr int kMaxJsonDepth = 127;

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

absl::StatusOr<std::map<std::string, std::string>> ParseMetadata(const Json& json) {
  std::map<std::string, std::string> metadata;
  if (json.is_null()) return metadata;
  if (!json.is_object()) return Bad("'__metadata__' is no object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Bad(absl::StrCat("'__metadata__' key ", Quoted(key), " holds no string"));
    metadata[key] = value.get<std::string>();  // of several the last counts
  }
  return metadata;
}

struct Header {
  std::vector<DescribedTensor> tensors;  // by offset, then name
  std::map<std::string, std::string> metadata;
};

// Of tensors with the same name the last counts, but all of them must be well-formed; only one __metadata__ may be there.
absl::StatusOr<Header> ParseHeaderJson(const Json& json) {
  if (!json.is_object()) return Bad("header is no JSON object");
  Header header;
  bool has_metadata = false;
  std::unordered_map<std::string, size_t> index;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") {
      if (has_metadata) return Bad("'__metadata__' is given twice");
      has_metadata = true;
      ASSIGN_OR_RETURN(header.metadata, ParseMetadata(value));
      continue;
    }
    absl::StatusOr<DescribedTensor> tensor = ParseDescribedTensor(name, value);
    if (!tensor.ok()) return Annotate(tensor.status(), absl::StrCat("tensor ", Quoted(name)));
    const auto [at, is_new] = index.emplace(name, header.tensors.size());
    if (is_new) header.tensors.emplace_back();
    header.tensors[at->second] = *std::move(tensor);
  }
  std::sort(header.tensors.begin(), header.tensors.end(), [](const DescribedTensor& a, const DescribedTensor& b) {
    return std::tie(a.offsets, a.entry.name) < std::tie(b.offsets, b.entry.name);  // names: empty ones share offsets
  });
  return header;
}

// The tensors lie one after the other, without gaps, and fill the data; each has as many bytes as its shape says.
absl::Status CheckLayout(const std::vector<DescribedTensor>& tensors, uint64_t data_bytes) {
  uint64_t expected_begin = 0;
  for (const auto& [entry, offsets] : tensors) {
    const auto [begin, end] = offsets;
    const std::string where = absl::StrCat("tensor ", Quoted(entry.name));
    if (begin != expected_begin || end < begin) {
      return Bad(absl::StrFormat("%s: data_offsets are [%d, %d]; expected to begin at %d, where the one before ends",
                                 where, begin, end, expected_begin));
    }
    const absl::StatusOr<uint64_t> bytes = TensorBytes(entry);
    if (!bytes.ok()) return Annotate(bytes.status(), where);
    if (end - begin != *bytes) {
      return Bad(absl::StrFormat("%s: data_offsets span %d bytes; expected %d for %s%s", where, end - begin, *bytes,
                                 entry.dtype, ListText(entry.shape)));
    }
    expected_begin = end;
  }
  if (expected_begin == data_bytes) return absl::OkStatus();
  return Bad(absl::StrFormat("tensors end at byte %d of the data; expected %d, the end of the file", expected_begin,
                             data_bytes));
}

}  // namespace

absl::Status SafetensorsFile::ParseHeader() {
  if (bytes().size() < 8) return Bad(absl::StrFormat("has %d bytes; expected at least 8", bytes().size()));
  uint64_t header_bytes;
  std::memcpy(&header_bytes, bytes().data(), 8);
  if (header_bytes > kMaxHeaderBytes) {
    return Bad(absl::StrFormat("header length is %d; expected at most %d", header_bytes, kMaxHeaderBytes));
  }
  if (header_bytes > bytes().size() - 8) {
    return Bad(absl::StrFormat("header length is %d; expected at most %d, the bytes after it", header_bytes,
                               bytes().size() - 8));
  }
  absl::StatusOr<JsonDocument> header = ParseSerdeJson(bytes().substr(8, header_bytes), {.max_depth = kMaxJsonDepth});
  if (!header.ok()) return Annotate(header.status(), "header");
  ASSIGN_OR_RETURN(Header parsed, ParseHeaderJson(header->json()));
  metadata_ = std::move(parsed.metadata);
  const std::string_view data = bytes().substr(8 + header_bytes);
  RETURN_IF_ERROR(CheckLayout(parsed.tensors, data.size()));
  for (auto& [entry, offsets] : parsed.tensors) {
    entry.data = data.data() + offsets.begin;
    entry.size_bytes = static_cast<int64_t>(offsets.end - offsets.begin);
    by_name_[entry.name] = entries_.size();
    entries_.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::Open(const std::string& path) {
  return CatchOutOfMemory(
      "reading a safetensors file", [&]() -> absl::StatusOr<std::shared_ptr<const SafetensorsFile>> {
        ASSIGN_OR_RETURN(std::shared_ptr<const FileContent> content, FileContent::Read(path, kMaxFileBytes));
        auto parsed = std::make_shared<SafetensorsFile>(std::move(content));
        RETURN_IF_ERROR(Annotate(parsed->ParseHeader(), absl::StrCat("file ", Quoted(FileName(path)))));
        return parsed;
      });
}

absl::StatusOr<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::Parse(const std::string& bytes) {
  return CatchOutOfMemory("reading safetensors", [&]() -> absl::StatusOr<std::shared_ptr<const SafetensorsFile>> {
    ASSIGN_OR_RETURN(std::shared_ptr<const FileContent> content, FileContent::Copy(bytes));
    auto parsed = std::make_shared<SafetensorsFile>(std::move(content));
    RETURN_IF_ERROR(parsed->ParseHeader());
    return parsed;
  });
}

std::shared_ptr<const void> SafetensorsFile::HoldData(const SafetensorsEntry& entry) const {
  return FileContent::HoldPart(content_, {entry.data, static_cast<size_t>(entry.size_bytes)});
}

const SafetensorsEntry* SafetensorsFile::Find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &entries_[it->second];
}

absl::StatusOr<Tensor> ToTensor(const SafetensorsEntry& entry) {
  const std::string where = absl::StrCat("tensor ", Quoted(entry.name));
  const bool is_f32 = entry.dtype == "F32";
  if (!is_f32 && entry.dtype != "I32") return Bad(absl::StrFormat("%s is %s; expected F32 or I32", where, entry.dtype));
  if (entry.shape.size() > kMaxRank) {
    return Bad(absl::StrFormat("%s has rank %d; expected at most %d", where, entry.shape.size(), kMaxRank));
  }
  const std::vector<int64_t> dims(entry.shape.begin(), entry.shape.end());  // from 2^63 on negative, so refused
  RETURN_IF_ERROR(Annotate(CheckedNumElements(dims).status(), where));
  absl::StatusOr<Tensor> tensor = Tensor::Zeros(is_f32 ? DType::kF32 : DType::kI32, Shape(dims));
  if (!tensor.ok()) return Annotate(tensor.status(), where);
  if (entry.size_bytes > 0) std::memcpy(tensor->raw(), entry.data, entry.size_bytes);
  return tensor;
}

}  // namespace rml
