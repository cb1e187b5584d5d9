// Checks a request against a model: all of it, before any of it is run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "engine/exec/program.h"
#include "rml/v1/inference.pb.h"
#include "server/service/problems.h"

namespace rml {

using TensorMessages = google::protobuf::RepeatedPtrField<v1::Tensor>;
using OutputNames = google::protobuf::RepeatedPtrField<std::string>;

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
  std::vector<int> outputs;  // indices of the outputs asked for, in the order asked for
  int64_t rows = 1;          // B
  bool lists = false;        // inputs came as lists, so that outputs should go back as lists
};

// Errors: InvalidArgument with everything that is wrong: inputs that are missing, unknown or given twice; their types,
// shapes and contents; row counts out of bounds or in disagreement; outputs that are unknown or asked for twice.
absl::StatusOr<CheckedRequest> CheckRequest(const TensorMessages& inputs, const OutputNames& outputs,
                                            const ModelBounds& model);

}  // namespace rml
