// Tensors to and from the messages of rml.v1.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/base/tensor.h"
#include "rml/v1/inference.pb.h"

namespace rml {

// Copies the elements as raw bytes.
void ToMessage(const std::string& name, const ConstTensorView& tensor, v1::Tensor& message);

// From raw bytes or a list. InvalidArgument, naming the tensor, if type, shape and number of elements do not agree: what a
// server sends is outside data like any other.
absl::StatusOr<Tensor> FromMessage(const v1::Tensor& message);

}  // namespace rml
