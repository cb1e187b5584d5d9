// Elementwise programs: a run of elementwise ops with one output shape as one pass over memory.
//
//   for each tile of up to 512 elements:  t0 = f0(in...)   t1 = f1(t0, in...)   out = f2(t1, t0)   ...
//
// Intermediates live in tile buffers that stay in L1; only values read outside the program are written. An input is the
// full output, or repeats along axes of size 1 (a row per row, one value per row, a scalar); any view whose innermost
// axis lies densely in memory, or repeats, is read in place. Tiles are 512 floats = 2 KiB, so that a dozen live ones fit
// a 32 KiB L1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/kernels/kernel_table.h"
#include "engine/ops/step.h"

namespace rml {

// What an instruction reads: an earlier instruction's result, or an input of the program.
struct FusedOperand {
  bool is_input = false;
  int index = 0;
};

// One op. Unary has `unary` set; binary has `binary` set; a copy neither.
struct FusedInstruction {
  UnaryFn unary = nullptr;
  const BinaryFns* binary = nullptr;
  FusedOperand a{};
  FusedOperand b{};
  int output = -1;  // of the program; -1: only read inside it
};

struct FusedProgram {
  std::vector<FusedInstruction> instructions{};
  int num_inputs = 0;
  int num_outputs = 0;
};

inline constexpr int kMaxFusedInstructions = 48;

// A step with the program's inputs and outputs as operands. Requires at most kMaxFusedInstructions, operands that refer
// to earlier instructions, and every output written once.
std::unique_ptr<Step> MakeFusedStep(const FusedProgram& program);

// The kernel for a one-input op on f32, nullptr if there is none. The node has been checked.
UnaryFn UnaryKernel(const KernelTable& kernels, const Node& node);
// The kernel for a two-input arithmetic op or pow on f32, nullptr if there is none.
const BinaryFns* BinaryKernel(const KernelTable& kernels, std::string_view op);
// The kernel for pow(x, exponent) with the exponents 2, 3 and -1, which round no more than twice; nullptr otherwise.
// pow(x, 1) is a copy.
UnaryFn PowKernel(const KernelTable& kernels, float exponent);

}  // namespace rml
