#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/ops/segment_step.h"
#include "engine/ops/where.h"

namespace rml {
namespace {

class WhereKernel : public SegmentKernel {
 public:
  explicit WhereKernel(const KernelTable& kernels) : fns_(kernels.where), isa_(kernels.isa) {}

  void Run(const Segment& segment) const override {
    const auto* c = static_cast<const float*>(segment.inputs[0]);
    const auto* a = static_cast<const float*>(segment.inputs[1]);
    const auto* b = static_cast<const float*>(segment.inputs[2]);
    auto* y = static_cast<float*>(segment.output);
    const int64_t n = segment.n;
    if (segment.scalar[0]) {
      const int chosen = *c != 0.0f ? 1 : 2;
      CopyChosen(segment.inputs[chosen], segment.scalar[chosen], n, segment.output);
    } else if (segment.scalar[1]) {
      segment.scalar[2] ? fns_.ss(c, *a, *b, n, y) : fns_.sv(c, *a, b, n, y);
    } else {
      segment.scalar[2] ? fns_.vs(c, a, *b, n, y) : fns_.vv(c, a, b, n, y);
    }
  }
  const char* name() const override { return isa_; }

 private:
  static void CopyChosen(const void* source, bool scalar, int64_t n, void* y) {
    if (scalar) {
      int32_t bits;
      std::memcpy(&bits, source, sizeof(bits));
      std::fill_n(static_cast<int32_t*>(y), n, bits);
    } else {
      std::memcpy(y, source, n * kElementBytes);
    }
  }

  WhereFns fns_;
  const char* isa_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileWhere(const CompileContext& context) {
  return MakeSegmentStep(std::make_unique<WhereKernel>(context.kernels), 3);
}

}  // namespace rml
