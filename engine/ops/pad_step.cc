#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/ops/chunks.h"
#include "engine/ops/float_attr.h"
#include "engine/ops/pad.h"
#include "engine/ops/strided_copy.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// Fills the whole output, then copies the input into its middle.
class BoundPad : public BoundStep {
 public:
  BoundPad(const BindContext& context, int32_t fill) : fill_(fill) {
    const View& input = context.inputs[0];
    const View& output = context.outputs[0];
    const std::vector<int64_t>& before = context.attrs.Ints("before");
    for (int i = 0; i < output.shape.rank(); ++i) offset_ += before[i] * output.strides[i];
    const std::array<Strides, 2> strides = {input.strides, output.strides};
    walk_ = StridedWalk(input.shape, strides);
    outputs_ = output.shape.num_elements();
    inputs_ = input.shape.num_elements();
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const auto* x = static_cast<const int32_t*>(operands[0]);
    auto* y = static_cast<int32_t*>(operands[1]);
    if (outputs_ != inputs_) {
      ForRows(context, outputs_, kElementsPerChunk,
              [&](int64_t begin, int64_t end, int) { std::fill(y + begin, y + end, fill_); });
    }
    CopyStrided(context, walk_, x, y + offset_);
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.bytes = 4.0 * static_cast<double>(inputs_ + outputs_)}; }
  const char* kernel() const override { return "fill and copy"; }

 private:
  int32_t fill_;
  int64_t offset_ = 0;
  StridedWalk walk_;
  int64_t outputs_ = 0;
  int64_t inputs_ = 0;
};

class PadStep : public Step {
 public:
  explicit PadStep(int32_t fill) : fill_(fill) {}
  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundPad>(context, fill_);
  }

 private:
  int32_t fill_;  // the element's bits
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompilePad(const CompileContext& context) {
  const double value = context.attrs.Float("value");
  int32_t fill = 0;
  if (context.graph.values[context.node.inputs[0]].dtype == DType::kI32) {
    fill = static_cast<int32_t>(value);
  } else {
    const float element = FloatAttr(value);
    std::memcpy(&fill, &element, sizeof(fill));
  }
  return std::make_unique<PadStep>(fill);
}

}  // namespace rml
