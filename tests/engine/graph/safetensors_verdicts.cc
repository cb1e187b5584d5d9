// Says of each safetensors file on standard input what the reader makes of it: for safetensors_reference_test.py.
// Input: files, each after its size as 8 bytes, little-endian. Output: a line of JSON each,
//   {"tensors": {name: [dtype, shape, begin, end]}, "metadata": {key: value}}   begin and end: bytes of the file
//   {"error": message}
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine/graph/safetensors.h"
#include "nlohmann/json.hpp"

namespace rml {
namespace {

nlohmann::json Verdict(const std::string& bytes) {
  const auto file = SafetensorsFile::Parse(bytes);
  if (!file.ok()) return {{"error", file.status().message()}};
  auto tensors = nlohmann::json::object();
  for (const SafetensorsEntry& entry : (*file)->entries()) {
    const int64_t begin = entry.data - (*file)->bytes().data();
    tensors[entry.name] = {entry.dtype, entry.shape, begin, begin + entry.size_bytes};
  }
  return {{"tensors", tensors}, {"metadata", (*file)->metadata()}};
}

}  // namespace
}  // namespace rml

int main() {
  uint64_t size = 0;
  while (std::fread(&size, sizeof(size), 1, stdin) == 1) {
    std::string bytes(size, '\0');
    if (std::fread(bytes.data(), 1, size, stdin) != size) return 1;
    std::puts(rml::Verdict(bytes).dump(-1, ' ', /*ensure_ascii=*/true).c_str());
  }
  return 0;
}
