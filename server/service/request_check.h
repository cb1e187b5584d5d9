// Checks a request against a model: all of it, before any of it is run. One place for all protocols.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "engine/exec/program.h"
#include "server/scheduler/job.h"
#include "server/service/problems.h"
#include "server/service/received_request.h"

namespace rml {

// What a request is held against.
struct ModelBounds {
  const Program& program;
  int64_t max_rows;      // of one request, at most the program's
  std::string_view who;  // "model 'mlp' version 1": starts the message
};

// What a request means, in the model's terms.
struct CheckedRequest {
  std::vector<ConstTensorView>
      inputs;  // in the model's order; of the request's memory, which must outlive this, or storage
  std::vector<Tensor> storage;
  std::vector<int> outputs;             // indices of the outputs asked for, in the order asked for
  int64_t rows = 1;                     // B
  bool lists = false;                   // inputs came as lists
  std::chrono::nanoseconds timeout{0};  // from now on; 0: none beside the call's deadline
  int priority = kDefaultPriority;
};

// Errors: InvalidArgument with everything that is wrong, what `problems` holds already included: inputs that are missing,
// unknown or given twice; their types, shapes and contents; row counts out of bounds or in disagreement; outputs that are
// unknown or asked for twice.
absl::StatusOr<CheckedRequest> CheckRequest(const ReceivedRequest& request, const ModelBounds& model,
                                            Problems problems = {});

}  // namespace rml
