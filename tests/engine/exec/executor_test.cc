#include "engine/exec/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/kernels/dispatch.h"
#include "engine/ops/reference.h"
#include "tests/engine/exec/fixtures.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

using testing::HasSubstr;

std::vector<Tensor> MustRun(const std::shared_ptr<const Program>& program, const std::vector<Tensor>& inputs,
                            int threads = 1) {
  auto outputs = RunOnce(program, inputs, threads);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? *std::move(outputs) : std::vector<Tensor>();
}

std::shared_ptr<const Program> MustCompile(const Graph& graph, const ProgramOptions& options = {}) {
  auto program = Program::Compile(graph, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *program : nullptr;
}

std::vector<Tensor> One(Tensor tensor) {
  std::vector<Tensor> tensors;
  tensors.push_back(std::move(tensor));
  return tensors;
}

// Fused and unfused, every instruction set, one thread and two: near the reference, and all of the same bits.
void ExpectAgreesWithReference(const Graph& graph, const std::vector<Tensor>& inputs, double tolerance = 2e-5) {
  const auto want = RunReference(graph, Views(inputs));
  ASSERT_TRUE(want.ok()) << want.status();
  std::set<std::string> digests;
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const bool fuse : {true, false}) {
      for (const int threads : {1, 2}) {
        const auto program = MustCompile(graph, {.fuse = fuse, .isa = kernels->isa});
        ASSERT_NE(program, nullptr);
        const std::vector<Tensor> got = MustRun(program, inputs, threads);
        ASSERT_EQ(got.size(), want->size());
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i].shape(), (*want)[i].shape());
          EXPECT_LE(MaxAbsError(got[i].view(), (*want)[i].view()), tolerance)
              << kernels->isa << (fuse ? " fused" : " unfused");
        }
        digests.insert(BitsDigest(got));
      }
    }
  }
  EXPECT_EQ(digests.size(), 1u) << "bits differ between instruction sets, threads or fusion";
}

TEST(Executor, RunsALinearLayer) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 3});
  const ValueId h = b.Node("matmul", {x, b.Constant({3, 2}, {1, 2, 3, 4, 5, 6})});
  b.Output(b.Node("relu", {b.Node("add", {h, b.Constant({2}, {-30, 1})})}));
  Tensor input(DType::kF32, {2, 3});
  const std::vector<float> values = {1, 2, 3, -1, -2, -3};
  std::copy(values.begin(), values.end(), input.data<float>().begin());
  const auto outputs = MustRun(MustCompile(b.Build()), One(std::move(input)));
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_THAT(outputs[0].data<float>(), testing::ElementsAre(0, 29, 0, 0));
}

TEST(Executor, ViewsOfViewsAgreeWithTheReference) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {4, 6, 5});
  const ValueId t = b.Node("transpose", {x}, {{"perm", Ints({2, 0, 1})}});
  const ValueId s =
      b.Node("slice", {t},
             {{"axes", Ints({0, 2})}, {"starts", Ints({4, 1})}, {"ends", Ints({-9, 6})}, {"steps", Ints({-2, 2})}});
  const ValueId r = b.Node("reshape", {s}, {{"shape", Ints({-1, 3})}});
  const ValueId w =
      b.Node("broadcast_to", {b.Node("unsqueeze", {r}, {{"axes", Ints({0})}})}, {{"shape", Ints({2, 12, 3})}});
  b.Output(b.Node("exp", {w})).Output(t).Output(s).Output(w).Output(t);
  ExpectAgreesWithReference(b.Build(), One(RandomTensor({4, 6, 5}, 1)));
}

TEST(Executor, OutputsThatRepeatOrAreViewsHaveMemoryOfTheirOwn) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {2, 2});
  const ValueId y = b.Node("neg", {x});
  b.Output(y).Output(y).Output(b.Node("transpose", {y}, {{"perm", Ints({1, 0})}}));
  const auto outputs = MustRun(MustCompile(b.Build()), One(RandomTensor({2, 2}, 2)));
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_NE(outputs[0].raw(), outputs[1].raw());
  EXPECT_EQ(outputs[0].data<float>()[1], outputs[2].data<float>()[2]);
  EXPECT_EQ(outputs[1].data<float>()[1], outputs[0].data<float>()[1]);
}

