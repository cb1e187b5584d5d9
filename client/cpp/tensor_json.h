// Tensors in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/base/tensor.h"

namespace rml {

// All elements as one list, row-major. f32 in the fewest digits that read back as the same float; NaN and the infinities,
// which JSON has no numbers for, as "NaN", "Infinity" and "-Infinity", like protobuf.
nlohmann::ordered_json ElementsJson(const Tensor& tensor);

}  // namespace rml
