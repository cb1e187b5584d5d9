// One tensor's description in a safetensors header. Private to engine/graph.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "engine/graph/safetensors.h"
#include "engine/graph/strict_json.h"

namespace rml {

// Byte range in the data that follows the header.
struct DataOffsets {
  uint64_t begin = 0;
  uint64_t end = 0;
  auto operator<=>(const DataOffsets&) const = default;
};

struct DescribedTensor {
  SafetensorsEntry entry;  // without its data
  DataOffsets offsets;
};

// {"dtype": ..., "shape": ..., "data_offsets": ...} as the reference reader takes it: each of the three once, whatever
// else beside them; also as the list [dtype, shape, data_offsets]; and the dtype also as {"F32": null}.
// The offsets are as given; the dtype is one of the format's.
absl::StatusOr<DescribedTensor> ParseDescribedTensor(const std::string& name, const Json& json);

// Bytes of such a tensor; an error if its bits cannot be counted in 64 bits or do not end on a byte.
absl::StatusOr<uint64_t> TensorBytes(const SafetensorsEntry& entry);

}  // namespace rml
