#include <array>
#include <memory>
#include <vector>

#include "engine/ops/concat.h"
#include "engine/ops/strided_copy.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// Copies runs of one input to their place in the output.
struct Part {
  StridedWalk walk;           // operands: the input, the output
  int64_t output_offset = 0;  // of the part's first element
};

class BoundConcat : public BoundStep {
 public:
  explicit BoundConcat(const BindContext& context) {
    const View& output = context.outputs[0];
    const auto axis = static_cast<int>(context.attrs.Int("axis"));
    int64_t position = 0;
    for (const View& input : context.inputs) {
      const std::array<Strides, 2> strides = {input.strides, output.strides};
      parts_.push_back({StridedWalk(input.shape, strides), position * output.strides[axis]});
      position += input.shape.dim(axis);
    }
    bytes_ = 8.0 * static_cast<double>(output.shape.num_elements());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    for (size_t k = 0; k < parts_.size(); ++k) {
      const StridedWalk& walk = parts_[k].walk;
      const auto* source = static_cast<const int32_t*>(operands[k]);
      auto* target = static_cast<int32_t*>(operands[parts_.size()]) + parts_[k].output_offset;
      CopyStrided(context, walk, source, target);
    }
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.bytes = bytes_}; }
  const char* kernel() const override { return "copy"; }

 private:
  std::vector<Part> parts_;
  double bytes_ = 0;
};

class ConcatStep : public Step {
 public:
  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundConcat>(context);
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileConcat(const CompileContext&) { return std::make_unique<ConcatStep>(); }

}  // namespace rml
