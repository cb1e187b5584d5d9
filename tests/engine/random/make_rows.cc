#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

// Around a vector, a lane's 64 terms, and blocks of sixteen lanes.
int64_t LongRow(GraphDraft& draft) {
  return draft.rng().Pick(
      std::vector<int64_t>{63, 64, 65, 127, 128, 255, 256, 257, 1023, 1024, 1025, 1040, 2049, 3000});
}

struct AxisChoice {
  ValueId x = GraphDraft::kNone;
  int axis = 0;
};

// Operand 0 and an axis of it where feature "axis" wants it.
AxisChoice ChooseAxis(GraphDraft& draft, DType dtype) {
  Rng& rng = draft.rng();
  const int place = draft.Wanted("axis");  // first, middle, last, only
  const int lowest = place == 3 ? 1 : place == 1 ? 3 : 2;
  const int highest = place == 3 ? 1 : kMaxRank;
  const int rank = draft.WantedRank(1, lowest, highest);
  const auto axis_of = [&](int of_rank) {
    return place == 1 ? static_cast<int>(rng.Between(1, of_rank - 2)) : place == 2 ? of_rank - 1 : 0;
  };
  Dims dims = draft.RandomDims(rank);
  const int axis = axis_of(rank);
  if (rng.Chance(0.15) && !dims[axis].symbolic()) {
    dims = draft.RandomDims(rank, 6);
    if (!dims[axis].symbolic()) dims[axis] = Dim(LongRow(draft));
  }
  const bool exactly = rng.Chance(0.5);
  const ValueId x = draft.Operand(
      0, dtype,
      [&](ValueId id) {
        const int has = draft.rank(id);
        return has >= lowest && has <= highest && (!exactly || has == rank);
      },
      dims);
  if (x == GraphDraft::kNone) return {};
  return {x, draft.rank(x) == rank ? axis : axis_of(draft.rank(x))};
}

Dims RandomAxes(GraphDraft& draft, int rank, size_t count) {
  std::vector<int64_t> axes(rank);
  for (int i = 0; i < rank; ++i) axes[i] = i;
  draft.rng().Shuffle(axes);
  axes.resize(count);
  return {axes.begin(), axes.end()};
}

}  // namespace

bool MakeSoftmax(GraphDraft& draft) {
  const AxisChoice choice = ChooseAxis(draft, DType::kF32);
  if (choice.x == GraphDraft::kNone) return false;
  const double work = 6.0 * static_cast<double>(draft.Elements(draft.dims(choice.x)));
  return draft.Add(draft.op().name, {choice.x}, {{"axis", Dim(choice.axis)}}, work) != GraphDraft::kNone;
}

bool MakeLayerNorm(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("axes");  // one, several, all
  const int lowest = option == 0 ? 2 : option == 1 ? 3 : 1;
  const int rank = draft.WantedRank(1, lowest, kMaxRank);
  Dims dims = draft.RandomDims(rank);
  if (rng.Chance(0.2) && rank <= 2) dims.back() = Dim(LongRow(draft));
  const ValueId x = draft.Operand(0, DType::kF32, [&](ValueId id) { return draft.rank(id) >= lowest; }, dims);
  if (x == GraphDraft::kNone) return false;
  const int has = draft.rank(x);
  const int64_t count = option == 0 ? 1 : option == 2 ? has : rng.Between(2, has - 1);
  Dims axes, normalized;
  for (int64_t axis = has - count; axis < has; ++axis) {
    axes.push_back(Dim(axis));
    normalized.push_back(draft.dims(x)[axis]);
  }
  std::vector<ValueId> inputs = {x};
  const int more = draft.Wanted("inputs");
  for (int i = 1; i <= more; ++i) inputs.push_back(draft.Operand(i, DType::kF32, normalized));
  const double eps = draft.Wanted("eps") == 0 ? 0.0 : rng.Pick(std::vector<double>{1e-5, 1e-6, 1e-12, 0.5});
  const double work = 6.0 * static_cast<double>(draft.Elements(draft.dims(x)));
  return draft.Add("layer_norm", inputs, {{"axes", IntList(axes)}, {"eps", eps}}, work) != GraphDraft::kNone;
}

