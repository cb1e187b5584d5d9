#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "engine/ops/clamp.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/segment_step.h"

namespace rml {
namespace {

class FloatClamp : public SegmentKernel {
 public:
  FloatClamp(const KernelTable& kernels, float lo, float hi) : kernels_(kernels), lo_(lo), hi_(hi) {}

  void Run(const Segment& segment) const override {
    kernels_.clamp(static_cast<const float*>(segment.inputs[0]), segment.n, lo_, hi_,
                   static_cast<float*>(segment.output));
  }
  const char* name() const override { return kernels_.isa; }

 private:
  const KernelTable& kernels_;
  float lo_, hi_;
};

class IntegerClamp : public SegmentKernel {
 public:
  IntegerClamp(int32_t lo, int32_t hi) : lo_(lo), hi_(hi) {}

  void Run(const Segment& segment) const override {
    const auto* x = static_cast<const int32_t*>(segment.inputs[0]);
    auto* y = static_cast<int32_t*>(segment.output);
    for (int64_t i = 0; i < segment.n; ++i) y[i] = std::min(std::max(x[i], lo_), hi_);
  }
  const char* name() const override { return "loop i32"; }

 private:
  int32_t lo_, hi_;
};

double Bound(const OpAttrs& attrs, const char* name, double none) { return attrs.Has(name) ? attrs.Float(name) : none; }

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileClamp(const CompileContext& context) {
  const OpAttrs& attrs = context.attrs;
  if (context.graph.values[context.node.inputs[0]].dtype == DType::kI32) {
    const double lo = Bound(attrs, "min", std::numeric_limits<int32_t>::min());
    const double hi = Bound(attrs, "max", std::numeric_limits<int32_t>::max());
    return MakeSegmentStep(std::make_unique<IntegerClamp>(static_cast<int32_t>(lo), static_cast<int32_t>(hi)), 1);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const float lo = FloatAttr(Bound(attrs, "min", -kInfinity));
  const float hi = FloatAttr(Bound(attrs, "max", kInfinity));
  return MakeSegmentStep(std::make_unique<FloatClamp>(context.kernels, lo, hi), 1);
}

}  // namespace rml
