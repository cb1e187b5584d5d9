// Shape ops as views: reshape, squeeze, unsqueeze, transpose, broadcast_to and slice move no data; they describe their
// input's memory with another shape and other strides.
#include "engine/ops/view_step.h"

#include <algorithm>

#include "engine/base/status_macros.h"
#include "engine/ops/broadcast_to.h"
#include "engine/ops/reshape.h"
#include "engine/ops/slice.h"
#include "engine/ops/step.h"
#include "engine/ops/transpose.h"

namespace rml {
namespace {

class ViewStep : public Step {
 public:
  bool is_view() const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext&) const override {
    return absl::InternalError("a view has nothing to run");
  }
};

class ReshapeStep : public ViewStep {
 public:
  std::optional<View> ViewOf(const OpAttrs&, const View& input, const Shape& output) const override {
    return ReshapedView(input, output);
  }
};

class TransposeStep : public ViewStep {
 public:
  std::optional<View> ViewOf(const OpAttrs& attrs, const View& input, const Shape& output) const override {
    View view{input.dtype, output, {}, input.offset};
    const std::vector<int64_t>& perm = attrs.Ints("perm");
    for (int i = 0; i < output.rank(); ++i) view.strides[i] = input.strides[perm[i]];
    return view;
  }
};

class BroadcastToStep : public ViewStep {
 public:
  std::optional<View> ViewOf(const OpAttrs&, const View& input, const Shape& output) const override {
    View view{input.dtype, output, {}, input.offset};
    const int lead = output.rank() - input.shape.rank();
    for (int i = lead; i < output.rank(); ++i) {
      const bool repeats = input.shape.dim(i - lead) == 1 && output.dim(i) != 1;
      view.strides[i] = repeats ? 0 : input.strides[i - lead];
    }
    return view;
  }
};

class SliceStep : public ViewStep {
 public:
  std::optional<View> ViewOf(const OpAttrs& attrs, const View& input, const Shape& output) const override {
    View view{input.dtype, output, input.strides, input.offset};
    const std::vector<int64_t>& axes = attrs.Ints("axes");
    for (size_t i = 0; i < axes.size(); ++i) {
      const int axis = static_cast<int>(axes[i]);
      const int64_t step = attrs.Ints("steps")[i];
      const int64_t start = SliceStart(attrs.Ints("starts")[i], step, input.shape.dim(axis));
      if (output.dim(axis) > 0) view.offset += start * input.strides[axis];
      view.strides[axis] = step * input.strides[axis];
    }
    return view;
  }
};

}  // namespace

std::optional<View> ReshapedView(const View& input, const Shape& output) {
  View view{input.dtype, output, ContiguousStrides(output), input.offset};
  if (input.contiguous()) return view;
  // Walk both shapes from the outside, matching runs of input dims to runs of output dims with the same product. Within
  // a run of several input dims those must lie evenly in memory.
  int i = 0;
  int o = 0;
  const int in_rank = input.shape.rank();
  const int out_rank = output.rank();
  while (i < in_rank || o < out_rank) {
    int i_end = i;
    int o_end = o;
    int64_t in_count = 1;
    int64_t out_count = 1;
    if (i < in_rank) in_count = input.shape.dim(i_end++);
    if (o < out_rank) out_count = output.dim(o_end++);
    while (in_count != out_count) {
      if (in_count < out_count && i_end < in_rank) {
        in_count *= input.shape.dim(i_end++);
      } else if (out_count < in_count && o_end < out_rank) {
        out_count *= output.dim(o_end++);
      } else {
        return std::nullopt;
      }
    }
    // The run's step in memory: the stride of its innermost dim that is longer than 1.
    int64_t step = 0;
    int64_t span = 1;
    for (int d = i_end - 1; d >= i; --d) {
      if (input.shape.dim(d) == 1) continue;
      if (span == 1) {
        step = input.strides[d];
      } else if (input.strides[d] != step * span) {
        return std::nullopt;
      }
      span *= input.shape.dim(d);
    }
    for (int d = o_end - 1; d >= o; --d) {
      view.strides[d] = step;
      step *= output.dim(d);
    }
    i = i_end;
    o = o_end;
  }
  return view;
}

int64_t SliceStart(int64_t start, int64_t step, int64_t size) {
  if (start < 0) start += size;
  return step > 0 ? std::clamp<int64_t>(start, 0, size) : std::clamp<int64_t>(start, -1, size - 1);
}

absl::StatusOr<std::unique_ptr<Step>> CompileReshape(const CompileContext&) { return std::make_unique<ReshapeStep>(); }
absl::StatusOr<std::unique_ptr<Step>> CompileTranspose(const CompileContext&) {
  return std::make_unique<TransposeStep>();
}
absl::StatusOr<std::unique_ptr<Step>> CompileBroadcastTo(const CompileContext&) {
  return std::make_unique<BroadcastToStep>();
}
absl::StatusOr<std::unique_ptr<Step>> CompileSlice(const CompileContext&) { return std::make_unique<SliceStep>(); }

}  // namespace rml
