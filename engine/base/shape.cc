#include "engine/base/shape.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"

namespace rml {

Shape::Shape(std::initializer_list<int64_t> dims) : Shape(absl::MakeConstSpan(dims.begin(), dims.size())) {}

Shape::Shape(absl::Span<const int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  std::copy(dims.begin(), dims.end(), dims_.begin());
}

int64_t Shape::num_elements() const {
  int64_t product = 1;
  for (int64_t d : dims()) product *= d;
  return product;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && std::equal(dims_.begin(), dims_.begin() + rank_, other.dims_.begin());
}

absl::StatusOr<int64_t> CheckedNumElements(absl::Span<const int64_t> dims) {
  // A zero dim makes the tensor empty, but the other dims must still multiply without wrapping.
  int64_t product = 1;
  bool empty = false;
  for (int64_t d : dims) {
    if (d < 0) {
      return absl::InvalidArgumentError(absl::StrFormat("shape %s has a negative dimension", ListText(dims)));
    }
    if (d == 0) {
      empty = true;
      continue;
    }
    if (product > std::numeric_limits<int64_t>::max() / 4 / d) {
      return absl::InvalidArgumentError(
          absl::StrFormat("shape %s has more bytes than 63 bits can count", ListText(dims)));
    }
    product *= d;
  }
  return empty ? 0 : product;
}

std::string ToString(const Shape& shape) { return ListText(shape.dims()); }

absl::StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape out;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const int64_t da = ia >= 0 ? a.dim(ia) : 1;
    const int64_t db = ib >= 0 ? b.dim(ib) : 1;
    if (da != db && da != 1 && db != 1) {
      return absl::InvalidArgumentError(
          absl::StrFormat("shapes %s and %s do not broadcast (%d against %d)", ToString(a), ToString(b), da, db));
    }
    out.push_back(da == 1 ? db : da);
  }
  return out;
}

Strides ContiguousStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= std::max<int64_t>(shape.dim(i), 1);
  }
  return strides;
}

bool IsContiguous(const Shape& shape, const Strides& strides) {
  for (int64_t d : shape.dims()) {
    if (d == 0) return true;
  }
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape.dim(i) != 1 && strides[i] != step) return false;
    step *= shape.dim(i);
  }
  return true;
}

}  // namespace rml
