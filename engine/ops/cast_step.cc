#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "engine/ops/cast.h"
#include "engine/ops/segment_step.h"

namespace rml {
namespace {

class IntegerToFloat : public SegmentKernel {
 public:
  void Run(const Segment& segment) const override {
    const auto* x = static_cast<const int32_t*>(segment.inputs[0]);
    auto* y = static_cast<float*>(segment.output);
    for (int64_t i = 0; i < segment.n; ++i) y[i] = static_cast<float>(x[i]);
  }
  const char* name() const override { return "loop i32 to f32"; }
};

class FloatToInteger : public SegmentKernel {
 public:
  void Run(const Segment& segment) const override {
    const auto* x = static_cast<const float*>(segment.inputs[0]);
    auto* y = static_cast<int32_t*>(segment.output);
    for (int64_t i = 0; i < segment.n; ++i) y[i] = Saturate(x[i]);
  }
  const char* name() const override { return "loop f32 to i32"; }

 private:
  // Toward zero; beyond the range the nearest end; NaN gives 0.
  static int32_t Saturate(float x) {
    constexpr float kTwoTo31 = 2147483648.0f;
    if (x >= kTwoTo31) return std::numeric_limits<int32_t>::max();
    if (x < -kTwoTo31) return std::numeric_limits<int32_t>::min();
    return x == x ? static_cast<int32_t>(x) : 0;
  }
};

class SameType : public SegmentKernel {
 public:
  void Run(const Segment& segment) const override {
    if (segment.output != segment.inputs[0]) std::memcpy(segment.output, segment.inputs[0], segment.n * kElementBytes);
  }
  const char* name() const override { return "copy"; }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileCast(const CompileContext& context) {
  const DType from = context.graph.values[context.node.inputs[0]].dtype;
  const DType to = context.graph.values[context.node.outputs[0]].dtype;
  std::unique_ptr<const SegmentKernel> kernel;
  if (from == to) {
    kernel = std::make_unique<SameType>();
  } else if (to == DType::kI32) {
    kernel = std::make_unique<FloatToInteger>();
  } else {
    kernel = std::make_unique<IntegerToFloat>();
  }
  return MakeSegmentStep(std::move(kernel), 1);
}

}  // namespace rml
