// The reference of each function of the op list is right to the last digit: it is what kernels, passes and random graphs
// are compared with. tests/exporter/reference/exact_values_test.py holds the exporter's reference against the same file.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/kernels/denormals.h"
#include "engine/ops/op.h"
#include "tests/engine/exact_values.h"
#include "tests/engine/kernels/accuracy/ulp.h"

namespace rml {
namespace {

// f64's last digit may turn a rounding that is nearly a tie.
constexpr double kCorrectlyRounded = 0.5001;

struct OpCall {
  std::string op;
  Attrs attrs;
  std::vector<float> inputs;
};

OpCall CallOf(const ExactValue& value) {
  if (value.function == "gelu_tanh") return {"gelu", {{"approximate", "tanh"}}, value.x};
  if (value.function == "square") return {"pow", {}, {value.x[0], 2}};
  if (value.function == "cube") return {"pow", {}, {value.x[0], 3}};
  return {value.function, {}, value.x};
}

float Reference(const OpCall& call) {
  const OpDef& op = *FindOp(call.op);
  std::vector<Tensor> tensors;
  std::vector<ConstTensorView> inputs;
  for (const float x : call.inputs) tensors.emplace_back(DType::kF32, Shape{}).data<float>()[0] = x;
  for (const Tensor& tensor : tensors) inputs.push_back(tensor.view());
  std::vector<Tensor> outputs;
  outputs.emplace_back(DType::kF32, Shape{});
  const ScopedFlushDenormals flush;
  EXPECT_TRUE(op.reference(*ResolveAttrs(op, call.attrs, 1), inputs, absl::MakeSpan(outputs)).ok());
  return outputs[0].data<float>()[0];
}

TEST(ReferenceAccuracy, IsCorrectlyRounded) {
  std::map<std::string, int> num_values;
  for (const ExactValue& value : ExactValues()) {
    const float got = Reference(CallOf(value));
    EXPECT_LE(UlpError(got, value.value), kCorrectlyRounded)
        << value.function << " of " << value.x[0] << " gave " << got;
    ++num_values[value.function];
  }
  EXPECT_EQ(num_values.size(), 22u);
}

}  // namespace
}  // namespace rml
