// From the bytes of a request to its message, with an answer for bytes that are none. gRPC's own parsing says UNIMPLEMENTED
// without a word for those, and makes a message of anything that fits in the size limit: 64 MiB of empty tensors, two bytes
// each, would take 5 GB.
#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>

#include "absl/status/status.h"

namespace rml {

// Fields of a request message, counted before anything is made of them: far above the inputs and outputs of any model.
inline constexpr int kMaxRequestFields = 65536;
// Strings, messages and unknown fields within these, which all become objects: a name, a type, contents, parameters.
inline constexpr int kMaxNestedFields = 4 * kMaxRequestFields;

// Fills `message` and empties `bytes`. InvalidArgument if the bytes are no such message, a string in them is not UTF-8, or
// there are more fields than kMaxRequestFields or kMaxNestedFields. Requires a type that does not contain itself.
absl::Status ParseRequest(grpc::ByteBuffer& bytes, google::protobuf::Message& message);

}  // namespace rml
