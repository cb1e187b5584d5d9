// From a tensor of a request to memory that the engine can read.
#pragma once

#include <string>

#include "engine/base/tensor.h"
#include "engine/exec/program.h"
#include "server/service/problems.h"
#include "server/service/received_request.h"

namespace rml {

// "f32[B, 784]", as the protocol writes types.
std::string Describe(const TensorInfo& info, const RequestWords& words);

// An input as the engine takes it.
struct DecodedTensor {
  ConstTensorView view;  // of the message's own bytes, or of `storage`
  Tensor storage;        // filled only where elements had to be converted or moved to an aligned address
};

// Checks input number `index` of `request` against `info`, except for the number of rows, and makes a view of it without a
// copy where possible: raw bytes and lists of the right type are read in place. Adds what is wrong to `problems`; the
// result is then not usable.
DecodedTensor DecodeTensor(const ReceivedRequest& request, int index, const TensorInfo& info, Problems& problems);

}  // namespace rml
