#include "server/service/request_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "absl/strings/str_format.h"

namespace rml {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Fields at the top of a message, or as many as there are before the first that cannot be read. Large fields are stepped
// over; what holds for the bytes is found out by the parser.
int CountFields(grpc::ByteBuffer& bytes, int enough) {
  grpc::ProtoBufferReader reader(&bytes);
  CodedInputStream input(&reader);
  int fields = 0;
  while (fields < enough) {
    const uint32_t tag = input.ReadTag();
    if (tag == 0 || !WireFormatLite::SkipField(&input, tag)) break;
    ++fields;
  }
  return fields;
}

absl::Status Refuse(const google::protobuf::Message& message, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrFormat("the request is no %s: %s", message.GetDescriptor()->full_name(), why));
}

}  // namespace

absl::Status ParseRequest(grpc::ByteBuffer& bytes, google::protobuf::Message& message) {
  if (CountFields(bytes, kMaxRequestFields + 1) > kMaxRequestFields) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the request has more than %d inputs and outputs", kMaxRequestFields));
  }
  grpc::ProtoBufferReader reader(&bytes);
  if (!reader.status().ok()) return Refuse(message, "it holds no bytes");
  if (!message.ParseFromZeroCopyStream(&reader)) {
    return Refuse(message, "its bytes cannot be parsed, or a string in it is not UTF-8");
  }
  bytes.Clear();
  return absl::OkStatus();
}

}  // namespace rml
