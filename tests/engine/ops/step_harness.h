// Runs one op's compiled step alone and holds it against its reference and against itself.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/graph/graph.h"
#include "engine/kernels/dispatch.h"
#include "engine/ops/op.h"
#include "engine/ops/step.h"
#include "tests/engine/tolerance.h"

namespace rml {

// Seeded test data. While one lives, failures print its seed.
class TestData {
 public:
  explicit TestData(uint32_t seed = 20240611)
      : trace_(__FILE__, __LINE__, "seed " + std::to_string(seed)), random_(seed) {}

  Tensor Uniform(const Shape& shape, float lo = -1, float hi = 1);
  Tensor WholeNumbers(const Shape& shape, int lo = -4, int hi = 4);  // f32
  Tensor Specials(const Shape& shape);                               // uniform, with NaN, inf, zeros, subnormals
  Tensor Integers(const Shape& shape, int32_t lo, int32_t hi);       // i32

 private:
  testing::ScopedTrace trace_;
  std::mt19937 random_;
};

Tensor F32(const Shape& shape, std::initializer_list<float> values);
Tensor I32(const Shape& shape, std::initializer_list<int32_t> values);
AttrValue IntsAttr(std::initializer_list<int64_t> values);
AttrValue IntAttr(int64_t value);
AttrValue StringAttr(std::string value);

// Values equal within `tolerance`, i32 exactly; and equal bit by bit, any NaN being equal to any other.
void ExpectClose(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance);
void ExpectSameBits(const Tensor& actual, const Tensor& expected);

// How an input lies in memory for a run.
enum class Layout : uint8_t {
  kDense,
  kGaps,        // rows further apart than they are long
  kTransposed,  // the first axis is innermost
  kStepped,     // every second element
  kFlipped,     // every axis backwards
};

class StepTest {
 public:
  StepTest(std::string op, Attrs attrs) : op_(std::move(op)), attrs_(std::move(attrs)) {}

  StepTest& Input(Tensor tensor);
  StepTest& Constant(Tensor tensor);
  // Instead of the op list's compiler.
  StepTest& CompileWith(std::function<absl::StatusOr<std::unique_ptr<Step>>(const CompileContext&)> compile);

  // The same test without its last input.
  StepTest WithoutLastInput() const;

  // The step agrees with the reference, and has the same bits on every instruction set, with 1 and 2 threads, for every
  // layout of each input, with constants as inputs, and written over an input where the step allows that. Nothing
  // outside the outputs and the scratch is written.
  void Check(const Tolerance& tolerance) const;

  // Row i of output 0 has the same bits when the inputs in `batched` are reduced to their row i.
  void CheckRowsAlone(std::initializer_list<int> batched) const;

  struct RunOptions {
    const KernelTable* kernels = nullptr;
    int width = 1;
    int strided_input = -1;  // the one with `layout`, if the step reads that in place
    Layout layout = Layout::kDense;
    bool constants_as_inputs = false;
    int overwritten_input = -1;  // output 0 lies over it
  };
  // The outputs, or the error of the first stage that failed.
  absl::StatusOr<std::vector<Tensor>> Run(const RunOptions& options) const;
  absl::StatusOr<std::vector<Tensor>> Reference() const;
  // Whether the step reads input `index` in that layout without a copy.
  bool ReadsInPlace(int index, Layout layout) const;

 private:
  struct Operand {
    Tensor tensor;
    bool constant = false;
  };
  struct Compiled;
  absl::StatusOr<Compiled> Compile(const KernelTable& kernels, bool constants_as_inputs) const;

  std::string op_;
  Attrs attrs_;
  std::vector<Operand> inputs_;
  std::function<absl::StatusOr<std::unique_ptr<Step>>(const CompileContext&)> compile_ = &CompileOp;
};

}  // namespace rml
