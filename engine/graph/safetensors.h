// The safetensors format, with every rule of the reference reader: accepts and rejects the same files.
// Source: https://github.com/huggingface/safetensors (format), `safetensors/src/tensor.rs` (rules).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/tensor.h"

namespace rml {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "F32", "I32", or any other that the format knows
  std::vector<int64_t> shape;
  const char* data = nullptr;  // inside the file's bytes
  int64_t size_bytes = 0;
};

// A parsed file. Immutable; entries point into `bytes`, which it keeps alive (a mapping or a string).
class SafetensorsFile {
 public:
  // Maps the file read-only. NotFound / PermissionDenied / InvalidArgument, naming the last path component.
  static absl::StatusOr<std::shared_ptr<const SafetensorsFile>> Open(const std::string& path);
  static absl::StatusOr<std::shared_ptr<const SafetensorsFile>> Parse(std::string bytes);
  virtual ~SafetensorsFile() = default;

  virtual const std::vector<SafetensorsEntry>& entries() const = 0;  // in offset order
  virtual const std::map<std::string, std::string>& metadata() const = 0;
  virtual const SafetensorsEntry* Find(const std::string& name) const = 0;  // nullptr if there is none
  virtual uint32_t crc32() const = 0;                                       // of the whole file, computed on call
  virtual int64_t size_bytes() const = 0;
};

// An F32 or I32 entry (I64, BOOL and F64 are refused by name) copied into a tensor.
absl::StatusOr<Tensor> ToTensor(const SafetensorsEntry& entry);

struct NamedTensor {
  std::string name;
  ConstTensorView tensor;
};

// Serialises with every data offset 64-byte aligned: gaps are U8 tensors named __pad.k, the header ends in spaces.
std::string SerializeSafetensors(const std::vector<NamedTensor>& tensors,
                                 const std::map<std::string, std::string>& metadata = {});
// Writes atomically (temporary name, fsync, rename).
absl::Status WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

}  // namespace rml
