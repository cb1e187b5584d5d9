#include "server/service/request_bytes.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "absl/strings/str_format.h"

namespace rml {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

struct FieldCounts {
  int top = 0;
  int nested = 0;
  bool too_many() const { return top > kMaxRequestFields || nested > kMaxNestedFields; }
};

// Whether parsing makes an object of it, or, of a number, an element of an array.
bool BecomesObject(const FieldDescriptor* field) {
  return field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING ||
         field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// Counts the fields of a message of this type up to the end of the input. False: there are too many, or there is something
// that the parser will refuse. What does not become objects is stepped over; a group, which no request has, counts with
// all that is in it.
bool CountFields(CodedInputStream& input, const Descriptor& type, bool top, FieldCounts& counts) {
  while (const uint32_t tag = input.ReadTag()) {
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (top) ++counts.top;
    if (!top && BecomesObject(field)) ++counts.nested;
    if (counts.too_many()) return false;
    const WireFormatLite::WireType wire = WireFormatLite::GetTagWireType(tag);
    if (wire == WireFormatLite::WIRETYPE_START_GROUP || wire == WireFormatLite::WIRETYPE_END_GROUP) continue;
    const bool nested = field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!nested || wire != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&input, tag)) return false;
      continue;
    }
    int size = 0;
    if (!input.ReadVarintSizeAsInt(&size)) return false;
    const CodedInputStream::Limit limit = input.PushLimit(size);
    if (!CountFields(input, *field->message_type(), false, counts)) return false;
    input.PopLimit(limit);
  }
  return input.ConsumedEntireMessage();
}

FieldCounts CountFields(grpc::ByteBuffer& bytes, const Descriptor& type) {
  grpc::ProtoBufferReader reader(&bytes);
  CodedInputStream input(&reader);
  FieldCounts counts;
  CountFields(input, type, true, counts);
  return counts;
}

absl::Status Refuse(const google::protobuf::Message& message, const char* why) {
  return absl::InvalidArgumentError(
      absl::StrFormat("the request is no %s: %s", message.GetDescriptor()->full_name(), why));
}

}  // namespace

absl::Status ParseRequest(grpc::ByteBuffer& bytes, google::protobuf::Message& message) {
  if (const FieldCounts counts = CountFields(bytes, *message.GetDescriptor()); counts.too_many()) {
    return absl::InvalidArgumentError(
        counts.top > kMaxRequestFields
            ? absl::StrFormat("the request has more than %d inputs and outputs", kMaxRequestFields)
            : absl::StrFormat("the request has more than %d strings and messages in its inputs and outputs",
                              kMaxNestedFields));
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
