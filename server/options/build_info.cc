#include "server/options/build_info.h"

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "command_line/parse.h"
#include "engine/exec/numerics_version.h"
#include "engine/kernels/dispatch.h"

namespace rml {

std::string VersionLine() {
  const std::string available =
      absl::StrJoin(AvailableKernels(), ", ", [](std::string* out, const KernelTable* table) { *out += table->isa; });
  return absl::StrFormat("rml-server %s (numerics %d, isa %s; available: %s)", Version(), kNumericsVersion,
                         ActiveKernels().isa, available);
}

}  // namespace rml
