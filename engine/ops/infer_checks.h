// Checks that several ops' shape inference shares. Messages name the input as the op list does and say expected and got.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/ops/op.h"

namespace rml {

absl::Status ExpectDType(const TensorType& type, DType expected, const char* input);
absl::Status ExpectRank(const TensorType& type, int rank, const char* input);
absl::Status ExpectSameDType(const TensorType& a, const char* a_name, const TensorType& b, const char* b_name);

// 0 <= axis < rank.
absl::Status CheckAxis(int64_t axis, int rank, const char* attr);
// Each in range, none twice.
absl::Status CheckAxes(absl::Span<const int64_t> axes, int rank, const char* attr);
// An attribute list of exactly `count` numbers, each >= minimum.
absl::Status CheckList(absl::Span<const int64_t> list, int64_t count, int64_t minimum, const char* attr);

}  // namespace rml
