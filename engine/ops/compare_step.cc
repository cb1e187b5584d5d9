#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/ops/compare.h"
#include "engine/ops/integer_step.h"
#include "engine/ops/segment_step.h"

namespace rml {
namespace {

struct NamedComparison {
  std::string_view op;
  BinaryFns KernelTable::* kernel;
};
constexpr auto kComparisons = std::to_array<NamedComparison>({{"eq", &KernelTable::eq},
                                                              {"ne", &KernelTable::ne},
                                                              {"lt", &KernelTable::lt},
                                                              {"le", &KernelTable::le},
                                                              {"gt", &KernelTable::gt},
                                                              {"ge", &KernelTable::ge}});

class FloatComparison : public SegmentKernel {
 public:
  FloatComparison(const BinaryFns& fns, const char* isa) : fns_(fns), isa_(isa) {}

  void Run(const Segment& segment) const override {
    const auto* a = static_cast<const float*>(segment.inputs[0]);
    const auto* b = static_cast<const float*>(segment.inputs[1]);
    auto* y = static_cast<float*>(segment.output);
    if (segment.scalar[0]) {
      fns_.sv(*a, b, segment.n, y);
    } else if (segment.scalar[1]) {
      fns_.vs(a, *b, segment.n, y);
    } else {
      fns_.vv(a, b, segment.n, y);
    }
  }
  const char* name() const override { return isa_; }

 private:
  BinaryFns fns_;
  const char* isa_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileCompare(const CompileContext& context) {
  if (context.graph.values[context.node.inputs[0]].dtype == DType::kI32) {
    return MakeSegmentStep(IntegerComparison(context.node.op), 2);
  }
  for (const NamedComparison& comparison : kComparisons) {
    if (comparison.op != context.node.op) continue;
    const BinaryFns& fns = context.kernels.*comparison.kernel;
    return MakeSegmentStep(std::make_unique<FloatComparison>(fns, context.kernels.isa), 2);
  }
  return absl::InternalError("not a comparison");
}

}  // namespace rml
