// The references against right answers: the inputs that engines are known to get wrong.
#include "engine/ops/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Known {
  const char* name;
  const char* op;
  std::vector<Shape> shapes;
  std::vector<std::vector<float>> inputs;
  Attrs attrs;
  std::vector<float> want;
  double tolerance;  // relative to 1 or to the value, whichever is larger; 0: equal
};

std::vector<float> Answer(const Known& known) {
  GraphBuilder b;
  std::vector<ValueId> ids;
  std::vector<Tensor> tensors;
  std::vector<ConstTensorView> views;
  for (size_t i = 0; i < known.inputs.size(); ++i) {
    ids.push_back(b.Input(absl::StrCat("x", i), {known.shapes[i].dims().begin(), known.shapes[i].dims().end()}));
    tensors.emplace_back(DType::kF32, known.shapes[i]);
    std::copy(known.inputs[i].begin(), known.inputs[i].end(), tensors.back().data<float>().begin());
  }
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  b.Output(b.Node(known.op, ids, known.attrs));
  const auto outputs = RunReference(b.Build(), views);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  const auto data = (*outputs)[0].data<float>();
  return {data.begin(), data.end()};
}

class KnownAnswerTest : public testing::TestWithParam<Known> {};

TEST_P(KnownAnswerTest, IsGiven) {
  const Known& known = GetParam();
  const std::vector<float> got = Answer(known);
  ASSERT_EQ(got.size(), known.want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(known.want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    } else if (known.tolerance == 0 || std::isinf(known.want[i])) {
      EXPECT_EQ(got[i], known.want[i]) << i;
    } else {
      EXPECT_NEAR(got[i], known.want[i], known.tolerance * std::fabs(known.want[i])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Reference, KnownAnswerTest,
    testing::Values(
        Known{"GeluTail",
              "gelu",
              {{5}},
              {{-10, -6, -5, -4, 3}},
              {},
              {-7.61985e-23f, -5.91953e-9f, -1.43326e-6f, -1.26685e-4f, 2.9959502f},
              1e-4},
        Known{"SigmoidTail", "sigmoid", {{4}}, {{-18, 20, -100, 100}}, {}, {1.522998e-8f, 1, 0, 1}, 1e-4},
        Known{"MaximumKeepsNaN", "maximum", {{3}, {3}}, {{kNan, 1, 2}, {0, kNan, 3}}, {}, {kNan, kNan, 3}, 0},
        Known{"ReluKeepsNaN", "relu", {{3}}, {{kNan, -kInf, kInf}}, {}, {kNan, 0, kInf}, 0},
        Known{"ClampPassesNaNAndPrefersMax",
              "clamp",
              {{3}},
              {{kNan, 5, -5}},
              {{"min", 2.0}, {"max", 1.0}},
              {kNan, 1, 1},
              0},
        Known{"ComparisonsWithNaN", "ne", {{2}, {2}}, {{kNan, 1}, {kNan, 1}}, {}, {1, 0}, 0},
        Known{"WhereDoesNotLeak", "where", {{2}, {2}, {2}}, {{1, 0}, {3, kNan}, {kInf, 4}}, {}, {3, 4}, 0},
        Known{"PowToZeroIsOne", "pow", {{4}, {4}}, {{kNan, 0, -2, -2}, {0, 0, 3, 0.5f}}, {}, {1, 1, -8, kNan}, 0},
        Known{"SoftmaxAllMasked", "softmax", {{1, 2}}, {{-kInf, -kInf}}, {{"axis", Dim(1)}}, {kNan, kNan}, 0},
        Known{"LayerNormLargeMean",
              "layer_norm",
              {{1, 4}},
              {{40000, 40001, 40002, 40003}},
              {{"axes", Ints({1})}, {"eps", 1e-5}},
              {-1.341636f, -0.447212f, 0.447212f, 1.341636f},
              1e-5},
        Known{"LayerNormConstantRow",
              "layer_norm",
              {{1, 2}, {2}, {2}},
              {{1234, 1234}, {3, 3}, {5, 6}},
              {{"axes", Ints({1})}, {"eps", 1e-5}},
              {5, 6},
              0},
        Known{"LayerNormHuge",
              "layer_norm",
              {{1, 2}},
              {{1e30f, -1e30f}},
              {{"axes", Ints({1})}, {"eps", 1e-5}},
              {1, -1},
              1e-6},
        Known{"MaxPoolPaddingIsNotZero",
              "max_pool2d",
              {{1, 1, 2, 2}},
              {{-1, -2, -3, kNan}},
              {{"kernel", Ints({2, 2})}, {"strides", Ints({1, 1})}, {"pads", Ints({1, 1, 0, 0})}},
              {-1, -1, -1, kNan},
              0},
        Known{"AvgPoolCeilDivisor",
              "avg_pool2d",
              {{1, 1, 4, 4}},
              {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
              {{"kernel", Ints({3, 3})}, {"strides", Ints({2, 2})}, {"pads", Ints({1, 1, 1, 1})}, {"ceil_mode", true}},
              {1.5555556f, 3.3333333f, 2, 6.3333333f, 11, 6, 4.5f, 7.5f, 4},
              1e-6},
        Known{"SdpaMaskedRowIsZero",
              "sdpa",
              {{1, 1}, {2, 1}, {2, 1}, {1, 2}},
              {{1}, {1, 2}, {3, 4}, {-kInf, -kInf}},
              {{"scale", 1.0}},
              {0},
              0},
        Known{"SdpaCausalIsTopLeft",
              "sdpa",
              {{1, 1}, {3, 1}, {3, 1}},
              {{1}, {1, 2, 3}, {7, 8, 9}},
              {{"scale", 1.0}, {"causal", true}},
              {7},
              0},
        Known{"SdpaScaleCounts",
              "sdpa",
              {{1, 1}, {2, 1}, {2, 1}},
              {{1}, {0, 1}, {0, 1}},
              {{"scale", 2.0}},
              {0.8807971f},
              1e-6},
        Known{"EmptyMax", "reduce_max", {{2, 0}}, {{}}, {{"axes", Ints({1})}}, {-kInf, -kInf}, 0},
        Known{"EmptySum", "reduce_sum", {{2, 0}}, {{}}, {{"axes", Ints({1})}}, {0, 0}, 0},
        Known{"EmptyProduct", "matmul", {{1, 0}, {0, 2}}, {{}, {}}, {}, {0, 0}, 0},
        Known{"TopKTiesAndNaN",
              "top_k",
              {{5}},
              {{1, kNan, 3, 3, -kInf}},
              {{"k", Dim(3)}, {"axis", Dim(0)}},
              {kNan, 3, 3},
              0}),
    [](const auto& test) { return test.param.name; });

TEST(Reference, IntegerDivisionNeverTraps) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {5}, DType::kI32);
  const ValueId y = b.Input("y", {5}, DType::kI32);
  b.Output(b.Node("div", {x, y})).Output(b.Node("mul", {x, x}));
  const Tensor a = I32({5}, {-7, 7, 5, INT32_MIN, INT32_MAX});
  const Tensor d = I32({5}, {2, -2, 0, -1, 1});
  const auto outputs = RunReference(b.Build(), {a.view(), d.view()});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ExpectSameBits((*outputs)[0], I32({5}, {-3, -3, -1, INT32_MIN, INT32_MAX}));
  ExpectSameBits((*outputs)[1], I32({5}, {49, 49, 25, 0, 1}));
}

TEST(Reference, CastSaturatesAndMakesNaNZero) {
  GraphBuilder b;
  b.Output(b.Node("cast", {b.Input("x", {5})}, {{"to", std::string("i32")}}));
  const Tensor x = F32({5}, {kNan, kInf, -kInf, -2.9f, 3e9f});
  const auto outputs = RunReference(b.Build(), {x.view()});
  ASSERT_TRUE(outputs.ok());
  ExpectSameBits((*outputs)[0], I32({5}, {0, INT32_MAX, INT32_MIN, -2, INT32_MAX}));
}

TEST(Reference, GatherFollowsItsMode) {
  const Tensor ids = I32({4}, {-1, 0, 2, 5});
  const auto run = [&](const std::string& mode, bool wrap) {
    GraphBuilder b;
    const ValueId data = b.Constant({3}, {10, 20, 30});
    b.Output(
        b.Node("gather", {data, b.Input("ids", {4}, DType::kI32)}, {{"axis", Dim(0)}, {"mode", mode}, {"wrap", wrap}}));
    return RunReference(b.Build(), {ids.view()});
  };
  ExpectSameBits((*run("clamp", false))[0], F32({4}, {10, 10, 30, 30}));
  ExpectSameBits((*run("clamp", true))[0], F32({4}, {30, 10, 30, 30}));
  ExpectSameBits((*run("fill", false))[0], F32({4}, {kNan, 10, 30, kNan}));
  EXPECT_EQ(run("error", false).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rml
