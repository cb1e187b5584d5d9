#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

// Any value; more often one of the rank that the coverage asks for. New ones have that rank.
ValueId AnyOperand(GraphDraft& draft, int index, DType dtype) {
  const int rank = draft.WantedRank(0, 0, kMaxRank);
  const bool exactly = draft.rng().Chance(0.5);
  return draft.Operand(
      index, dtype, [&](ValueId id) { return !exactly || draft.rank(id) == rank; }, draft.RandomDims(rank));
}

bool IsLong(const Dim& dim) { return dim.symbolic() || dim.factor() > 1; }

// The whole operand, of a shape under which another can repeat in the wanted way: at least `rank` axes, of which those
// listed (from the end) are longer than one element.
ValueId WholeOperand(GraphDraft& draft, int index, DType dtype, int rank, const std::vector<int>& long_axes) {
  const auto fits = [&](const Dims& dims) {
    if (static_cast<int>(dims.size()) < rank) return false;
    return std::all_of(long_axes.begin(), long_axes.end(),
                       [&](int from_end) { return IsLong(dims[dims.size() - from_end]); });
  };
  Dims dims = draft.RandomDims(draft.WantedRank(0, rank, kMaxRank), rank > 2 ? 600 : 0);
  for (int from_end : long_axes) {
    Dim& dim = dims[dims.size() - from_end];
    if (!IsLong(dim)) dim = Dim(draft.rng().Between(2, 5));
  }
  return draft.Operand(index, dtype, [&](ValueId id) { return fits(draft.dims(id)); }, dims);
}

Dims WithLeadingOnes(GraphDraft& draft, Dims dims, size_t rank) {
  while (dims.size() < rank && draft.rng().Chance(0.3)) dims.insert(dims.begin(), Dim(1));
  return dims;
}

// The dims of an operand that repeats under `whole`. kinds: 0 one element, 1 a row, 2 a column, 3 something else.
Dims Repeating(GraphDraft& draft, const Dims& whole, int kind) {
  Rng& rng = draft.rng();
  const size_t rank = whole.size();
  switch (kind) {
    case 0:
      return WithLeadingOnes(draft, {}, rank);
    case 1:  // from the last axis on, but not all axes
      return WithLeadingOnes(draft, Dims(whole.end() - rng.Between(1, static_cast<int64_t>(rank) - 1), whole.end()),
                             rank);
    case 2: {
      Dims column = whole;
      column.back() = Dim(1);
      return column;
    }
    default: {
      Dims other = whole;
      other[rank - 2] = Dim(1);
      return other;
    }
  }
}

bool AddBinary(GraphDraft& draft, ValueId a, ValueId b) {
  return draft.Add(draft.op().name, {a, b}) != GraphDraft::kNone;
}

// Both operands repeat, along different axes.
bool MakeBothRepeat(GraphDraft& draft) {
  const Dims result = draft.RandomDims(draft.WantedRank(0, 2, kMaxRank));
  Dims a = result, b = result;
  a.back() = Dim(1);
  b[draft.rng().Below(static_cast<int64_t>(b.size()) - 1)] = Dim(1);
  const ValueId left = draft.Operand(0, draft.data_type(), a);
  return AddBinary(draft, left, draft.Operand(1, draft.data_type(), b));
}

}  // namespace

bool MakeUnary(GraphDraft& draft) {
  static const std::vector<std::string_view> positive = {"log", "log1p", "sqrt", "rsqrt"};
  const bool wants_positive = std::find(positive.begin(), positive.end(), draft.op().name) != positive.end();
  if (wants_positive && draft.rng().Chance(0.6)) draft.ForceKind(FloatKind::kPositive);
  const ValueId x = AnyOperand(draft, 0, draft.data_type());
  draft.ForceKind({});
  return draft.Add(draft.op().name, {x}) != GraphDraft::kNone;
}

bool MakeGelu(GraphDraft& draft) {
  const ValueId x = AnyOperand(draft, 0, DType::kF32);
  Attrs attrs;
  const int option = draft.Wanted("approximate");  // none, tanh, absent
  if (option < 2) attrs.emplace_back("approximate", std::string(option == 0 ? "none" : "tanh"));
  return draft.Add("gelu", {x}, attrs) != GraphDraft::kNone;
}

