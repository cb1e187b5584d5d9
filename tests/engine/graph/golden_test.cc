#include "engine/graph/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
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
    return MaxAbsError({DType::kF32, Shape{1}, &got}, {DType::kF32, Shape{1}, &want});
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
  EXPECT_EQ(MaxAbsError({DType::kI32, Shape{1}, &low}, {DType::kI32, Shape{1}, &high}), 4294967295.0);
}

TEST(MaxAbsError, EmptyTensorsAreEqual) {
  const ConstTensorView empty{DType::kF32, Shape{0, 3}, nullptr};
  EXPECT_EQ(MaxAbsError(empty, empty), 0);
}

// A golden file's outputs: f32[2] and i32[1].
Golden TwoOutputs(float a, float b, int32_t c) {
  const float floats[] = {a, b};
  Golden golden;
  golden.atol = 0.25;
  golden.rtol = 0.5;
  golden.outputs.push_back(Tensor::Copy({DType::kF32, Shape{2}, floats}));
  golden.outputs.push_back(Tensor::Copy({DType::kI32, Shape{1}, &c}));
  return golden;
}

TEST(CompareOutputs, EveryOutputHasAnErrorAndATolerance) {
  const Golden want = TwoOutputs(std::numeric_limits<float>::infinity(), -2, -8);
  const Golden got = TwoOutputs(std::numeric_limits<float>::infinity(), -1, -3);
  const auto errors = CompareOutputs(Views(got.outputs), want);
  ASSERT_TRUE(errors.ok()) << errors.status();
  ASSERT_EQ(errors->size(), 2u);
  EXPECT_EQ((*errors)[0].error, 1);
  EXPECT_EQ((*errors)[0].allowed, 0.25 + 0.5 * 2);  // the infinity does not count
  EXPECT_TRUE((*errors)[0].within());
  EXPECT_EQ((*errors)[1].error, 5);
  EXPECT_EQ((*errors)[1].allowed, 0.25 + 0.5 * 8);
  EXPECT_FALSE((*errors)[1].within());
}

TEST(CompareOutputs, WithoutAFiniteValueOnlyTheAbsoluteToleranceCounts) {
  const float nan = std::nanf("");
  const Golden want = TwoOutputs(nan, nan, 0);
  const auto errors = CompareOutputs(Views(TwoOutputs(nan, 0, 0).outputs), want);
  ASSERT_TRUE(errors.ok()) << errors.status();
  EXPECT_EQ((*errors)[0].allowed, 0.25);
  EXPECT_FALSE((*errors)[0].within());
  EXPECT_TRUE((*errors)[1].within());
}

TEST(CompareOutputs, RefusesOtherCountsTypesAndShapes) {
  const Golden want = TwoOutputs(0, 0, 0);
  std::vector<ConstTensorView> got = Views(want.outputs);
  const auto message = [&] { return std::string(CompareOutputs(got, want).status().message()); };
  std::swap(got[0], got[1]);
  EXPECT_EQ(message(), "output.0 is f32[2]; expected i32[1], as the model gives");
  std::swap(got[0], got[1]);
  got[0].shape = Shape{1};
  EXPECT_EQ(message(), "output.0 is f32[2]; expected f32[1], as the model gives");
  got.pop_back();
  EXPECT_EQ(message(), "has 2 outputs; expected 1, as the model has");
}

}  // namespace
}  // namespace rml
