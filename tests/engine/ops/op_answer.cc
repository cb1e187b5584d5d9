#include "tests/engine/ops/op_answer.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "engine/kernels/dispatch.h"
#include "engine/ops/op.h"
#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

std::vector<TensorType> Types(const std::vector<Literal>& literals) {
  std::vector<TensorType> types;
  for (const Literal& literal : literals) types.push_back({literal.dtype, literal.shape});
  return types;
}

absl::StatusOr<std::vector<TensorType>> Infer(const OpAnswer& answer) {
  const OpDef* op = FindOp(answer.op);
  const absl::StatusOr<OpAttrs> attrs = ResolveAttrs(*op, answer.attrs, 1);
  if (!attrs.ok()) return attrs.status();
  return op->infer(*attrs, Types(answer.inputs));
}

StepTest MakeStepTest(const OpAnswer& answer) {
  StepTest step(answer.op, answer.attrs);
  for (const Literal& input : answer.inputs) step.Input(input.ToTensor());
  return step;
}

// `view` of `source`, element by element.
Tensor Read(const Tensor& source, const View& view) {
  Tensor result(view.dtype, view.shape);
  for (int64_t i = 0; i < result.num_elements(); ++i) {
    int64_t offset = view.offset;
    int64_t rest = i;
    for (int d = view.shape.rank() - 1; d >= 0; --d) {
      offset += rest % view.shape.dim(d) * view.strides[d];
      rest /= view.shape.dim(d);
    }
    if (offset < 0 || offset >= source.num_elements()) {
      ADD_FAILURE() << "element " << i << " lies outside the input";
      return result;
    }
    result.data<int32_t>()[i] = source.data<int32_t>()[offset];
  }
  return result;
}

// For a view op: its output read through the view of a contiguous input. nullopt for other ops.
std::optional<Tensor> ReadThroughView(const OpAnswer& answer) {
  GraphBuilder builder;
  std::vector<ValueId> ids;
  for (const Literal& input : answer.inputs) {
    const absl::Span<const int64_t> dims = input.shape.dims();
    ids.push_back(builder.Input(absl::StrCat("x", ids.size()), {dims.begin(), dims.end()}, input.dtype));
  }
  builder.Node(answer.op, ids, answer.attrs);
  const Graph graph = builder.Build();
  const OpAttrs attrs = *ResolveAttrs(*FindOp(answer.op), answer.attrs, 1);
  const std::vector<std::optional<ConstTensorView>> constants(ids.size());
  const auto step = CompileOp({.graph = graph, .node = graph.nodes[0], .constants = constants, .attrs = attrs});
  if (!step.ok() || !(*step)->is_view()) return std::nullopt;
  const Tensor source = answer.inputs[0].ToTensor();
  const View contiguous = View::Contiguous({source.dtype(), source.shape()});
  const std::optional<View> view = (*step)->ViewOf(attrs, contiguous, answer.outputs[0].shape);
  if (view) return Read(source, *view);
  ADD_FAILURE() << "a contiguous input always has a view";
  return Tensor(source.dtype(), answer.outputs[0].shape);
}

void ExpectOutputs(const OpAnswer& answer, const absl::StatusOr<std::vector<Tensor>>& outputs) {
  if (!answer.run_error.empty()) {
    ASSERT_FALSE(outputs.ok());
    EXPECT_NE(outputs.status().ToString().find(answer.run_error), std::string::npos) << outputs.status();
    return;
  }
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("output ", i));
    ExpectClose((*outputs)[i], answer.outputs[i].ToTensor(), answer.tolerance);
  }
}

TEST_P(OpAnswerTest, TypesOrRefusal) {
  const OpAnswer& answer = GetParam();
  const absl::StatusOr<std::vector<TensorType>> types = Infer(answer);
  if (!answer.error.empty()) {
    ASSERT_FALSE(types.ok());
    EXPECT_EQ(std::string(types.status().message()), answer.error);
    return;
  }
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ(*types, Types(answer.outputs));
}

TEST_P(OpAnswerTest, ReferenceAnswers) {
  if (GetParam().error.empty()) ExpectOutputs(GetParam(), MakeStepTest(GetParam()).Reference());
}

TEST_P(OpAnswerTest, StepAnswersOnEveryInstructionSet) {
  const OpAnswer& answer = GetParam();
  if (!answer.error.empty()) return;
  if (std::optional<Tensor> read = ReadThroughView(answer)) {
    ExpectClose(*read, answer.outputs[0].ToTensor(), answer.tolerance);
    return;
  }
  const StepTest step = MakeStepTest(answer);
  for (const KernelTable* kernels : AvailableKernels()) {
    SCOPED_TRACE(kernels->isa);
    ExpectOutputs(answer, step.Run({.kernels = kernels}));
  }
}

}  // namespace

Tensor Literal::ToTensor() const {
  Tensor tensor(dtype, shape);
  if (static_cast<int64_t>(values.size()) != tensor.num_elements()) {
    ADD_FAILURE() << values.size() << " values for a literal of shape " << ToString(shape);
    return tensor;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::kF32) {
      tensor.data<float>()[i] = static_cast<float>(values[i]);
    } else {
      tensor.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return tensor;
}

OpAnswer Refusal(std::string op, std::string name, std::vector<Literal> inputs, Attrs attrs, std::string error) {
  return {.op = std::move(op),
          .name = std::move(name),
          .inputs = std::move(inputs),
          .attrs = std::move(attrs),
          .outputs = {},
          .error = std::move(error)};
}

std::ostream& operator<<(std::ostream& out, const OpAnswer& answer) { return out << answer.op << ' ' << answer.name; }

std::string NameOf(const testing::TestParamInfo<OpAnswer>& info) { return info.param.op + "_" + info.param.name; }

std::vector<OpAnswer> AllOpAnswers() {
  std::vector<OpAnswer> all;
  for (auto* answers :
       {&BinaryAnswers, &CompareAnswers,        &ConcatPadAnswers,  &Conv2dAnswers, &ConvTranspose2dAnswers,
        &GatherAnswers, &GatherElementsAnswers, &LayerNormAnswers,  &MatMulAnswers, &Pool2dAnswers,
        &ReduceAnswers, &Resize2dAnswers,       &ScatterAddAnswers, &ScanAnswers,   &SdpaAnswers,
        &SelectAnswers, &SoftmaxAnswers,        &TopKAnswers,       &UnaryAnswers,  &ViewAnswers}) {
    for (OpAnswer& answer : answers()) all.push_back(std::move(answer));
  }
  return all;
}

}  // namespace rml