TEST(Executor, InPlaceReuseKeepsValuesThatAreReadLater) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {3, 700});
  const ValueId a = b.Node("exp", {x});
  const ValueId c = b.Node("softmax", {a}, {{"axis", Dim(1)}});
  const ValueId d = b.Node("sin", {c});
  const ValueId e = b.Node("softmax", {d}, {{"axis", Dim(1)}});
  b.Output(b.Node("add", {b.Node("mul", {e, c}), a}));
  ExpectAgreesWithReference(b.Build(), One(RandomTensor({3, 700}, 3)));
}

TEST(Executor, EmptyTensorsRunThrough) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {0, 3});
  const ValueId y = b.Node("matmul", {x, b.RandomConstant({3, 4})});
  b.Output(b.Node("relu", {y})).Output(b.Node("reduce_sum", {y}, {{"axes", Ints({0})}}));
  ExpectAgreesWithReference(b.Build(), One(Tensor(DType::kF32, {0, 3})));
}

TEST(Executor, SpecialValuesPropagate) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {19});
  const ValueId y = b.Node("relu", {x});
  b.Output(b.Node("maximum", {b.Node("mul", {y, b.Scalar(2)}), b.Scalar(0)})).Output(b.Node("tanh", {x}));
  Tensor input(DType::kF32, {19});
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> special = {NAN, inf, -inf, 0.0f, -0.0f, 1e-40f, -1e-40f, 3e38f};
  for (size_t i = 0; i < 19; ++i) input.data<float>()[i] = special[i % special.size()];
  ExpectAgreesWithReference(b.Build(), One(std::move(input)));
}

TEST(Executor, PowWithAConstantExponentAgreesWithTheReference) {
  GraphBuilder b;
  const ValueId x = b.Node("abs", {b.Input("x", {3, 41})});
  for (float exponent : {2.0f, 3.0f, -1.0f, 0.5f, -0.5f, 1.0f, 0.0f, 2.5f}) {
    b.Output(b.Node("pow", {b.Node("add", {x, b.Scalar(0.5f)}), b.Scalar(exponent)}));
  }
  ExpectAgreesWithReference(b.Build(), One(RandomTensor({3, 41}, 8)));
}

TEST(Executor, SubnormalConstantsCountAsZeros) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {1});
  b.Output(b.Node("mul", {x, b.Constant({1}, {1e-40f})}));
  Tensor input(DType::kF32, {1});
  input.data<float>()[0] = 1e30f;
  EXPECT_EQ(MustRun(MustCompile(b.Build()), One(std::move(input)))[0].data<float>()[0], 0.0f);
}

TEST(Executor, OneProgramServesAnyRowCount) {
  GraphBuilder b;
  b.Symbolic(1, 1000);
  const ValueId x = b.Input("x", {Dim::TimesB(1), 5, 4}, DType::kF32, true);
  const ValueId flat = b.Node("reshape", {x}, {{"shape", Ints({Dim::TimesB(5), 4})}});
  const ValueId h =
      b.Node("gelu", {b.Node("add", {b.Node("matmul", {flat, b.RandomConstant({4, 33})}), b.RandomConstant({33})})});
  const ValueId y = b.Node("reshape", {h}, {{"shape", Ints({Dim::TimesB(1), 165})}});
  b.Output(b.Node("softmax", {y}, {{"axis", Dim(1)}}), "y", true);
  const Graph graph = b.Build();
  const auto program = MustCompile(graph);
  ASSERT_NE(program, nullptr);
  const auto executor = Executor::Create(program, {.max_plans = 2});
  ASSERT_TRUE(executor.ok()) << executor.status();
  const Tensor all = RandomTensor({17, 5, 4}, 4);
  std::vector<Tensor> whole;
  ASSERT_TRUE((*executor)->Run({all.view()}, whole).ok());
  for (const int64_t rows : {1, 2, 3, 7, 17}) {
    std::vector<Tensor> part;
    ASSERT_TRUE((*executor)->Run({{DType::kF32, {rows, 5, 4}, all.raw()}}, part).ok()) << rows;
    ASSERT_EQ(part[0].shape(), (Shape{rows, 165}));
    for (int64_t i = 0; i < rows * 165; ++i) {
      ASSERT_EQ(part[0].data<float>()[i], whole[0].data<float>()[i]) << "row count " << rows << " element " << i;
    }
  }
}

