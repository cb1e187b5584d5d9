#include "engine/graph/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/mapped_file.h"
#include "engine/graph/quoted.h"
#include "engine/graph/strict_json.h"

namespace rml {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr int64_t kMaxFileBytes = int64_t{1} << 48;
// What the reference reader's JSON parser allows.
constexpr int kMaxJsonDepth = 127;

struct DTypeBits {
  const char* name;
  int bits;
};
constexpr auto kDTypes = std::to_array<DTypeBits>(
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
     {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
     {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}});

absl::Status Bad(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

// Bytes of a tensor of `shape`; an error if the product wraps or does not end on a byte.
absl::StatusOr<uint64_t> TensorBytes(const SafetensorsEntry& entry) {
  const auto* dtype =
      std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeBits& d) { return entry.dtype == d.name; });
  if (dtype == kDTypes.end()) return Bad(absl::StrCat("dtype ", Quoted(entry.dtype), " is none of the format's"));
  uint64_t bits = 0;
  uint64_t count = 1;
  bool wraps = false;
  for (uint64_t dim : entry.shape) wraps |= __builtin_mul_overflow(count, dim, &count);
  wraps |= __builtin_mul_overflow(count, static_cast<uint64_t>(dtype->bits), &bits);
  if (wraps)
    return Bad(absl::StrFormat("shape [%s] has more bits than 64 bits can count", absl::StrJoin(entry.shape, ", ")));
  if (bits % 8 != 0) return Bad(absl::StrFormat("%d bits of %s do not end on a byte", bits, entry.dtype));
  return bits / 8;
}

// A list of unsigned 64-bit integers under `key`.
absl::StatusOr<std::vector<uint64_t>> UnsignedList(const Json& entry, const char* key) {
  const auto it = entry.find(key);
  if (it == entry.end()) return Bad(absl::StrFormat("has no '%s'", key));
  if (!it->is_array()) return Bad(absl::StrFormat("'%s' is no list", key));
  std::vector<uint64_t> list;
  for (const Json& item : *it) {
    if (!item.is_number_unsigned()) {
      return Bad(absl::StrFormat("'%s' holds %s; expected integers from 0", key, Quoted(item.dump())));
    }
    list.push_back(item.get<uint64_t>());
  }
  return list;
}

// The entry with its offsets (begin, end) into the data.
absl::StatusOr<std::pair<SafetensorsEntry, std::pair<uint64_t, uint64_t>>> ParseEntry(const std::string& name,
                                                                                      const Json& json) {
  if (!json.is_object()) return Bad("is no object");
  SafetensorsEntry entry{.name = name, .dtype = "", .shape = {}};
  const auto dtype = json.find("dtype");
  if (dtype == json.end() || !dtype->is_string()) return Bad("has no string 'dtype'");
  entry.dtype = dtype->get<std::string>();
  ASSIGN_OR_RETURN(entry.shape, UnsignedList(json, "shape"));
  ASSIGN_OR_RETURN(const std::vector<uint64_t> offsets, UnsignedList(json, "data_offsets"));
  if (offsets.size() != 2) return Bad(absl::StrFormat("'data_offsets' has %d numbers; expected 2", offsets.size()));
  return std::make_pair(std::move(entry), std::make_pair(offsets[0], offsets[1]));
}

absl::StatusOr<std::map<std::string, std::string>> ParseMetadata(const Json& json) {
  std::map<std::string, std::string> metadata;
  if (json.is_null()) return metadata;
  if (!json.is_object()) return Bad("'__metadata__' is no object");
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return Bad(absl::StrCat("'__metadata__' key ", Quoted(key), " holds no string"));
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

}  // namespace

absl::Status SafetensorsFile::ParseHeader() {
  if (bytes_.size() < 8) return Bad(absl::StrFormat("has %d bytes; expected at least 8", bytes_.size()));
  uint64_t header_bytes;
  std::memcpy(&header_bytes, bytes_.data(), 8);
  if (header_bytes > kMaxHeaderBytes) {
    return Bad(absl::StrFormat("header length is %d; expected at most %d", header_bytes, kMaxHeaderBytes));
  }
  if (header_bytes > bytes_.size() - 8) {
    return Bad(absl::StrFormat("header length is %d; expected at most %d, the bytes after it", header_bytes,
                               bytes_.size() - 8));
  }
  const std::string_view data = bytes_.substr(8 + header_bytes);
  absl::StatusOr<Json> header = ParseStrictJson(bytes_.substr(8, header_bytes), {.max_depth = kMaxJsonDepth});
  if (!header.ok()) return Annotate(header.status(), "header");
  if (!header->is_object()) return Bad("header is no JSON object");

  std::vector<std::pair<SafetensorsEntry, std::pair<uint64_t, uint64_t>>> parsed;
  for (const auto& [name, json] : header->items()) {
    if (name == "__metadata__") {
      ASSIGN_OR_RETURN(metadata_, ParseMetadata(json));
      continue;
    }
    auto entry = ParseEntry(name, json);
    if (!entry.ok()) return Annotate(entry.status(), absl::StrCat("tensor ", Quoted(name)));
    parsed.push_back(*std::move(entry));
  }
  std::stable_sort(parsed.begin(), parsed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });

  uint64_t expected_begin = 0;
  for (auto& [entry, offsets] : parsed) {
    const auto [begin, end] = offsets;
    const std::string where = absl::StrCat("tensor ", Quoted(entry.name));
    if (begin != expected_begin || end < begin) {
      return Bad(absl::StrFormat("%s: data_offsets are [%d, %d]; expected to begin at %d, where the one before ends",
                                 where, begin, end, expected_begin));
    }
    const absl::StatusOr<uint64_t> bytes = TensorBytes(entry);
    if (!bytes.ok()) return Annotate(bytes.status(), where);
    if (end - begin != *bytes) {
      return Bad(absl::StrFormat("%s: data_offsets span %d bytes; expected %d for %s[%s]", where, end - begin, *bytes,
                                 entry.dtype, absl::StrJoin(entry.shape, ", ")));
    }
    expected_begin = end;
  }
  if (expected_begin != data.size()) {
    return Bad(absl::StrFormat("tensors end at byte %d of the data; expected %d, the end of the file", expected_begin,
                               data.size()));
  }
  for (auto& [entry, offsets] : parsed) {
    entry.data = data.data() + offsets.first;
    entry.size_bytes = static_cast<int64_t>(offsets.second - offsets.first);
    by_name_[entry.name] = entries_.size();
    entries_.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path, kMaxFileBytes));
  auto parsed = std::make_shared<SafetensorsFile>(file, file->bytes());
  RETURN_IF_ERROR(Annotate(parsed->ParseHeader(), absl::StrCat("file ", Quoted(FileName(path)))));
  return parsed;
}

absl::StatusOr<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::Parse(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  auto parsed = std::make_shared<SafetensorsFile>(owner, std::string_view(*owner));
  RETURN_IF_ERROR(parsed->ParseHeader());
  return parsed;
}

const SafetensorsEntry* SafetensorsFile::Find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &entries_[it->second];
}

uint32_t SafetensorsFile::crc32() const {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size()));
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
  return Tensor::Copy({is_f32 ? DType::kF32 : DType::kI32, Shape(dims), entry.data});
}

}  // namespace rml
