#include "server/service/request_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rml/v1/inference.pb.h"

namespace rml {
namespace {

// The bytes in slices of at most `slice` bytes, as they come from the network.
grpc::ByteBuffer Bytes(const std::string& text, size_t slice = 7) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < text.size(); at += slice) slices.emplace_back(text.substr(at, slice));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

std::string Repeat(const std::string& text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST(RequestBytesTest, FillsTheMessageAndEmptiesTheBytes) {
  v1::RunRequest request;
  request.set_model(
      "gr\xC3\xB6\xC3\x9F"
      "e");
  request.add_inputs()->set_raw(std::string(100, '\xFF'));
  request.add_outputs("y");
  grpc::ByteBuffer bytes = Bytes(request.SerializeAsString());
  v1::RunRequest parsed;
  ASSERT_TRUE(ParseRequest(bytes, parsed).ok());
  EXPECT_EQ(parsed.SerializeAsString(), request.SerializeAsString());
  EXPECT_EQ(bytes.Length(), 0u);
}

TEST(RequestBytesTest, NothingIsAnEmptyRequest) {
  grpc::ByteBuffer bytes = Bytes("");
  v1::RunRequest parsed;
  EXPECT_TRUE(ParseRequest(bytes, parsed).ok());
}

TEST(RequestBytesTest, Refusals) {
  constexpr char kUnreadable[] =
      "the request is no rml.v1.RunRequest: its bytes cannot be parsed, or a string in it is not UTF-8";
  constexpr char kTooMany[] = "the request has more than 65536 inputs and outputs";
  const struct {
    const char* name;
    std::string bytes;
    const char* message;
  } kCases[] = {
      {"model not UTF-8", "\x0a\x02\xff\xfe", kUnreadable},
      {"name of an input not UTF-8", "\x22\x04\x0a\x02\xff\xfe", kUnreadable},
      {"output not UTF-8", "\x2a\x01\x80", kUnreadable},
      {"cut short", "\x0a\xff\x01m", kUnreadable},
      {"end of a group that never began", "\x0c", kUnreadable},
      {"groups without end", std::string(1 << 20, '\x7b'), kUnreadable},
      {"field number zero", std::string("\x00\x01", 2), kUnreadable},
      {"tag without end", std::string(20, '\xff'), kUnreadable},
      {"text", "model: \"mlp\"", kUnreadable},
      {"empty inputs", Repeat(std::string("\x22\x00", 2), kMaxRequestFields + 1), kTooMany},
      {"empty outputs", Repeat(std::string("\x2a\x00", 2), kMaxRequestFields + 1), kTooMany},
      {"unknown fields", Repeat(std::string("\x78\x01", 2), kMaxRequestFields + 1), kTooMany},
  };
  for (const auto& [name, text, message] : kCases) {
    SCOPED_TRACE(name);
    grpc::ByteBuffer bytes = Bytes(text, 4096);
    v1::RunRequest parsed;
    const absl::Status status = ParseRequest(bytes, parsed);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message);
  }
}

TEST(RequestBytesTest, AsManyFieldsAsAllowed) {
  grpc::ByteBuffer bytes = Bytes(Repeat(std::string("\x22\x00", 2), kMaxRequestFields), 4096);
  v1::RunRequest parsed;
  ASSERT_TRUE(ParseRequest(bytes, parsed).ok());
  EXPECT_EQ(parsed.inputs_size(), kMaxRequestFields);
}

}  // namespace
}  // namespace rml
