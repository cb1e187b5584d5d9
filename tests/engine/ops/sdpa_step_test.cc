#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Tolerance kTolerance{2e-6, 2e-6};

struct Case {
  Shape q, k, v;
};

std::vector<Case> Cases() {
  return {{{1, 1}, {1, 1}, {1, 1}},
          {{5, 7}, {3, 7}, {3, 4}},
          {{2, 5, 7}, {2, 5, 7}, {2, 5, 7}},
          {{2, 3, 17, 8}, {2, 3, 19, 8}, {2, 3, 19, 5}},
          {{2, 2, 1, 16}, {2, 2, 16, 16}, {2, 2, 16, 16}},
          {{1, 2, 70, 300}, {1, 2, 33, 300}, {1, 2, 33, 20}},
          {{0, 4, 8}, {0, 4, 8}, {0, 4, 8}},
          {{2, 0, 8}, {2, 4, 8}, {2, 4, 8}},
          {{2, 3, 8}, {2, 0, 8}, {2, 0, 8}},
          {{2, 3, 0}, {2, 4, 0}, {2, 4, 8}},
          {{2, 3, 8}, {2, 4, 8}, {2, 4, 0}},
          {{1, 100, 16}, {1, 5000, 16}, {1, 5000, 8}}};
}

Attrs SdpaAttrs(const Case& c, bool causal) {
  return {{"scale", 1 / std::sqrt(std::max<double>(1, static_cast<double>(c.q.dim(-1))))}, {"causal", causal}};
}

StepTest Attention(TestData& data, const Case& c, bool causal) {
  StepTest test("sdpa", SdpaAttrs(c, causal));
  test.Input(data.Uniform(c.q, -2, 2)).Input(data.Uniform(c.k, -2, 2)).Input(data.Uniform(c.v));
  return test;
}

TEST(SdpaStep, ShapesWithAndWithoutCausalMask) {
  TestData data;
  for (const Case& c : Cases()) {
    for (bool causal : {false, true}) {
      SCOPED_TRACE(ToString(c.q) + ToString(c.k) + ToString(c.v) + (causal ? " causal" : ""));
      Attention(data, c, causal).Check(kTolerance);
    }
  }
}

TEST(SdpaStep, MasksOfEveryBroadcast) {
  TestData data;
  const Case c{{2, 3, 17, 8}, {2, 3, 19, 8}, {2, 3, 19, 5}};
  for (const Shape& mask : {Shape{}, Shape{19}, Shape{17, 19}, Shape{17, 1}, Shape{1, 1, 17, 19}, Shape{2, 1, 1, 19},
                            Shape{2, 3, 17, 19}, Shape{3, 1, 1}}) {
    for (bool causal : {false, true}) {
      SCOPED_TRACE(ToString(mask));
      Attention(data, c, causal).Input(data.Uniform(mask)).Check(kTolerance);
    }
  }
}

TEST(SdpaStep, MaskedRowsGiveZeros) {
  TestData data;
  const Case c{{3, 4}, {5, 4}, {5, 2}};
  Tensor mask = data.Uniform({3, 5});
  for (int64_t j = 0; j < 5; ++j) mask.data<float>()[5 + j] = -kInfinity;
  mask.data<float>()[2] = -kInfinity;
  StepTest test = Attention(data, c, false);
  test.Input(std::move(mask));
  test.Check(kTolerance);
  const auto y = test.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  for (int64_t d = 0; d < 2; ++d) EXPECT_EQ((*y)[0].data<float>()[2 + d], 0.0f);
}

TEST(SdpaStep, CausalIsAlignedTopLeft) {
  // One query sees the first key only, however many keys there are.
  StepTest test("sdpa", {{"scale", 1.0}, {"causal", true}});
  test.Input(F32({1, 1}, {1})).Input(F32({3, 1}, {1, 2, 3})).Input(F32({3, 1}, {10, 20, 30}));
  const auto y = test.Run({.kernels = AvailableKernels().back()});
  ASSERT_TRUE(y.ok()) << y.status();
  ExpectSameBits((*y)[0], F32({1, 1}, {10}));
}

TEST(SdpaStep, NanInAQueryStaysInItsRow) {
  TestData data;
  const Case c{{3, 4}, {5, 4}, {5, 2}};
  Tensor q = data.Uniform(c.q);
  q.data<float>()[5] = std::nanf("");
  StepTest test("sdpa", SdpaAttrs(c, false));
  test.Input(std::move(q)).Input(data.Uniform(c.k)).Input(data.Uniform(c.v));
  test.Check(kTolerance);
}

TEST(SdpaStep, RowsDoNotDependOnTheBatch) {
  TestData data;
  const Case c{{4, 3, 65, 32}, {4, 3, 65, 32}, {4, 3, 65, 32}};
  for (bool causal : {false, true}) Attention(data, c, causal).CheckRowsAlone({0, 1, 2});
}

TEST(SdpaStep, ReadsRowsThroughViews) {
  TestData data;
  const StepTest test = Attention(data, {{2, 5, 7}, {2, 5, 7}, {2, 5, 7}}, false);
  for (int input : {0, 1, 2}) {
    EXPECT_TRUE(test.ReadsInPlace(input, Layout::kGaps));
    EXPECT_FALSE(test.ReadsInPlace(input, Layout::kStepped));
  }
}

}  // namespace
}  // namespace rml