bool MakeReduce(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int rank = draft.WantedRank(0, 0, kMaxRank);
  const int wanted = draft.Wanted("axes");  // none, one, several, unsorted
  const int option = rank < 2 ? std::min(wanted, rank) : wanted;
  const int lowest = std::min(option, 2);
  Dims dims = draft.RandomDims(rank);
  if (rank > 0 && rank <= 3 && rng.Chance(0.15)) {
    dims = draft.RandomDims(rank, 6);
    Dim& dim = dims[rng.Below(rank)];
    if (!dim.symbolic()) dim = Dim(LongRow(draft));
  }
  // Products of many ordinary numbers are 0 or infinite.
  const bool near_one = draft.op().name == "reduce_prod" && rng.Chance(0.7);
  if (near_one) draft.ForceKind(FloatKind::kPositive);
  const bool exactly = near_one || rng.Chance(0.4);
  const ValueId x = draft.Operand(
      0, draft.data_type(), [&](ValueId id) { return exactly ? draft.dims(id) == dims : draft.rank(id) >= lowest; },
      dims);
  draft.ForceKind({});
  if (x == GraphDraft::kNone) return false;
  const int has = draft.rank(x);
  Dims axes = RandomAxes(draft, has, option < 2 ? option : rng.Between(2, has));
  const auto less = [](const Dim& a, const Dim& b) { return a.factor() < b.factor(); };
  std::sort(axes.begin(), axes.end(), less);
  if (option == 3) std::swap(axes.front(), axes.back());
  Attrs attrs = {{"axes", IntList(axes)}};
  AddBool(draft, "keep_dims", attrs);
  return draft.Add(draft.op().name, {x}, attrs) != GraphDraft::kNone;
}

bool MakeArgExtreme(GraphDraft& draft) {
  const bool floats = draft.data_type() == DType::kF32;
  if (floats && draft.rng().Chance(0.5)) draft.ForceKind(FloatKind::kWhole);  // ties
  const AxisChoice choice = ChooseAxis(draft, draft.data_type());
  draft.ForceKind({});
  if (choice.x == GraphDraft::kNone) return false;
  Attrs attrs = {{"axis", Dim(choice.axis)}};
  AddBool(draft, "keep_dims", attrs);
  return draft.Add(draft.op().name, {choice.x}, attrs) != GraphDraft::kNone;
}

bool MakeCumsum(GraphDraft& draft) {
  const AxisChoice choice = ChooseAxis(draft, draft.data_type());
  if (choice.x == GraphDraft::kNone) return false;
  Attrs attrs = {{"axis", Dim(choice.axis)}};
  AddBool(draft, "exclusive", attrs);
  AddBool(draft, "reverse", attrs);
  return draft.Add("cumsum", {choice.x}, attrs) != GraphDraft::kNone;
}

bool MakeTopK(GraphDraft& draft) {
  Rng& rng = draft.rng();
  if (rng.Chance(0.5)) draft.ForceKind(FloatKind::kWhole);  // ties
  const AxisChoice choice = ChooseAxis(draft, DType::kF32);
  draft.ForceKind({});
  if (choice.x == GraphDraft::kNone) return false;
  const Dim size = draft.dims(choice.x)[choice.axis];
  const int option = draft.Wanted("k");  // 0, 1, some, all
  Dim k = option == 0 ? Dim(0) : option == 1 ? Dim(1) : size;
  if (option == 2) {
    k = size.symbolic() ? Dim::TimesB(rng.Between(1, size.factor()))
                        : Dim(std::min(size.factor(), rng.Between(2, size.factor() - 1)));
  }
  Attrs attrs = {{"k", k}, {"axis", Dim(choice.axis)}};
  AddBool(draft, "largest", attrs);
  const double work = 20.0 * static_cast<double>(draft.Elements(draft.dims(choice.x)));
  return draft.Add("top_k", {choice.x}, attrs, work) != GraphDraft::kNone;
}

}  // namespace rml
