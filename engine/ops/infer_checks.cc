#include "engine/ops/infer_checks.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"

namespace rml {

absl::Status ExpectDType(const TensorType& type, DType expected, const char* input) {
  if (type.dtype == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("input '%s' is %s; expected %s", input, ToString(type), DTypeName(expected)));
}

absl::Status ExpectRank(const TensorType& type, int rank, const char* input) {
  if (type.shape.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("input '%s' has shape %s; expected rank %d", input, ToString(type.shape), rank));
}

absl::Status ExpectSameDType(const TensorType& a, const char* a_name, const TensorType& b, const char* b_name) {
  if (a.dtype == b.dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("input '%s' is %s but input '%s' is %s; expected the same dtype",
                                                    a_name, DTypeName(a.dtype), b_name, DTypeName(b.dtype)));
}

absl::Status CheckAxis(int64_t axis, int rank, const char* attr) {
  if (axis >= 0 && axis < rank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "attribute '%s' is %d; expected an axis of a rank %d value, 0 to %d", attr, axis, rank, rank - 1));
}

absl::Status CheckAxes(absl::Span<const int64_t> axes, int rank, const char* attr) {
  for (size_t i = 0; i < axes.size(); ++i) {
    RETURN_IF_ERROR(CheckAxis(axes[i], rank, attr));
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i) {
      return absl::InvalidArgumentError(
          absl::StrFormat("attribute '%s' is %s; expected no axis twice", attr, ListText(axes)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckList(absl::Span<const int64_t> list, int64_t count, int64_t minimum, const char* attr) {
  const bool fits = std::all_of(list.begin(), list.end(), [&](int64_t v) { return v >= minimum && v <= (1LL << 40); });
  if (static_cast<int64_t>(list.size()) == count && fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("attribute '%s' is %s; expected %d numbers of at least %d", attr,
                                                    ListText(list), count, minimum));
}

}  // namespace rml
