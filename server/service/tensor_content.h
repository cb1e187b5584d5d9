// From a Tensor message to memory that the engine can read, and back.
#pragma once

#include <string>

#include "engine/base/tensor.h"
#include "engine/exec/program.h"
#include "rml/v1/inference.pb.h"
#include "server/service/problems.h"

namespace rml {

v1::DType ToProto(DType dtype);

// "f32[B, 784]", for errors and ModelInfo.
std::string Describe(const TensorInfo& info);

// An input as the engine takes it.
struct DecodedTensor {
  ConstTensorView view;  // of the message's own bytes, or of `storage`
  Tensor storage;        // filled only where elements had to be converted or moved to an aligned address
};

// Checks `message` against `info`, except for the number of rows, and makes a view of it without a copy where possible:
// raw bytes and lists of the right type are read in place. Adds what is wrong, under `field`, to `problems`; the result is
// then not usable.
DecodedTensor DecodeTensor(const v1::Tensor& message, const TensorInfo& info, const std::string& field,
                           Problems& problems);

// Writes a copy of `tensor` to `message`: raw bytes, or a list if `as_list`.
void EncodeTensor(const Tensor& tensor, const std::string& name, bool as_list, v1::Tensor& message);

}  // namespace rml
