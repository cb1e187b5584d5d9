#include "client/cpp/tensor_message.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace rml {
namespace {

absl::StatusOr<Tensor> Read(const std::string& text) {
  v1::Tensor message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("name: 't' " + text, &message)) << text;
  return FromMessage(message);
}

TEST(TensorMessageTest, GoesThereAndBack) {
  Tensor tensor(DType::kI32, {2, 2});
  tensor.data<int32_t>()[3] = -7;
  v1::Tensor message;
  ToMessage("t", tensor.view(), message);
  EXPECT_EQ(message.name(), "t");
  const auto back = FromMessage(message);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->shape(), (Shape{2, 2}));
  EXPECT_THAT(back->data<int32_t>(), testing::ElementsAre(0, 0, 0, -7));
}

TEST(TensorMessageTest, ReadsListsScalarsAndEmptyTensors) {
  EXPECT_THAT(Read("dtype: F32 shape: [2] f32: [0.5, 1.5]")->data<float>(), testing::ElementsAre(0.5f, 1.5f));
  EXPECT_THAT(Read("dtype: I32 i32: [3]")->data<int32_t>(), testing::ElementsAre(3));
  EXPECT_EQ(Read("dtype: F32 shape: [0, 4]")->num_elements(), 0);
}

struct BadMessage {
  const char* name;
  const char* text;
  const char* message;
};

class BadMessageTest : public testing::TestWithParam<BadMessage> {};

TEST_P(BadMessageTest, SaysWhatIsWrong) {
  const auto tensor = Read(GetParam().text);
  ASSERT_FALSE(tensor.ok());
  EXPECT_THAT(std::string(tensor.status().message()), testing::HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMessageTest,
    testing::Values(
        BadMessage{"no_type", "shape: [1] raw: '1234'", "type number 0; expected F32 or I32"},
        BadMessage{"i64", "dtype: I64 i64: [1]", "type number 3"},
        BadMessage{"rank", "dtype: F32 shape: [1,1,1,1,1,1,1,1,1] raw: '1234'", "rank 9; expected at most 8"},
        BadMessage{"negative", "dtype: F32 shape: [-1] raw: '1234'", "-1"},
        BadMessage{"overflow", "dtype: F32 shape: [4611686018427387904, 4] raw: '1234'", "tensor 't'"},
        BadMessage{"huge", "dtype: F32 shape: [1000000000000] raw: '1234'", "4 bytes of elements"},
        BadMessage{"short", "dtype: F32 shape: [2] raw: '1234'", "4 bytes of elements; shape [2] needs 8"},
        BadMessage{"list", "dtype: I32 shape: [2] i32: [1, 2, 3]", "12 bytes of elements; shape [2] needs 8"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace rml
