// Single elementwise ops on f32 are fused programs of one instruction; i32 has its own loops (integer_step.h).
#include <array>
#include <string>
#include <utility>

#include "engine/ops/binary.h"
#include "engine/ops/fused_program.h"
#include "engine/ops/gelu.h"
#include "engine/ops/integer_step.h"
#include "engine/ops/unary.h"

namespace rml {
namespace {

struct NamedUnary {
  std::string_view op;
  UnaryFn KernelTable::* kernel;
};
constexpr auto kUnaries = std::to_array<NamedUnary>({{"neg", &KernelTable::neg},
                                                     {"abs", &KernelTable::abs},
                                                     {"sign", &KernelTable::sign},
                                                     {"floor", &KernelTable::floor},
                                                     {"ceil", &KernelTable::ceil},
                                                     {"round_even", &KernelTable::round_even},
                                                     {"exp", &KernelTable::exp},
                                                     {"log", &KernelTable::log},
                                                     {"expm1", &KernelTable::expm1},
                                                     {"log1p", &KernelTable::log1p},
                                                     {"sqrt", &KernelTable::sqrt},
                                                     {"rsqrt", &KernelTable::rsqrt},
                                                     {"reciprocal", &KernelTable::reciprocal},
                                                     {"sin", &KernelTable::sin},
                                                     {"cos", &KernelTable::cos},
                                                     {"tanh", &KernelTable::tanh},
                                                     {"sigmoid", &KernelTable::sigmoid},
                                                     {"erf", &KernelTable::erf},
                                                     {"erfc", &KernelTable::erfc},
                                                     {"relu", &KernelTable::relu}});

struct NamedBinary {
  std::string_view op;
  BinaryFns KernelTable::* kernel;
};
constexpr auto kBinaries = std::to_array<NamedBinary>({{"add", &KernelTable::add},
                                                       {"sub", &KernelTable::sub},
                                                       {"mul", &KernelTable::mul},
                                                       {"div", &KernelTable::div},
                                                       {"maximum", &KernelTable::maximum},
                                                       {"minimum", &KernelTable::minimum},
                                                       {"pow", &KernelTable::pow},
                                                       {"remainder", &KernelTable::remainder},
                                                       {"floor_div", &KernelTable::floor_div}});

DType InputType(const CompileContext& context) { return context.graph.values[context.node.inputs[0]].dtype; }

std::unique_ptr<Step> SingleStep(UnaryFn unary, const BinaryFns* binary) {
  FusedProgram program;
  program.num_inputs = binary != nullptr ? 2 : 1;
  program.num_outputs = 1;
  program.instructions.push_back({.unary = unary, .binary = binary, .a = {true, 0}, .b = {true, 1}, .output = 0});
  return MakeFusedStep(program);
}

}  // namespace

UnaryFn UnaryKernel(const KernelTable& kernels, const Node& node) {
  if (node.op == "gelu") {
    const OpAttrs attrs = *ResolveAttrs(*FindOp(node.op), node.attrs, 1);
    return attrs.String("approximate") == "tanh" ? kernels.gelu_tanh : kernels.gelu;
  }
  for (const NamedUnary& unary : kUnaries) {
    if (unary.op == node.op) return kernels.*unary.kernel;
  }
  return nullptr;
}

const BinaryFns* BinaryKernel(const KernelTable& kernels, std::string_view op) {
  for (const NamedBinary& binary : kBinaries) {
    if (binary.op == op) return &(kernels.*binary.kernel);
  }
  return nullptr;
}

UnaryFn PowKernel(const KernelTable& kernels, float exponent) {
  if (exponent == 2.0f) return kernels.square;
  if (exponent == 3.0f) return kernels.cube;
  if (exponent == -1.0f) return kernels.reciprocal;
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Step>> CompileUnary(const CompileContext& context) {
  if (InputType(context) == DType::kI32) return CompileInteger(context);
  return SingleStep(UnaryKernel(context.kernels, context.node), nullptr);
}

absl::StatusOr<std::unique_ptr<Step>> CompileGelu(const CompileContext& context) {
  return SingleStep(UnaryKernel(context.kernels, context.node), nullptr);
}

absl::StatusOr<std::unique_ptr<Step>> CompileBinary(const CompileContext& context) {
  if (InputType(context) == DType::kI32) return CompileInteger(context);
  const std::optional<ConstTensorView>& exponent = context.constants[1];
  if (context.node.op == "pow" && exponent && exponent->shape.num_elements() == 1) {
    // The same bits as inside a fused group. The exponent stays an operand, so that broadcasting follows its shape.
    if (UnaryFn special = PowKernel(context.kernels, *static_cast<const float*>(exponent->data))) {
      FusedProgram program{.num_inputs = 2, .num_outputs = 1};
      program.instructions.push_back({.unary = special, .a = {true, 0}, .output = 0});
      return MakeFusedStep(program);
    }
  }
  return SingleStep(nullptr, BinaryKernel(context.kernels, context.node.op));
}

}  // namespace rml
