// f32 sums run in f64 in the order of the axis, one rounding to f32 for each result: the order is the contract, so
// columns are walked side by side, never cut.
#include <array>
#include <memory>

#include "engine/ops/axis_columns.h"
#include "engine/ops/cumsum.h"

namespace rml {
namespace {

struct SumForm {
  bool exclusive = false;
  bool reverse = false;
};

template <typename T, typename Sum>
void SumBlock(const AxisColumns& columns, int64_t y_step, SumForm form, const AxisColumns::Block& block,
              const void* input, void* output) {
  const T* x = static_cast<const T*>(input) + block.x;
  T* y = static_cast<T*>(output) + block.y;
  std::array<Sum, AxisColumns::kMaxBlock> sums{};
  for (int64_t k = 0; k < columns.length(); ++k) {
    const int64_t i = form.reverse ? columns.length() - 1 - k : k;
    const T* terms = x + i * columns.step();
    T* results = y + i * y_step;
    for (int64_t c = 0; c < block.count; ++c) {
      const Sum before = sums[c];
      sums[c] = before + static_cast<Sum>(terms[c * columns.x_stride()]);
      results[c * columns.y_stride()] = static_cast<T>(form.exclusive ? before : sums[c]);
    }
  }
}

class BoundCumsum : public BoundStep {
 public:
  BoundCumsum(SumForm form, int axis, const BindContext& context)
      : form_(form), is_f32_(context.inputs[0].dtype == DType::kF32) {
    const View& x = context.inputs[0];
    columns_ = AxisColumns(x, context.outputs[0].strides, axis);
    y_step_ = context.outputs[0].strides[axis];
    elements_ = static_cast<double>(x.shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto sum = is_f32_ ? &SumBlock<float, double> : &SumBlock<int32_t, uint32_t>;
    columns_.ForEachBlock(context, [&](const AxisColumns::Block& block) {
      sum(columns_, y_step_, form_, block, operands[0], operands[1]);
    });
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.flops = elements_, .bytes = 8 * elements_}; }
  const char* kernel() const override { return "scan"; }

 private:
  SumForm form_;
  bool is_f32_;
  AxisColumns columns_;
  int64_t y_step_ = 0;
  double elements_ = 0;
};

class CumsumStep : public Step {
 public:
  explicit CumsumStep(const CompileContext& context)
      : form_{.exclusive = context.attrs.Bool("exclusive"), .reverse = context.attrs.Bool("reverse")},
        axis_(static_cast<int>(context.attrs.Int("axis"))) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  bool CanOverwrite(int index) const override { return index == 0; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundCumsum>(form_, axis_, context);
  }

 private:
  SumForm form_;
  int axis_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileCumsum(const CompileContext& context) {
  return std::make_unique<CumsumStep>(context);
}

}  // namespace rml
