#include "engine/ops/segment_step.h"

#include <algorithm>
#include <utility>

#include "engine/ops/chunks.h"
#include "engine/ops/strided_walk.h"

namespace rml {
namespace {

// Elements gathered at a time from an operand that is neither dense nor repeated: 4 KiB per operand on the stack.
constexpr int64_t kTile = 1024;

using Tiles = std::array<std::array<int32_t, kTile>, Segment::kMaxInputs>;

class BoundSegments : public BoundStep {
 public:
  BoundSegments(const SegmentKernel& kernel, const BindContext& context)
      : kernel_(kernel), num_inputs_(static_cast<int>(context.inputs.size())) {
    const View& output = context.outputs[0];
    std::array<Strides, StridedWalk::kMaxOperands> strides;
    for (int k = 0; k < num_inputs_; ++k) {
      strides[k] = BroadcastStrides(context.inputs[k], output.shape);
      bytes_ += 4.0 * static_cast<double>(context.inputs[k].shape.num_elements());
    }
    strides[num_inputs_] = output.strides;
    elements_ = static_cast<double>(output.shape.num_elements());
    bytes_ += 4 * elements_;
    walk_ = StridedWalk(output.shape, absl::MakeConstSpan(strides).subspan(0, num_inputs_ + 1));
    all_repeat_ = true;
    for (int k = 0; k < num_inputs_; ++k) {
      gathered_[k] = walk_.inner_stride(k) != 0 && walk_.inner_stride(k) != 1;
      all_repeat_ = all_repeat_ && walk_.inner_stride(k) == 0;
    }
    // Segments are as long as a chunk, but no longer than a tile if an operand is gathered into one.
    const bool tiled = all_repeat_ || std::any_of(gathered_.begin(), gathered_.end(), [](bool g) { return g; });
    segment_ = std::clamp<int64_t>(walk_.inner(), 1, tiled ? kTile : kElementsPerChunk);
    segments_per_row_ = (walk_.inner() + segment_ - 1) / segment_;
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const int64_t segments = walk_.rows() * segments_per_row_;
    ForRows(context, segments, RowsPerChunk(segment_),
            [&](int64_t begin, int64_t end, int) { RunSegments(operands, begin, end); });
    return absl::OkStatus();
  }

  StepCost cost() const override { return {.flops = elements_, .bytes = bytes_}; }
  const char* kernel() const override { return kernel_.name(); }

 private:
  void RunSegments(void* const* operands, int64_t begin, int64_t end) const {
    Tiles tiles;
    StridedWalk::Cursor row = walk_.At(begin / segments_per_row_);
    int64_t position = begin % segments_per_row_;
    for (int64_t s = begin; s < end; ++s) {
      RunSegment(operands, row, position * segment_, tiles);
      if (++position == segments_per_row_) {
        position = 0;
        walk_.Next(row);
      }
    }
  }

  void RunSegment(void* const* operands, const StridedWalk::Cursor& row, int64_t first, Tiles& tiles) const {
    Segment segment{.n = std::min(segment_, walk_.inner() - first)};
    for (int k = 0; k < num_inputs_; ++k) {
      const int64_t stride = walk_.inner_stride(k);
      const auto* source = static_cast<const int32_t*>(operands[k]) + row.offsets[k] + first * stride;
      segment.inputs[k] = source;
      segment.scalar[k] = stride == 0;
      if (gathered_[k] || (all_repeat_ && k == 0)) {
        for (int64_t i = 0; i < segment.n; ++i) tiles[k][i] = source[i * stride];
        segment.inputs[k] = tiles[k].data();
        segment.scalar[k] = false;
      }
    }
    segment.output = static_cast<int32_t*>(operands[num_inputs_]) + row.offsets[num_inputs_] + first;
    kernel_.Run(segment);
  }

  const SegmentKernel& kernel_;
  int num_inputs_;
  StridedWalk walk_;
  std::array<bool, Segment::kMaxInputs> gathered_{};
  bool all_repeat_ = false;
  int64_t segment_ = 1;
  int64_t segments_per_row_ = 1;
  double elements_ = 0;
  double bytes_ = 0;
};

class SegmentStep : public Step {
 public:
  SegmentStep(std::unique_ptr<const SegmentKernel> kernel, int num_inputs)
      : kernel_(std::move(kernel)), num_inputs_(num_inputs) {}

  bool ReadsInPlace(int, const View&) const override { return true; }
  bool CanOverwrite(int index) const override { return num_inputs_ == 1 && index == 0; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundSegments>(*kernel_, context);
  }

 private:
  std::unique_ptr<const SegmentKernel> kernel_;
  int num_inputs_;
};

}  // namespace

std::unique_ptr<Step> MakeSegmentStep(std::unique_ptr<const SegmentKernel> kernel, int num_inputs) {
  return std::make_unique<SegmentStep>(std::move(kernel), num_inputs);
}

}  // namespace rml
