// How far one node's result may lie from its op's reference on the same inputs. The only place where the random graphs
// say so; Python's check of REFERENCE reads the same numbers from files.
//
// Nodes are judged one by one, each on the inputs that it had in the run: an error does not grow through the graph, and
// what is discontinuous (comparisons, casts, top_k, gather) sees the same numbers on both sides. Together with a chain
// of references that equals RunReference() this says more than comparing whole outputs, whose bound would have to allow
// for every amplification on the way. u = 2^-24 is a rounding to f32; references compute in f64 and round once.
//
//   moves, arithmetic, comparisons, sqrt, ...  the same bits; scatter_add too, whose order of sums is part of it
//   clamp, max and min of many                 the same values: which of two zeros is left open
//   exp log sin cos tanh sigmoid erf rsqrt pow 2.5 units in the last place of the result (2 of ours, 0.5 of the reference)
//   gelu                                       1e-5 relative down to x = -10, 1e-22 absolute below
//   sums, means, products, convolutions        (n + n / 256 + 6) u S, S = the sum of the terms' magnitudes: the bound for
//                                              n = min(terms, 256) roundings in a row (a reduction's lane has 64)
//   reduce_prod                                one unit in the last place, as it multiplies in f64
//   softmax, log_softmax                       x - max is rounded once, then exp and the sum: in terms of |log y|
//   layer_norm                                 8 u of each part; the mean is exact to u^2
//   resize2d                                   8 u of the image's largest magnitude times the weights' (nearest: the same bits)
//   sdpa                                       each score's error, which the weights multiply, then that of the sum
//
// To all but the first two: 2^-126 for each intermediate that may have been flushed to zero. Where the magnitudes S of
// an f32 sum reach the largest float, its partial sums may overflow in one order and not in another: then anything
// goes. NaN equals NaN, infinities equal themselves, i32 is exact.
#pragma once

#include <string>
#include <vector>

#include "engine/ops/op.h"

namespace rml {

enum class Agreement : uint8_t {
  kBits,    // any NaN equals any other; a subnormal number equals the zero of its sign
  kValues,  // also 0 equals -0
  kBounds,
};

struct OutputTolerance {
  Agreement agreement = Agreement::kBits;
  // kBounds: for each element how much it may differ; infinity: anything goes.
  std::vector<float> bounds{};
};

struct NodeRun {
  const OpDef& op;
  const OpAttrs& attrs;
  std::vector<ConstTensorView> inputs;
};

// For each output; `expected` is what the reference gave.
std::vector<OutputTolerance> TolerancesOf(const NodeRun& run, const std::vector<Tensor>& expected);

// What is wrong with `actual`, naming the element; empty if nothing is.
std::string Disagreement(const ConstTensorView& actual, const ConstTensorView& expected,
                         const OutputTolerance& tolerance);

// Runs the op's reference, in the mode for subnormal numbers in which the engine runs.
absl::StatusOr<std::vector<Tensor>> RunNodeReference(const NodeRun& run);

// The bounds of single families, in row order (row_tolerance.cc).
std::vector<float> SoftmaxBounds(const NodeRun& run, const Tensor& expected);
std::vector<float> LayerNormBounds(const NodeRun& run, const Tensor& expected);
std::vector<float> ResizeBounds(const NodeRun& run, const Tensor& expected);
std::vector<float> SdpaBounds(const NodeRun& run, const Tensor& expected);

// What those files share.
inline constexpr double kRoundoff = 0x1p-24;
inline constexpr double kFlushed = 0x1p-126;
// Above it f32 sums may overflow in some order.
inline constexpr double kOverflows = 3.3e38;
float BoundOf(double bound);  // infinity if it is no number

}  // namespace rml
