// From a checked graph to the steps of a program.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/exec/program_impl.h"

namespace rml {

absl::StatusOr<std::unique_ptr<ProgramImpl>> CompileGraph(Graph graph, const ProgramOptions& options);

}  // namespace rml
