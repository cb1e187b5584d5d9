// Brings a model version to where it can serve: read, compile, verify against its golden file, warm up.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"
#include "engine/exec/program.h"
#include "engine/graph/golden.h"
#include "server/repository/model_source.h"
#include "server/repository/serve_options.h"

namespace rml {

// One executor and the outputs that it fills again and again. Used by one worker thread at a time.
struct ModelInstance {
  std::unique_ptr<Executor> executor;
  std::vector<Tensor> outputs{};
  int64_t arena_bytes = 0;  // of the executor, as ServedModel last counted it
};

// A model ready to serve.
struct LoadedModel {
  std::shared_ptr<const Program> program;
  std::optional<Golden> golden;
  double golden_max_error = 0;          // largest |got - want| over all outputs
  std::vector<int64_t> golden_sizes{};  // batch sizes in which the golden rows gave the same bits as in their own
  std::vector<ModelInstance> instances;
  ServeOptions options;  // what it was loaded with
  int64_t max_rows = 1;  // rows accepted in one request: the model's own bound or a lower one
};

// Without a golden file the model is warmed up on zeros. Messages name files without the folder that they are in.
// Errors: as Program::Load; InvalidArgument for rows that the model does not take and for a golden file that does not fit
// the model; FailedPrecondition if the model does not reproduce it, saying which output, by how much, and what was allowed,
// or if a row has other bits in a batch of another size;
// ResourceExhausted with the bill if it does not fit into memory or options.memory_left; Cancelled soon after `stop` is set.
absl::StatusOr<LoadedModel> LoadModel(const ModelSource& source, const ServeOptions& options,
                                      const std::atomic<bool>& stop);

}  // namespace rml
