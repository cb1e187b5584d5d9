// Brings a model version to where it can serve: read, compile, verify against its golden file, warm up.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"
#include "engine/exec/program.h"
#include "engine/graph/golden.h"
#include "server/repository/model_source.h"

namespace rml {

struct LoadOptions {
  int instances = 1;  // executors, each with its own memory: requests computed at the same time
  int threads = 1;    // threads one of them may use
  ProgramOptions program{};
};

// One executor and the outputs that it fills again and again. Used by one worker thread at a time.
struct ModelInstance {
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> outputs;
};

// A model ready to serve.
struct LoadedModel {
  std::shared_ptr<const Program> program;
  std::optional<Golden> golden;
  double golden_max_error = 0;  // largest |got - want| over all outputs
  std::vector<ModelInstance> instances;
  int threads = 1;

  int64_t arena_bytes() const;  // of all instances; changes as they meet new row counts, so only a snapshot
};

// Without a golden file the model is warmed up on zeros. Messages name files without the folder that they are in.
// Errors: as Program::Load; InvalidArgument for a golden file that does not fit the model; FailedPrecondition if the model
// does not reproduce it, saying which output, by how much, and what was allowed.
absl::StatusOr<LoadedModel> LoadModel(const ModelSource& source, const LoadOptions& options);

// Inputs of zeros for `rows` rows.
std::vector<Tensor> ZeroInputs(const Program& program, int64_t rows);

}  // namespace rml
