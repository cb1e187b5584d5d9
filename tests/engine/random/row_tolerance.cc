// The bounds of ops that normalise rows: node_tolerance.h says what they are made of.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/ops/resize_axis.h"
#include "tests/engine/random/node_tolerance.h"

namespace rml {
namespace {

const float* Data(const ConstTensorView& tensor) { return static_cast<const float*>(tensor.data); }

// The roundings of a sum of n exponentials: each exponential's own, and those of a lane of at most 64.
double SumOfExponentials(double n) { return std::min(n / 16 + 1, 64.0) + 12 + std::log(n + 1); }

double Finite(double v) { return std::isfinite(v) ? std::fabs(v) : 0; }

// For each output of an image axis: the sum of its weights' magnitudes.
std::vector<double> WeightSums(const NodeRun& run, int axis) {
  const ResizeAxis table = MakeResizeAxis(run.attrs, axis, run.inputs[0].shape.dim(2 + axis));
  std::vector<double> sums(table.weight.size() / table.taps, 0.0);
  for (size_t i = 0; i < table.weight.size(); ++i) sums[i / table.taps] += Finite(table.weight[i]);
  return sums;
}

}  // namespace

std::vector<float> SoftmaxBounds(const NodeRun& run, const Tensor& expected) {
  const bool is_log = run.op.name == "log_softmax";
  const auto n = static_cast<double>(run.inputs[0].shape.dim(static_cast<int>(run.attrs.Int("axis"))));
  const double roundings = SumOfExponentials(n);
  std::vector<float> bounds;
  for (float y : expected.data<float>()) {
    if (is_log) {
      bounds.push_back(BoundOf(kRoundoff * (6 * Finite(y) + roundings) + kFlushed));
    } else {
      const double log_y = y > 0 ? std::fabs(std::log(static_cast<double>(y))) : 0;
      bounds.push_back(BoundOf(kRoundoff * (log_y + roundings) * Finite(y) + 2 * kFlushed));
    }
  }
  return bounds;
}

std::vector<float> LayerNormBounds(const NodeRun& run, const Tensor& expected) {
  int64_t n = 1;
  for (int64_t axis : run.attrs.Ints("axes")) n *= run.inputs[0].shape.dim(static_cast<int>(axis));
  std::vector<float> bounds(expected.num_elements());
  for (int64_t first = 0; first < static_cast<int64_t>(bounds.size()); first += n) {
    const float* x = Data(run.inputs[0]) + first;
    double mean = 0, variance = 0, largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      mean += x[i];
      largest = std::max(largest, Finite(x[i]));
    }
    mean /= static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    variance /= static_cast<double>(n);
    const double scale = 1 / std::sqrt(variance + run.attrs.Float("eps"));
    for (int64_t i = 0; i < n; ++i) {
      const double weight = run.inputs.size() > 1 ? Finite(Data(run.inputs[1])[i]) : 1;
      const double bias = run.inputs.size() > 2 ? Finite(Data(run.inputs[2])[i]) : 0;
      const double normalized = Finite((x[i] - mean) * scale);
      // What is lost of x - mean before it is scaled: twice the rounding of the mean, and what is flushed.
      const double centring = (4 * kRoundoff * kRoundoff * Finite(mean) + 2 * kFlushed) * Finite(scale);
      const double bound = 8 * kRoundoff * (normalized * weight + bias) + centring * weight + 2 * kFlushed;
      const bool overflows =
          largest + Finite(mean) >= kOverflows || scale >= kOverflows || normalized * weight + bias >= kOverflows;
      bounds[first + i] = overflows ? std::numeric_limits<float>::infinity() : BoundOf(bound);
    }
  }
  return bounds;
}

