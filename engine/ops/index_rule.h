// What indices from the data may be, as gather, gather_elements and scatter_add share it: `wrap` first adds the size to
// negative ones, then `mode` says what becomes of those that are still outside.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "engine/base/tensor.h"
#include "engine/ops/op.h"

namespace rml {

class IndexRule {
 public:
  IndexRule() = default;
  // From the attributes 'mode' (error, clamp; any other skips the element) and 'wrap', for an axis of `size` elements.
  IndexRule(const OpAttrs& attrs, int64_t size);

  // The position along the axis that an index means, or -1 if there is none.
  int64_t Position(int64_t index) const {
    if (wraps_ && index < 0 && index >= -size_) index += size_;
    if (index >= 0 && index < size_) return index;
    if (mode_ != Mode::kClamp || size_ == 0) return -1;
    return index < 0 ? 0 : size_ - 1;
  }

  // Whether an index without a position is an error.
  bool refuses() const { return mode_ == Mode::kError; }

  // If such an index is an error: the error of the first one, row-major, that the input 'indices' has.
  absl::Status Check(const Shape& shape, const Strides& strides, const int32_t* indices) const;

 private:
  enum class Mode : uint8_t { kError, kClamp, kSkip };

  Mode mode_ = Mode::kError;
  bool wraps_ = false;
  int64_t size_ = 0;
};

// 'mode' is error, clamp or `third`, and clamp has something to clamp to: 'data' is not empty along 'axis', or there are
// no indices.
absl::Status CheckIndexMode(const OpAttrs& attrs, const Shape& data, const Shape& indices, std::string_view third);

// For ops whose indices lie element by element beside data: both have one rank, and along every axis but 'axis' the
// indices have at most as many elements.
absl::Status CheckElementIndices(const OpAttrs& attrs, const Shape& data, const Shape& indices);

}  // namespace rml