TEST(Executor, AGatherIndexOutOfRangeIsAnErrorAndTheNextRunWorks) {
  GraphBuilder b;
  const ValueId ids = b.Input("ids", {2}, DType::kI32);
  b.Output(
      b.Node("gather", {b.RandomConstant({5, 3}), ids}, {{"axis", Dim(0)}, {"mode", std::string("error")}}, "embed"));
  const auto executor = Executor::Create(MustCompile(b.Build()));
  ASSERT_TRUE(executor.ok());
  Tensor input(DType::kI32, {2});
  std::vector<Tensor> outputs;
  input.data<int32_t>()[1] = 7;
  const absl::Status status = (*executor)->Run({input.view()}, outputs);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'embed' (gather)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("7"));
  input.data<int32_t>()[1] = 4;
  EXPECT_TRUE((*executor)->Run({input.view()}, outputs).ok());
}

TEST(Executor, StopsForACancelledCallerAndAPassedDeadline) {
  GraphBuilder b;
  b.Output(b.Node("exp", {b.Input("x", {4})}));
  const auto executor = Executor::Create(MustCompile(b.Build()));
  ASSERT_TRUE(executor.ok());
  const Tensor input = RandomTensor({4}, 1);
  std::vector<Tensor> outputs;
  const std::atomic<bool> cancelled{true};
  EXPECT_TRUE(absl::IsCancelled((*executor)->Run({input.view()}, outputs, {.cancelled = &cancelled})));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      (*executor)->Run({input.view()}, outputs, {.deadline = std::chrono::steady_clock::now()})));
  EXPECT_TRUE((*executor)->Run({input.view()}, outputs).ok());
}

TEST(Executor, ProfileCoversEveryStepOnce) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {64, 64});
  const ValueId y = b.Node("matmul", {x, x});
  b.Output(b.Node("softmax", {b.Node("transpose", {y}, {{"perm", Ints({1, 0})}})}, {{"axis", Dim(1)}}));
  const auto executor = Executor::Create(MustCompile(b.Build()));
  ASSERT_TRUE(executor.ok());
  const auto info = (*executor)->step_info();
  ASSERT_TRUE(info.ok());
  ASSERT_EQ(info->size(), 3u);
  EXPECT_EQ((*info)[0].label, "matmul");
  EXPECT_EQ((*info)[0].flops, 2.0 * 64 * 64 * 64);
  EXPECT_EQ((*info)[1].kernel, "view");
  EXPECT_EQ((*info)[2].outputs[0], (Shape{64, 64}));
  const Tensor input = RandomTensor({64, 64}, 5);
  std::vector<Tensor> outputs;
  std::vector<double> seconds;
  ASSERT_TRUE((*executor)->RunProfiled({input.view()}, outputs, seconds).ok());
  ASSERT_EQ(seconds.size(), 3u);
  EXPECT_GT(seconds[0], 0);
  EXPECT_EQ(seconds[1], 0);
  EXPECT_GT(seconds[2], 0);
}

TEST(Executor, RecycledOutputsAreUsedAgain) {
  GraphBuilder b;
  b.Output(b.Node("exp", {b.Input("x", {1000})}));
  const auto executor = Executor::Create(MustCompile(b.Build()));
  ASSERT_TRUE(executor.ok());
  const Tensor input = RandomTensor({1000}, 6);
  std::vector<Tensor> outputs;
  ASSERT_TRUE((*executor)->Run({input.view()}, outputs).ok());
  const void* memory = outputs[0].raw();
  (*executor)->Recycle(outputs);
  std::vector<Tensor> others;
  ASSERT_TRUE((*executor)->Run({input.view()}, others).ok());
  EXPECT_EQ(others[0].raw(), memory);
}

TEST(Executor, AnOutputThatIsTooSmallIsKeptForLater) {
  GraphBuilder b;
  b.Symbolic(1, 8);
  b.Output(b.Node("exp", {b.Input("x", {Dim::TimesB(1), 1000}, DType::kF32, true)}), "y", true);
  const auto executor = Executor::Create(MustCompile(b.Build()));
  ASSERT_TRUE(executor.ok());
  const Tensor one = RandomTensor({1, 1000}, 7), two = RandomTensor({2, 1000}, 8);
  std::vector<Tensor> outputs;
  ASSERT_TRUE((*executor)->Run({one.view()}, outputs).ok());
  const void* memory = outputs[0].raw();
  ASSERT_TRUE((*executor)->Run({two.view()}, outputs).ok());
  ASSERT_NE(outputs[0].raw(), memory);
  std::vector<Tensor> others;
  ASSERT_TRUE((*executor)->Run({one.view()}, others).ok());
  EXPECT_EQ(others[0].raw(), memory);
}

}  // namespace
}  // namespace rml
