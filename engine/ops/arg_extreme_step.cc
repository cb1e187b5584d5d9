#include <array>
#include <memory>

#include "engine/ops/arg_extreme.h"
#include "engine/ops/axis_columns.h"

namespace rml {
namespace {

// Whether a takes b's place. A NaN takes that of any number; of equals the first stays.
struct Larger {
  template <typename T>
  bool operator()(T a, T b) const {
    return a > b || (a != a && b == b);
  }
};
struct Smaller {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b || (a != a && b == b);
  }
};

template <typename T, typename Before>
void FindBlock(const AxisColumns& columns, const AxisColumns::Block& block, const void* input, int32_t* y) {
  const T* x = static_cast<const T*>(input) + block.x;
  std::array<T, AxisColumns::kMaxBlock> best;
  std::array<int32_t, AxisColumns::kMaxBlock> place;
  for (int64_t c = 0; c < block.count; ++c) {
    best[c] = x[c * columns.x_stride()];
    place[c] = 0;
  }
  for (int64_t i = 1; i < columns.length(); ++i) {
    const T* line = x + i * columns.step();
    for (int64_t c = 0; c < block.count; ++c) {
      const T value = line[c * columns.x_stride()];
      const bool displaces = Before{}(value, best[c]);
      best[c] = displaces ? value : best[c];
      place[c] = displaces ? static_cast<int32_t>(i) : place[c];
    }
  }
  for (int64_t c = 0; c < block.count; ++c) y[block.y + c * columns.y_stride()] = place[c];
}

using FindFn = void (*)(const AxisColumns&, const AxisColumns::Block&, const void*, int32_t*);

FindFn FindFnFor(bool largest, DType dtype) {
  if (dtype == DType::kI32) return largest ? &FindBlock<int32_t, Larger> : &FindBlock<int32_t, Smaller>;
  return largest ? &FindBlock<float, Larger> : &FindBlock<float, Smaller>;
}

class BoundArgExtreme : public BoundStep {
 public:
  BoundArgExtreme(FindFn find, int axis, const View& x) : find_(find) {
    Shape heads = x.shape;
    heads.set_dim(axis, 1);
    columns_ = AxisColumns(x, ContiguousStrides(heads), axis);
    elements_ = static_cast<double>(x.shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    auto* y = static_cast<int32_t*>(operands[1]);
    columns_.ForEachBlock(context, [&](const AxisColumns::Block& block) { find_(columns_, block, operands[0], y); });
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.flops = elements_, .bytes = 4 * elements_}; }
  const char* kernel() const override { return "scan"; }

 private:
  FindFn find_;
  AxisColumns columns_;
  double elements_ = 0;
};

class ArgExtremeStep : public Step {
 public:
  explicit ArgExtremeStep(const CompileContext& context)
      : find_(FindFnFor(context.node.op == "argmax", context.graph.values[context.node.inputs[0]].dtype)),
        axis_(static_cast<int>(context.attrs.Int("axis"))) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundArgExtreme>(find_, axis_, context.inputs[0]);
  }

 private:
  FindFn find_;
  int axis_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileArgExtreme(const CompileContext& context) {
  return std::make_unique<ArgExtremeStep>(context);
}

}  // namespace rml
