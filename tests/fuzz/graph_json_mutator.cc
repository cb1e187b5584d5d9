// Half of the mutations of the target graph_json: the graph's JSON changed as JSON, its weights left alone.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/json_mutation.h"
#include "tests/fuzz/libfuzzer.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\0'), size);
  const std::string json = rml::MutateJson(input.substr(0, end), seed / 2);
  const size_t weights = size - end;  // the NUL among them
  if (json.empty() || json.size() + weights > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memmove(data + json.size(), data + end, weights);
  std::memcpy(data, json.data(), json.size());
  return json.size() + weights;
}
