// Which kernels run: the best set that is built in and that the CPU and the operating system support, or the one forced
// by the environment variable RML_ISA (portable, avx2 or avx512).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/kernels/kernel_table.h"

namespace rml {

// Built in, and supported by CPU and OS (the registers' state is enabled, XGETBV); portable first, best last.
absl::Span<const KernelTable* const> AvailableKernels();

// The set the engine uses: the last available one, or the one that RML_ISA named when SelectKernels() or
// ActiveKernels() was first called. Fixed from then on; thread-safe. With an RML_ISA that SelectKernels() refuses this
// is the portable set, so programs call SelectKernels() first and stop on its error.
const KernelTable& ActiveKernels();

// Fixes the choice. InvalidArgument if RML_ISA is none of the three names, FailedPrecondition if it names a set that
// this build or machine lacks; the message lists those available.
absl::Status SelectKernels();

// The table among AvailableKernels() that `isa` names; errors as above.
absl::StatusOr<const KernelTable*> FindKernels(std::string_view isa);

}  // namespace rml
