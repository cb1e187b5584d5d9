#include "tests/engine/random/motifs.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace rml {
namespace {

constexpr ValueId kNone = GraphDraft::kNone;

// The newest value if it is f32 of that rank and not empty, else a new input.
ValueId LastOr(GraphDraft& draft, int rank, const Dims& dims) {
  const ValueId last = draft.last();
  const bool fits = last != kNone && draft.dtype(last) == DType::kF32 && draft.rank(last) == rank &&
                    draft.Elements(draft.dims(last)) > 0 && draft.rng().Chance(0.6);
  return fits ? last : draft.NewInput(DType::kF32, dims);
}

ValueId AddActivation(GraphDraft& draft, ValueId x) {
  static const std::vector<std::string_view> ops = {"relu", "tanh", "sigmoid", "gelu", "exp", "neg"};
  const std::string_view op = draft.rng().Pick(ops);
  Attrs attrs;
  if (op == "gelu" && draft.rng().Chance(0.6)) attrs.emplace_back("approximate", std::string("tanh"));
  return draft.Add(op, {x}, attrs);
}

// The sum with the operands in any order.
ValueId AddSum(GraphDraft& draft, ValueId a, ValueId b) {
  return draft.rng().Chance(0.5) ? draft.Add("add", {a, b}) : draft.Add("add", {b, a});
}

double LinearWork(const GraphDraft& draft, ValueId x, int64_t N) {
  return static_cast<double>(draft.Elements(draft.dims(x))) * static_cast<double>(N);
}

// x W [+ bias] [+ value] [activation], in this order or another, W a constant.
bool Linear(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int rank = static_cast<int>(rng.Between(2, 3));
  const ValueId x = LastOr(draft, rank, draft.RandomDims(rank));
  if (x == kNone || draft.dims(x).back().symbolic()) return false;
  const Dim K = draft.dims(x).back();
  const int64_t N = rng.Between(1, 70);
  ValueId y = draft.Add("matmul", {x, draft.NewConstant(DType::kF32, {K, Dim(N)})}, {}, LinearWork(draft, x, N));
  if (y == kNone) return false;
  std::vector<int> tail = {0, 1, 2};  // bias, addend, activation
  if (rng.Chance(0.3)) rng.Shuffle(tail);
  for (int part : tail) {
    if (y == kNone || rng.Chance(0.3)) continue;
    if (part == 0) {
      y = AddSum(draft, y, draft.NewConstant(DType::kF32, rng.Chance(0.8) ? Dims{Dim(N)} : Dims{Dim(1), Dim(N)}));
    } else if (part == 1) {
      y = AddSum(draft, y,
                 draft.New(rng.Chance(0.6) ? Origin::kInput : Origin::kView, DType::kF32, Dims(draft.dims(y))));
    } else {
      y = AddActivation(draft, y);
    }
  }
  return true;
}

// A convolution, a constant per channel, an activation.
bool ConvBias(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int64_t side = rng.Between(3, 9);
  const Dim images = draft.style().symbolic ? Dim::TimesB(1) : Dim(rng.Between(1, 3));
  const ValueId x = LastOr(draft, 4, {images, Dim(rng.Between(1, 5)), Dim(side), Dim(side)});
  if (x == kNone || draft.dims(x)[1].symbolic()) return false;
  const Dim in = draft.dims(x)[1];
  const int64_t out = rng.Chance(0.2) ? 1 : rng.Between(2, 18), kernel = rng.Between(1, 3);
  const ValueId w = draft.NewConstant(DType::kF32, {Dim(out), in, Dim(kernel), Dim(kernel)});
  const double work = LinearWork(draft, x, out * kernel * kernel);
  const ValueId y = draft.Add("conv2d", {x, w}, {{"pads", IntList({Dim(1), Dim(1), Dim(0), Dim(1)})}}, work);
  if (y == kNone) return false;
  const std::vector<Dims> shapes = {{Dim(out), Dim(1), Dim(1)}, {Dim(1), Dim(out), Dim(1), Dim(1)}, {}, {Dim(1)}};
  const ValueId sum = AddSum(draft, y, draft.NewConstant(DType::kF32, rng.Pick(shapes)));
  if (sum != kNone && rng.Chance(0.7)) AddActivation(draft, sum);
  return true;
}

// Elementwise ops on one shape, with rows, columns, numbers and earlier results as second operands, and reshapes between.
bool ElementwiseChain(GraphDraft& draft) {
  Rng& rng = draft.rng();
  static const std::vector<std::string_view> binary = {"add", "sub", "mul", "div", "maximum", "minimum", "pow"};
  static const std::vector<std::string_view> unary = {"neg", "abs", "relu", "tanh", "sigmoid", "erf", "sin", "sqrt"};
  const int rank = static_cast<int>(rng.Between(1, 3));
  ValueId y = LastOr(draft, rank, draft.RandomDims(rank));
  if (y == kNone) return false;
  std::vector<ValueId> made = {y};
  const Dims dims = draft.dims(y);
  const int64_t length = rng.Between(3, 9);
  for (int64_t i = 0; i < length; ++i) {
    const double kind = rng.Unit();
    ValueId next;
    if (kind < 0.35) {
      next = draft.Add(rng.Pick(unary), {y});
    } else if (kind < 0.45 && !dims.empty() && dims.size() < kMaxRank) {
      Dims wider = draft.dims(y);
      wider.insert(wider.begin() + rng.Below(static_cast<int64_t>(wider.size()) + 1), Dim(1));
      next = wider.size() <= kMaxRank ? draft.Add("reshape", {y}, {{"shape", IntList(wider)}}) : y;
    } else {
      Dims other = draft.dims(y);
      const int64_t form = rng.Below(4);  // a row, a column, a number, an earlier result
      if (form == 0 && !other.empty()) other = {other.back()};
      if (form == 1 && !other.empty()) other.back() = Dim(1);
      if (form == 2) other = {};
      const ValueId earlier = rng.Pick(made);
      const bool reuses = form == 3 && draft.dims(earlier) == draft.dims(y);
      const ValueId b =
          reuses ? earlier : draft.New(rng.Chance(0.5) ? Origin::kConstant : Origin::kInput, DType::kF32, other);
      const bool swapped = rng.Chance(0.3);
      next = draft.Add(rng.Pick(binary), swapped ? std::vector<ValueId>{b, y} : std::vector<ValueId>{y, b});
    }
    if (next == kNone) return i > 0;
    y = next;
    made.push_back(y);
  }
  return true;
}

// Heads by reshape and transpose, attention, and back.
bool Attention(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const Dim rows = draft.style().symbolic ? Dim::TimesB(1) : Dim(rng.Between(1, 2));
  const int64_t length = rng.Between(1, 9), heads = rng.Between(1, 3), depth = rng.Between(1, 8);
  const int64_t width = heads * depth;
  const ValueId x = draft.NewInput(DType::kF32, {rows, Dim(length), Dim(width)});
  std::vector<ValueId> qkv;
  for (int i = 0; i < 3; ++i) {
    const ValueId w = draft.NewConstant(DType::kF32, {Dim(width), Dim(width)});
    ValueId y = draft.Add("matmul", {x, w}, {}, LinearWork(draft, x, width));
    if (rng.Chance(0.5) && y != kNone) y = draft.Add("add", {y, draft.NewConstant(DType::kF32, {Dim(width)})});
    y = draft.Add("reshape", {y}, {{"shape", IntList({rows, Dim(length), Dim(heads), Dim(depth)})}});
    qkv.push_back(draft.Add("transpose", {y}, {{"perm", IntList({Dim(0), Dim(2), Dim(1), Dim(3)})}}));
  }
  const double work = static_cast<double>(draft.At(rows) * heads * length * length * (2 * depth + 20));
  ValueId y = draft.Add("sdpa", qkv, {{"scale", 0.35}, {"causal", rng.Chance(0.5)}}, work);
  y = draft.Add("transpose", {y}, {{"perm", IntList({Dim(0), Dim(2), Dim(1), Dim(3)})}});
  y = draft.Add("reshape", {y}, {{"shape", IntList({rows, Dim(length), Dim(width)})}});
  if (y != kNone && rng.Chance(0.7)) {
    y = draft.Add("add", {y, x});
    draft.Add("layer_norm", {y}, {{"axes", IntList({Dim(2)})}, {"eps", 1e-5}});
  }
  return !qkv.empty() && qkv[0] != kNone;
}

// Parts of the last axis by slice, something done to each, and concat: the gates of a recurrent cell.
bool SplitAndConcat(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int64_t parts = rng.Between(2, 4), width = rng.Between(1, 9);
  Dims dims = draft.RandomDims(2);
  dims[1] = Dim(parts * width);
  const ValueId x = draft.NewInput(DType::kF32, dims);
  const ValueId gates = AddActivation(draft, x);
  std::vector<ValueId> ends;
  for (int64_t i = 0; i < parts; ++i) {
    ValueId part = draft.Add("slice", {gates},
                             {{"axes", IntList({Dim(1)})},
                              {"starts", IntList({Dim(i * width)})},
                              {"ends", IntList({Dim((i + 1) * width)})},
                              {"steps", IntList({Dim(1)})}});
    if (part != kNone && rng.Chance(0.7)) part = AddActivation(draft, part);
    ends.push_back(part);
  }
  if (rng.Chance(0.5)) return draft.Add("mul", {ends[0], ends[1]}) != kNone;
  rng.Shuffle(ends);
  return draft.Add("concat", ends, {{"axis", Dim(1)}}) != kNone;
}

}  // namespace

bool AddMotif(GraphDraft& draft) {
  using Motif = bool (*)(GraphDraft&);
  static const std::vector<Motif> motifs = {&Linear,           &Linear,    &ConvBias,
                                            &ElementwiseChain, &Attention, &SplitAndConcat};
  return draft.rng().Pick(motifs)(draft);
}

}  // namespace rml
