// Whether memory that a caller gives for the outputs of a run will do.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/exec/executor.h"

namespace rml {

// OK if there is one view per output, of its type and of its shape for `rows`, 4-byte aligned, and none shares a byte with
// an input or another output. InvalidArgument otherwise; the message lists every output that is wrong: "output 'y' is
// f32[2, 5]; expected f32[2, 4]". Allocates nothing if all is well.
absl::Status CheckOutputs(const Program& program, int64_t rows, absl::Span<const ConstTensorView> inputs,
                          absl::Span<const TensorView> outputs);

}  // namespace rml