namespace {

// One query of an attention: weights, and the relative error of each.
struct SdpaRow {
  std::vector<double> weights;
  double error = 0;  // relative, of the worst weight
  bool overflows = false;
};

// An element of the mask for a position in [..., Lq, Lk].
double MaskAt(const ConstTensorView& mask, const Shape& scores, int64_t position) {
  int64_t offset = 0, step = 1;
  for (int i = 1; i <= scores.rank(); ++i) {
    const int64_t at = position % scores.dim(-i);
    position /= scores.dim(-i);
    if (i > mask.shape.rank()) continue;
    if (mask.shape.dim(-i) != 1) offset += at * step;
    step *= mask.shape.dim(-i);
  }
  return Data(mask)[offset];
}

SdpaRow RowOfSdpa(const NodeRun& run, const Shape& scores, int64_t row) {
  const int64_t Lq = scores.dim(-2), Lk = scores.dim(-1), D = run.inputs[0].shape.dim(-1);
  const double scale = run.attrs.Float("scale");
  const float* q = Data(run.inputs[0]) + row * D;
  const float* k = Data(run.inputs[1]) + row / Lq * Lk * D;
  const double roundings = std::min<double>(static_cast<double>(D), 256) + static_cast<double>(D) / 256 + 6;
  SdpaRow result;
  result.weights.resize(Lk);
  double peak = -std::numeric_limits<double>::infinity(), error = 0;
  for (int64_t j = 0; j < Lk; ++j) {
    double sum = 0, magnitude = 0;
    for (int64_t d = 0; d < D; ++d) {
      const double term = static_cast<double>(q[d]) * k[j * D + d];
      sum += term;
      magnitude += Finite(term);
    }
    double score = sum * scale;
    const double mask = run.inputs.size() > 3 ? MaskAt(run.inputs[3], scores, row * Lk + j) : 0;
    score += mask;
    const double sizes = std::fabs(scale) * magnitude + Finite(mask);
    result.overflows |= magnitude >= kOverflows || sizes >= kOverflows;
    if (run.attrs.Bool("causal") && j > row % Lq) score = -std::numeric_limits<double>::infinity();
    result.weights[j] = score;
    peak = std::max(peak, score);
    const double flushed = (static_cast<double>(D) + 2) * kFlushed * (1 + std::fabs(scale));
    if (std::isfinite(score)) error = std::max(error, kRoundoff * (roundings + 2) * sizes + flushed);
  }
  double sum = 0, farthest = 0;
  for (double& weight : result.weights) {
    if (std::isfinite(weight)) farthest = std::max(farthest, std::min(peak - weight, 104.0));
    sum += weight = std::exp(weight - peak);
  }
  for (double& weight : result.weights) weight /= sum;
  // Beyond that the bound says nothing: exp has multiplied the error.
  result.error = 2 * error + kRoundoff * (farthest + SumOfExponentials(static_cast<double>(Lk)));
  result.overflows |= error > 0.1;
  return result;
}

}  // namespace

std::vector<float> ResizeBounds(const NodeRun& run, const Tensor& expected) {
  std::vector<float> bounds;
  if (expected.num_elements() == 0) return bounds;
  const std::vector<double> rows = WeightSums(run, 0), columns = WeightSums(run, 1);
  const int64_t pixels = run.inputs[0].shape.dim(2) * run.inputs[0].shape.dim(3);
  for (int64_t first = 0; first < run.inputs[0].shape.num_elements(); first += pixels) {
    double largest = 0;
    for (int64_t i = first; i < first + pixels; ++i) largest = std::max(largest, Finite(Data(run.inputs[0])[i]));
    for (double row : rows) {
      for (double column : columns) {
        const double magnitude = largest * row * column;
        const bool overflows = magnitude >= kOverflows || largest * column >= kOverflows;
        bounds.push_back(BoundOf(overflows ? std::numeric_limits<double>::infinity()
                                           : 8 * kRoundoff * magnitude + 20 * (1 + row) * kFlushed));
      }
    }
  }
  return bounds;
}

std::vector<float> SdpaBounds(const NodeRun& run, const Tensor& expected) {
  Shape scores = run.inputs[0].shape;
  scores.set_dim(-1, run.inputs[1].shape.dim(-2));
  const int64_t Lq = scores.dim(-2), Lk = scores.dim(-1), Dv = run.inputs[2].shape.dim(-1);
  const double roundings = std::min<double>(static_cast<double>(Lk), 256) + static_cast<double>(Lk) / 256 + 6;
  std::vector<float> bounds(expected.num_elements());
  const int64_t rows = Dv == 0 ? 0 : expected.num_elements() / Dv;
  for (int64_t r = 0; r < rows; ++r) {
    const SdpaRow row = RowOfSdpa(run, scores, r);
    for (int64_t d = 0; d < Dv; ++d) {
      double weighted = 0, sizes = 0;
      bool overflows = row.overflows;
      for (int64_t j = 0; j < Lk; ++j) {
        const double v = Data(run.inputs[2])[(r / Lq * Lk + j) * Dv + d];
        weighted += Finite(row.weights[j]) * Finite(v);
        sizes += Finite(v);
        // The op leaves open what these do under a weight of 0, and small weights may have been flushed.
        overflows |= !std::isfinite(v) && !(row.weights[j] >= 1e-30);
      }
      const double bound = (row.error + roundings * kRoundoff) * weighted + 4 * kFlushed * (sizes + 1);
      overflows |= weighted >= kOverflows;
      bounds[r * Dv + d] = overflows ? std::numeric_limits<float>::infinity() : BoundOf(bound);
    }
  }
  return bounds;
}

}  // namespace rml