bool MakeBinary(GraphDraft& draft) {
  const DType dtype = draft.data_type();
  // same, a scalar, a row, a column, a other, b scalar, b row, b column, b other, both
  const int shapes = draft.Wanted("shapes");
  if (shapes == 9) return MakeBothRepeat(draft);
  if (shapes == 0) {
    const ValueId a = AnyOperand(draft, 0, dtype);
    if (a == GraphDraft::kNone) return false;
    return AddBinary(draft, a, draft.rng().Chance(0.1) ? a : draft.Operand(1, dtype, Dims(draft.dims(a))));
  }
  const int kind = (shapes - 1) % 4;
  const bool a_repeats = shapes < 5;
  const std::vector<std::vector<int>> long_axes = {{}, {}, {1, 2}, {1, 2, 3}};
  const std::vector<int> ranks = {0, 2, 2, 3};
  const ValueId whole = WholeOperand(draft, a_repeats ? 1 : 0, dtype, ranks[kind], long_axes[kind]);
  if (whole == GraphDraft::kNone) return false;
  const Dims dims = Repeating(draft, draft.dims(whole), kind);
  // pow has kernels for some constant exponents.
  static const std::vector<float> exponents = {2, 3, -1, 0.5, -0.5, 1, 0, -2, 2.5};
  const bool exponent = draft.op().name == "pow" && !a_repeats && kind == 0 && draft.rng().Chance(0.5);
  const ValueId repeating =
      exponent ? draft.NewFilled(dims, draft.rng().Pick(exponents)) : draft.Operand(a_repeats ? 0 : 1, dtype, dims);
  return a_repeats ? AddBinary(draft, repeating, whole) : AddBinary(draft, whole, repeating);
}

bool MakeWhere(GraphDraft& draft) {
  const int repeats = draft.Wanted("repeats");  // none, c, a, b
  const Dims result = [&] {
    const ValueId last = draft.last();
    const bool like_last = last != GraphDraft::kNone && draft.rng().Chance(0.4);
    return like_last ? Dims(draft.dims(last)) : draft.RandomDims(draft.WantedRank(0, 0, kMaxRank));
  }();
  std::vector<ValueId> operands;
  for (int i = 0; i < 3; ++i) {
    Dims dims = result;
    const bool repeats_here = repeats == i + 1 || (repeats > 0 && draft.rng().Chance(0.2));
    if (repeats_here && !dims.empty()) {
      const bool inner_axis_repeats = draft.rng().Chance(0.5);
      dims = inner_axis_repeats ? Repeating(draft, dims, draft.rng().Chance(0.5) ? 0 : 2) : Dims{dims.back()};
    }
    if (i == 0 && draft.rng().Chance(0.6)) draft.ForceKind(FloatKind::kZeroOne);
    operands.push_back(draft.Operand(i, i == 0 ? DType::kF32 : draft.data_type(), dims));
    draft.ForceKind({});
  }
  return draft.Add("where", operands) != GraphDraft::kNone;
}

bool MakeClamp(GraphDraft& draft) {
  static const auto* numbers = new std::vector<double>{-1.5, -1, -0.25, 0, -0.0, 0.5, 1, 6, 3e38, -3e38, 1e-40, 0.1};
  static const auto* wholes = new std::vector<double>{-2147483648.0, -1000, -3, 0, 1, 5, 65536, 2147483647.0};
  const ValueId x = AnyOperand(draft, 0, draft.data_type());
  const std::vector<double>& bounds = draft.data_type() == DType::kF32 ? *numbers : *wholes;
  double lo = draft.rng().Pick(bounds), hi = draft.rng().Pick(bounds);
  const int option = draft.Wanted("bounds");  // min, max, both, crossed
  if ((option == 2 && lo > hi) || (option == 3 && lo < hi)) std::swap(lo, hi);
  Attrs attrs;
  if (option != 1) attrs.emplace_back("min", lo);
  if (option != 0) attrs.emplace_back("max", hi);
  return draft.Add("clamp", {x}, attrs) != GraphDraft::kNone;
}

bool MakeCast(GraphDraft& draft) {
  if (draft.rng().Chance(0.2)) draft.ForceKind(FloatKind::kSpecial);
  const ValueId x = AnyOperand(draft, 0, draft.data_type());
  draft.ForceKind({});
  const std::string to = draft.Wanted("to") == 0 ? "f32" : "i32";
  return draft.Add("cast", {x}, {{"to", to}}) != GraphDraft::kNone;
}

}  // namespace rml
