// Holds today's messages and services against the descriptors of the last release: what an old client sends and expects
// must go on to mean the same. After a release, refresh with (from the root, each in one line):
//   protoc -I proto --include_imports --descriptor_set_out=tests/proto/released/rml_v1.binpb
//     rml/v1/inference.proto google/rpc/status.proto google/rpc/error_details.proto
//   protoc -I proto --include_imports --descriptor_set_out=tests/proto/released/inference.binpb
//     inference/grpc_service.proto
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "inference/grpc_service.pb.h"
#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::ServiceDescriptor;
using Breaks = std::vector<std::string>;

std::string TypeOf(const FieldDescriptor& field) {
  std::string type = field.is_repeated() ? "repeated " : "";
  type += field.type_name();
  if (field.message_type() != nullptr) type += " " + field.message_type()->full_name();
  if (field.enum_type() != nullptr) type += " " + field.enum_type()->full_name();
  return type;
}

void Compare(const Descriptor& released, const DescriptorPool& now, Breaks& breaks) {
  const Descriptor* message = now.FindMessageTypeByName(released.full_name());
  if (message == nullptr) return breaks.push_back(released.full_name() + " is gone");
  for (int i = 0; i < released.field_count(); ++i) {
    const FieldDescriptor& old = *released.field(i);
    const FieldDescriptor* field = message->FindFieldByNumber(old.number());
    if (field == nullptr) {
      breaks.push_back(old.full_name() + " is gone");
    } else if (field->name() != old.name() || TypeOf(*field) != TypeOf(old)) {
      breaks.push_back(old.full_name() + " was " + TypeOf(old) + "; now " + field->full_name() + " is " +
                       TypeOf(*field));
    }
  }
  for (int i = 0; i < released.nested_type_count(); ++i) Compare(*released.nested_type(i), now, breaks);
}

void Compare(const EnumDescriptor& released, const DescriptorPool& now, Breaks& breaks) {
  const EnumDescriptor* values = now.FindEnumTypeByName(released.full_name());
  if (values == nullptr) return breaks.push_back(released.full_name() + " is gone");
  for (int i = 0; i < released.value_count(); ++i) {
    const auto* value = values->FindValueByNumber(released.value(i)->number());
    if (value == nullptr || value->name() != released.value(i)->name()) {
      breaks.push_back(released.value(i)->full_name() + " is gone or renamed");
    }
  }
}

void Compare(const ServiceDescriptor& released, const DescriptorPool& now, Breaks& breaks) {
  const ServiceDescriptor* service = now.FindServiceByName(released.full_name());
  if (service == nullptr) return breaks.push_back(released.full_name() + " is gone");
  for (int i = 0; i < released.method_count(); ++i) {
    const auto& old = *released.method(i);
    const auto* method = service->FindMethodByName(old.name());
    if (method == nullptr || method->input_type()->full_name() != old.input_type()->full_name() ||
        method->output_type()->full_name() != old.output_type()->full_name() ||
        method->client_streaming() != old.client_streaming() || method->server_streaming() != old.server_streaming()) {
      breaks.push_back(old.full_name() + " is gone or takes or gives something else");
    }
  }
}

Breaks CompareAll(const FileDescriptor& released, const DescriptorPool& now) {
  Breaks breaks;
  for (int i = 0; i < released.message_type_count(); ++i) Compare(*released.message_type(i), now, breaks);
  for (int i = 0; i < released.enum_type_count(); ++i) Compare(*released.enum_type(i), now, breaks);
  for (int i = 0; i < released.service_count(); ++i) Compare(*released.service(i), now, breaks);
  return breaks;
}

class WireCompatibilityTest : public testing::Test {
 protected:
  void SetUp() override {
    // Named here, so that their descriptors are linked in and registered.
    v1::RunRequest::descriptor();
    google::rpc::Status::descriptor();
    google::rpc::BadRequest::descriptor();
    inference::ModelInferRequest::descriptor();
    for (const char* name : {"rml_v1", "inference"}) {
      std::ifstream file(std::string("tests/proto/released/") + name + ".binpb", std::ios::binary);
      google::protobuf::FileDescriptorSet set;
      ASSERT_TRUE(set.ParseFromIstream(&file)) << name;
      for (const auto& one : set.file()) ASSERT_NE(released_.BuildFile(one), nullptr) << one.name();
    }
  }

  DescriptorPool released_;
};

TEST_F(WireCompatibilityTest, NothingReleasedHasChanged) {
  for (const char* name : {"rml/v1/inference.proto", "google/rpc/status.proto", "google/rpc/error_details.proto",
                           "inference/grpc_service.proto", "inference/model_config.proto"}) {
    const FileDescriptor* released = released_.FindFileByName(name);
    ASSERT_NE(released, nullptr) << name;
    EXPECT_THAT(CompareAll(*released, *DescriptorPool::generated_pool()), testing::IsEmpty());
  }
}

TEST_F(WireCompatibilityTest, BreaksAreFound) {
  google::protobuf::FileDescriptorProto changed;
  released_.FindFileByName("rml/v1/inference.proto")->CopyTo(&changed);
  for (auto& message : *changed.mutable_message_type()) {
    if (message.name() != "Timing") continue;
    message.mutable_field(0)->set_number(9);
    message.mutable_field(1)->set_type(google::protobuf::FieldDescriptorProto::TYPE_FLOAT);
  }
  changed.mutable_service(0)->mutable_method()->RemoveLast();
  DescriptorPool pool;
  ASSERT_NE(pool.BuildFile(changed), nullptr);
  EXPECT_THAT(
      CompareAll(*released_.FindFileByName("rml/v1/inference.proto"), pool),
      testing::ElementsAre("rml.v1.Timing.queue_seconds is gone",
                           "rml.v1.Timing.compute_seconds was double; now rml.v1.Timing.compute_seconds is float",
                           "rml.v1.Inference.GetModel is gone or takes or gives something else"));
}

}  // namespace
}  // namespace rml
