#include "engine/ops/sdpa.h"

#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"
#include "engine/ops/reference_loops.h"

namespace rml {
namespace {

// q, k and v have the same leading axes, k has q's depth, v has k's length.
bool ShapesAgree(const Shape& q, const Shape& k, const Shape& v) {
  if (q.rank() < 2 || k.rank() != q.rank() || v.rank() != q.rank()) return false;
  for (int d = 0; d + 2 < q.rank(); ++d) {
    if (k.dim(d) != q.dim(d) || v.dim(d) != q.dim(d)) return false;
  }
  return k.dim(-1) == q.dim(-1) && v.dim(-2) == k.dim(-2);
}

Shape ScoreShape(const Shape& q, const Shape& k) {
  Shape scores = q;
  scores.set_dim(-1, k.dim(-2));
  return scores;
}

}  // namespace

absl::StatusOr<std::vector<TensorType>> InferSdpa(const OpAttrs&, absl::Span<const TensorType> inputs) {
  const char* const names[] = {"q", "k", "v", "mask"};
  for (size_t i = 0; i < inputs.size(); ++i) RETURN_IF_ERROR(ExpectDType(inputs[i], DType::kF32, names[i]));
  const Shape& q = inputs[0].shape;
  const Shape& k = inputs[1].shape;
  const Shape& v = inputs[2].shape;
  if (!ShapesAgree(q, k, v)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "inputs 'q', 'k', 'v' have shapes %s, %s, %s; expected [..., Lq, D], [..., Lk, D], [..., Lk, Dv]", ToString(q),
        ToString(k), ToString(v)));
  }
  if (inputs.size() > 3) {
    const Shape scores = ScoreShape(q, k);
    const absl::StatusOr<Shape> masked = BroadcastShapes(inputs[3].shape, scores);
    if (!masked.ok() || !(*masked == scores)) {
      return absl::InvalidArgumentError(absl::StrFormat("input 'mask' has shape %s; expected one that broadcasts to %s",
                                                        ToString(inputs[3].shape), ToString(scores)));
    }
  }
  Shape shape = q;
  shape.set_dim(-1, v.dim(-1));
  return std::vector<TensorType>{{DType::kF32, shape}};
}

absl::Status ReferenceSdpa(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs, absl::Span<Tensor> outputs) {
  const Shape& q = inputs[0].shape;
  const int64_t Lq = q.dim(-2), D = q.dim(-1), Lk = inputs[1].shape.dim(-2), Dv = inputs[2].shape.dim(-1);
  const Shape scores = ScoreShape(q, inputs[1].shape);
  Shape rows = scores;
  rows.set_dim(-1, 1);
  std::vector<double> p(Lk);
  int64_t row = 0;
  ForEachIndex(rows, [&](Index index) {
    const int64_t i = row % Lq;
    const int64_t head = row / Lq;
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < Lk; ++j) {
      double score = 0;
      for (int64_t d = 0; d < D; ++d) {
        score += static_cast<double>(F32(inputs[0])[row * D + d]) * F32(inputs[1])[(head * Lk + j) * D + d];
      }
      score *= attrs.Float("scale");
      index[scores.rank() - 1] = j;
      if (inputs.size() > 3) score += F32(inputs[3])[BroadcastOffset(inputs[3].shape, index, scores.rank())];
      if (attrs.Bool("causal") && j > i) score = -std::numeric_limits<double>::infinity();
      p[j] = score;
      if (std::isnan(score) || score > max) max = score;  // no number is larger than NaN: it stays
    }
    double sum = 0;
    for (int64_t j = 0; j < Lk; ++j) sum += p[j] = std::exp(p[j] - max);
    const bool masked = max == -std::numeric_limits<double>::infinity();
    for (int64_t d = 0; d < Dv; ++d) {
      double y = 0;
      for (int64_t j = 0; j < Lk && !masked; ++j) y += p[j] / sum * F32(inputs[2])[(head * Lk + j) * Dv + d];
      outputs[0].data<float>()[row * Dv + d] = static_cast<float>(y);
    }
    ++row;
  });
  return absl::OkStatus();
}

}  // namespace rml
