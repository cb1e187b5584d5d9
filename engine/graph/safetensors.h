// The safetensors format, read exactly as the reference reader does: the same files are taken, and the same is read from
// them (docs/decisions/safetensors-reader.md). What rml needs beyond that is checked where it is needed: types in
// ToTensor(), names and checksums in graph_file.h, alignment where constants are used in place.
//
//   8 bytes little-endian N | N bytes of JSON {"name": {"dtype", "shape", "data_offsets"}, "__metadata__"?} | data
//
// Of tensors (or metadata) with the same name the last one counts.
// Source: the format's description and rules at https://github.com/huggingface/safetensors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "engine/graph/file_content.h"

namespace rml {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "I32", or any other that the format knows
  std::vector<uint64_t> shape;
  const char* data = nullptr;  // inside the file's bytes
  int64_t size_bytes = 0;
};

// A parsed file. Immutable; entries point into its bytes, which it keeps alive.
class SafetensorsFile {
 public:
  // Reads the file. Errors: as FileContent::Read, InvalidArgument for what breaks a rule; they name the last component of
  // the path.
  static absl::StatusOr<std::shared_ptr<const SafetensorsFile>> Open(const std::string& path);
  // The same from memory. Safe on any bytes.
  static absl::StatusOr<std::shared_ptr<const SafetensorsFile>> Parse(const std::string& bytes);

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // by offset, then name
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const SafetensorsEntry* Find(const std::string& name) const;  // nullptr if there is none
  uint32_t crc32() const { return content_->crc32(); }          // of the whole file
  std::string_view bytes() const { return content_->bytes(); }  // of the whole file
  int64_t size_bytes() const { return static_cast<int64_t>(bytes().size()); }

  // Keeps the entry's data, also without this object. The data's memory goes with the last copy of the result, even while
  // the file is kept; so at most one holder an entry.
  std::shared_ptr<const void> HoldData(const SafetensorsEntry& entry) const;

  explicit SafetensorsFile(std::shared_ptr<const FileContent> content) : content_(std::move(content)) {}

 private:
  absl::Status ParseHeader();

  std::shared_ptr<const FileContent> content_;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, size_t> by_name_;
  std::map<std::string, std::string> metadata_;
};

// An F32 or I32 entry copied into a tensor; other dtypes are refused by name. ResourceExhausted without memory for it.
absl::StatusOr<Tensor> ToTensor(const SafetensorsEntry& entry);

struct NamedTensor {
  std::string name;
  ConstTensorView tensor;
};

// Serialises in the given order with every data offset 64-byte aligned: gaps are U8 tensors named __pad.k, the header
// ends in spaces.
// Requires distinct names, none of them "__metadata__" or starting with "__pad.".
std::string SerializeSafetensors(const std::vector<NamedTensor>& tensors,
                                 const std::map<std::string, std::string>& metadata = {});
// Writes atomically (WriteFileAtomically).
absl::Status WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace rml
