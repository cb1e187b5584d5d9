#include "server/repository/golden_check.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"

namespace rml {

absl::StatusOr<double> CheckGolden(const Golden& golden, Executor& executor, const RunControl& control) {
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(Annotate(executor.Run(Views(golden.inputs), outputs, control), "golden.safetensors"));
  ASSIGN_OR_RETURN(const std::vector<OutputError> errors,
                   Annotate(CompareOutputs(Views(outputs), golden), "golden.safetensors"));
  double largest = 0;
  std::vector<std::string> problems;
  for (size_t i = 0; i < errors.size(); ++i) {
    const OutputError& output = errors[i];
    if (!output.within()) {
      problems.push_back(absl::StrFormat("output '%s' is off by %.3g (%.3g allowed)",
                                         executor.program().outputs()[i].name, output.error, output.allowed));
    }
    largest = std::max(largest, output.error);
  }
  if (problems.empty()) return largest;
  return absl::FailedPreconditionError(absl::StrFormat("golden row check failed: %s", absl::StrJoin(problems, "; ")));
}

}  // namespace rml
