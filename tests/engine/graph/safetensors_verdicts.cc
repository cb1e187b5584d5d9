// Says of each safetensors file on standard input whether the reader takes it: for safetensors_reference_test.py.
// Input: files, each after its size as 8 bytes, little-endian. Output: a line each, "ok" with a summary, or the error.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "engine/graph/safetensors.h"

namespace rml {
namespace {

std::string Verdict(std::string bytes) {
  const auto file = SafetensorsFile::Parse(std::move(bytes));
  if (!file.ok()) return std::string(file.status().message());
  uint64_t total = 0;
  for (const SafetensorsEntry& entry : (*file)->entries()) total += static_cast<uint64_t>(entry.size_bytes);
  return "ok " + std::to_string((*file)->entries().size()) + " " + std::to_string(total);
}

}  // namespace
}  // namespace rml

int main() {
  uint64_t size = 0;
  while (std::fread(&size, sizeof(size), 1, stdin) == 1) {
    std::string bytes(size, '\0');
    if (std::fread(bytes.data(), 1, size, stdin) != size) return 1;
    std::puts(rml::Verdict(std::move(bytes)).c_str());
  }
  return 0;
}
