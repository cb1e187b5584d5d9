// Most mutations of the target safetensors: the header's text changed, as bytes or as JSON, with a length that fits, so
// that the JSON is looked at and not only the length.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/json_mutation.h"
#include "tests/fuzz/libfuzzer.h"

namespace {

constexpr size_t kLengthBytes = 8;

// The header's text after a change, at most `room` bytes; empty if there is none.
std::string ChangedHeader(std::string_view header, size_t room, unsigned int seed) {
  std::string changed;
  if (seed % 2 == 0) {
    changed = rml::MutateJson(header, seed / 2);
  } else {
    changed.assign(room, '\0');
    header.copy(changed.data(), header.size());
    changed.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(changed.data()), header.size(), room));
  }
  return changed.size() <= room ? changed : "";
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  uint64_t length = 0;
  if (size >= kLengthBytes) std::memcpy(&length, data, kLengthBytes);
  const bool is_whole = size >= kLengthBytes && length <= size - kLengthBytes;
  if (!is_whole || size > max_size || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view header(reinterpret_cast<const char*>(data) + kLengthBytes, length);
  const size_t rest = size - kLengthBytes - length;
  const std::string changed = ChangedHeader(header, max_size - kLengthBytes - rest, seed / 4);
  if (changed.empty()) return LLVMFuzzerMutate(data, size, max_size);
  std::memmove(data + kLengthBytes + changed.size(), data + kLengthBytes + length, rest);
  std::memcpy(data + kLengthBytes, changed.data(), changed.size());
  length = changed.size();
  std::memcpy(data, &length, kLengthBytes);
  return kLengthBytes + length + rest;
}
