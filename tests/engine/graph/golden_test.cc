#include "engine/graph/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/graph/safetensors.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

using testing::HasSubstr;

const float kTwo[] = {1, 2};
const ConstTensorView kTensor{DType::kF32, Shape{2}, kTwo};

absl::StatusOr<Golden> Read(const std::vector<NamedTensor>& tensors,
                            const std::map<std::string, std::string>& metadata) {
  const TemporaryFolder folder;
  return ReadGolden(folder.Write("golden.safetensors", SerializeSafetensors(tensors, metadata)));
}

TEST(ReadGolden, TensorsByNumberAndTolerances) {
  const auto golden = Read({{"output.0", kTensor}, {"input.1", kTensor}, {"input.0", {DType::kI32, Shape{2, 1}, kTwo}}},
                           {{"atol", "1e-5"}, {"rtol", "0"}});
  ASSERT_TRUE(golden.ok()) << golden.status();
  ASSERT_EQ(golden->inputs.size(), 2u);
  EXPECT_EQ(golden->inputs[0].dtype(), DType::kI32);
  EXPECT_EQ(golden->outputs.size(), 1u);
  EXPECT_EQ(golden->atol, 1e-5);
  EXPECT_EQ(golden->rtol, 0);
}

TEST(ReadGolden, TolerancesHaveDefaults) {
  const auto golden = Read({{"output.0", kTensor}}, {});
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_EQ(golden->atol, 1e-4);
  EXPECT_EQ(golden->rtol, 1e-4);
}

TEST(ReadGolden, RefusesWhatItWouldOtherwiseIgnore) {
  const auto message = [](const auto& golden) { return std::string(golden.status().message()); };
  EXPECT_THAT(message(Read({{"input.0", kTensor}}, {})), HasSubstr("'golden.safetensors': has no tensor 'output.0'"));
  EXPECT_THAT(message(Read({{"output.0", kTensor}, {"output.2", kTensor}, {"logits", kTensor}}, {})),
              HasSubstr("has tensors 'output.2', 'logits'; expected only input.0"));
  for (const char* text : {"-1", "nan", "inf", "1e-4x", ""}) {
    EXPECT_THAT(message(Read({{"output.0", kTensor}}, {{"rtol", text}})), HasSubstr("metadata 'rtol' is")) << text;
  }
  const TemporaryFolder folder;
  EXPECT_TRUE(absl::IsNotFound(ReadGolden(folder.Path("golden.safetensors")).status()));
  const auto f64 = ReadGolden(
      folder.Write("g.safetensors",
                   SafetensorsBytes(R"({"output.0":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", "12345678")));
  EXPECT_THAT(message(f64), HasSubstr("tensor 'output.0' is F64; expected F32 or I32"));
}

TEST(MaxAbsError, SpecialValuesEqualOnlyThemselves) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  const auto error = [](float got, float want) {
    return MaxAbsError(Tensor::Copy({DType::kF32, Shape{1}, &got}), Tensor::Copy({DType::kF32, Shape{1}, &want}));
  };
  EXPECT_EQ(error(1, 1.5), 0.5);
  EXPECT_EQ(error(kInf, kInf), 0);
  EXPECT_EQ(error(nan, nan), 0);
  EXPECT_EQ(error(kInf, -kInf), kInf);
  EXPECT_EQ(error(nan, 1), kInf);
  EXPECT_EQ(error(1, nan), kInf);
  EXPECT_EQ(error(3e38f, -3e38f), 2.0 * double{3e38f});
}

TEST(MaxAbsError, IntegersAsNumbers) {
  const int32_t low = INT_MIN;
  const int32_t high = INT_MAX;
  EXPECT_EQ(MaxAbsError(Tensor::Copy({DType::kI32, Shape{1}, &low}), Tensor::Copy({DType::kI32, Shape{1}, &high})),
            4294967295.0);
}

TEST(MaxAbsError, EmptyTensorsAreEqual) {
  const Tensor empty(DType::kF32, Shape{0, 3});
  EXPECT_EQ(MaxAbsError(empty, empty), 0);
}

}  // namespace
}  // namespace rml
