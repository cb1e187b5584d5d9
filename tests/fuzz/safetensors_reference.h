// What the official Python package makes of a safetensors file, asked in this process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rml {

struct ReferenceTensor {
  std::string dtype;
  std::vector<uint64_t> shape;
  std::string data;
  bool operator==(const ReferenceTensor&) const = default;
};

struct ReferenceFile {
  std::map<std::string, ReferenceTensor> tensors;
  std::map<std::string, std::string> metadata;
  bool operator==(const ReferenceFile&) const = default;
};

// Nothing if the package refuses the file. Ends the program if the package cannot be loaded (PYTHONPATH names its folder)
// or answers with anything but its own error. Not thread-safe.
std::optional<ReferenceFile> ReadByReference(std::string_view file);

}  // namespace rml
