// Where an image axis is read when it is resized. Semantics: op_list.inc, "resize2d".
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/ops/op.h"

namespace rml {

// Output o is the sum over t < taps of weight[o * taps + t] * x[index[o * taps + t]]; the indices of one output are
// consecutive and ascending, but for those held at an edge.
struct ResizeAxis {
  int taps = 1;  // nearest 1, linear 2, cubic 4
  std::vector<int64_t> index;
  std::vector<float> weight;
};

// What is wrong with the attributes of a resize2d, whatever the image.
absl::Status CheckResizeAttrs(const OpAttrs& attrs);

// The height's axis (0) or the width's (1) for an image of `input` elements along it. Requires checked attributes and
// input >= 1. Positions are computed in f32, in the order of operations that the frameworks have, because a nearest
// neighbour hangs on the last bit.
ResizeAxis MakeResizeAxis(const OpAttrs& attrs, int axis, int64_t input);

}  // namespace rml
