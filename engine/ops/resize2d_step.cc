// Output row by output row: nearest copies elements, the others sum a few input rows that were resized along the width
// first and are kept while the next output rows need them.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "engine/ops/chunks.h"
#include "engine/ops/resize2d.h"
#include "engine/ops/resize_axis.h"

namespace rml {
namespace {

constexpr int kMaxTaps = 4;

class Resize2dStep : public Step {
 public:
  bool ReadsInPlace(int, const View&) const override { return true; }
  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;
};

// Sums of `taps` rows or elements, in this order: ((w0 a + w1 b) + w2 c) + w3 d, each operation rounded.
void ResizeRow(const ResizeAxis& axis, const float* x, int64_t stride, int64_t n, float* y) {
  const int64_t* index = axis.index.data();
  const float* weight = axis.weight.data();
  if (axis.taps == 2) {
    for (int64_t j = 0; j < n; ++j) {
      y[j] = weight[2 * j] * x[index[2 * j] * stride] + weight[2 * j + 1] * x[index[2 * j + 1] * stride];
    }
    return;
  }
  for (int64_t j = 0; j < n; ++j, index += kMaxTaps, weight += kMaxTaps) {
    float sum = weight[0] * x[index[0] * stride];
    for (int t = 1; t < kMaxTaps; ++t) sum += weight[t] * x[index[t] * stride];
    y[j] = sum;
  }
}

void SumRows(const float* weight, const std::array<const float*, kMaxTaps>& rows, int taps, int64_t n, float* y) {
  const float* a = rows[0];
  const float* b = rows[1];
  const float wa = weight[0], wb = weight[1];
  if (taps == 2) {
    for (int64_t j = 0; j < n; ++j) y[j] = wa * a[j] + wb * b[j];
    return;
  }
  const float* c = rows[2];
  const float* d = rows[3];
  const float wc = weight[2], wd = weight[3];
  for (int64_t j = 0; j < n; ++j) y[j] = ((wa * a[j] + wb * b[j]) + wc * c[j]) + wd * d[j];
}

class BoundResize2d : public BoundStep {
 public:
  explicit BoundResize2d(const BindContext& context)
      : x_(context.inputs[0]), y_(context.outputs[0].shape), max_width_(std::max(1, context.max_width)) {
    const auto elements = static_cast<double>(y_.num_elements());
    if (elements == 0) return;
    h_ = MakeResizeAxis(context.attrs, 0, x_.shape.dim(2));
    w_ = MakeResizeAxis(context.attrs, 1, x_.shape.dim(3));
    const double taps = h_.taps == 1 ? 0 : h_.taps + w_.taps;
    cost_ = {.flops = 2 * taps * elements, .bytes = 4 * (elements + static_cast<double>(x_.shape.num_elements()))};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    if (y_.num_elements() == 0) return absl::OkStatus();
    const auto* x = static_cast<const float*>(operands[0]);
    auto* y = static_cast<float*>(operands[1]);
    const int64_t rows = y_.num_elements() / y_.dim(3);
    ForRows(context, rows, RowsPerChunk(y_.dim(3) * (h_.taps == 1 ? 1 : 2)), [&](int64_t begin, int64_t end, int slot) {
      if (h_.taps == 1) {
        CopyRows(x, begin, end, y);
      } else {
        FilterRows(x, begin, end, static_cast<float*>(operands[2]) + slot * h_.taps * y_.dim(3), y);
      }
    });
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override {
    return h_.taps == 1 ? 0 : max_width_ * h_.taps * y_.dim(3) * static_cast<int64_t>(sizeof(float));
  }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return h_.taps == 1 ? "copy rows" : h_.taps == 2 ? "linear" : "cubic"; }

 private:
  // The image that output row `row` is made of, and the row's number in it.
  const float* PlaneOf(const float* x, int64_t row, int64_t* line) const {
    *line = row % y_.dim(2);
    const int64_t plane = row / y_.dim(2);
    return x + plane / y_.dim(1) * x_.strides[0] + plane % y_.dim(1) * x_.strides[1];
  }

  void CopyRows(const float* x, int64_t begin, int64_t end, float* y) const {
    const int64_t n = y_.dim(3);
    const float* last = nullptr;  // where the row before came from
    for (int64_t row = begin; row < end; ++row) {
      int64_t line = 0;
      const float* source = PlaneOf(x, row, &line);
      source += h_.index[line] * x_.strides[2];
      float* target = y + row * n;
      if (source == last) {
        std::memcpy(target, target - n, n * sizeof(float));
        continue;
      }
      for (int64_t j = 0; j < n; ++j) target[j] = source[w_.index[j] * x_.strides[3]];
      last = source;
    }
  }

  // An output row reads at most `taps` neighbouring rows, so that a row's number modulo taps is its place in `kept`.
  void FilterRows(const float* x, int64_t begin, int64_t end, float* kept, float* y) const {
    const int64_t n = y_.dim(3);
    const int taps = h_.taps;
    std::array<const float*, kMaxTaps> sources{};  // of the rows kept
    for (int64_t row = begin; row < end; ++row) {
      int64_t line = 0;
      const float* plane = PlaneOf(x, row, &line);
      std::array<const float*, kMaxTaps> rows{};
      for (int t = 0; t < taps; ++t) {
        const int64_t index = h_.index[line * taps + t];
        const float* source = plane + index * x_.strides[2];
        const int64_t place = index % taps;
        if (sources[place] != source) {
          ResizeRow(w_, source, x_.strides[3], n, kept + place * n);
          sources[place] = source;
        }
        rows[t] = kept + place * n;
      }
      SumRows(&h_.weight[line * taps], rows, taps, n, y + row * n);
    }
  }

  View x_;
  Shape y_;
  int64_t max_width_;
  ResizeAxis h_, w_;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> Resize2dStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundResize2d>(context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileResize2d(const CompileContext&) {
  return std::make_unique<Resize2dStep>();
}

}  // namespace rml
