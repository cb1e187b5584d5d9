#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

constexpr IntRange kAllInts = {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};

// Where indices into an axis of `size` elements may lie; a few beyond, or anywhere, unless that is an error.
IntRange IndexRange(Rng& rng, bool may_be_outside, bool wraps, int64_t size) {
  if (may_be_outside) return rng.Chance(0.15) ? kAllInts : IntRange{-size - 2, size + 2};
  return {wraps ? -size : 0, size - 1};
}

// Data that is indexed along one axis as the features "axis" and "rank" want it; `data` is kNone if there is none.
struct IndexedData {
  ValueId data = GraphDraft::kNone;
  int axis = 0;
  int64_t least_size = 0;  // of the axis: indices are the same for all row counts
};

IndexedData ChooseData(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int place = draft.Wanted("axis");  // first, middle, last, only
  const int lowest = place == 3 ? 1 : place == 1 ? 3 : 2;
  const int highest = place == 3 ? 1 : 6;
  const int rank = draft.WantedRank(1, lowest, place == 3 ? 1 : kMaxRank);
  const bool exactly = rng.Chance(0.5);
  const ValueId data = draft.Operand(
      0, draft.data_type(),
      [&](ValueId id) {
        const int has = draft.rank(id);
        return has >= lowest && has <= highest && (!exactly || has == rank);
      },
      draft.RandomDims(rank));
  if (data == GraphDraft::kNone) return {};
  const int has = draft.rank(data);
  const int axis = place == 1 ? static_cast<int>(rng.Between(1, has - 2)) : place == 2 ? has - 1 : 0;
  return {data, axis, draft.dims(data)[axis].At(draft.style().min_rows)};
}

}  // namespace

bool MakeGather(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const auto [data, axis, least_size] = ChooseData(draft);
  if (data == GraphDraft::kNone) return false;
  const std::string mode = std::vector<std::string>{"error", "clamp", "fill"}[draft.Wanted("mode")];
  const int indices_rank =
      std::min(draft.Wanted("indices rank") == 2 ? 2 + static_cast<int>(rng.Below(2)) : static_cast<int>(rng.Below(2)),
               kMaxRank + 1 - draft.rank(data));
  Dims dims = draft.RandomDims(indices_rank, 60);
  if (least_size == 0 && mode != "fill") {
    if (dims.empty()) return false;
    dims[0] = Dim(0);
  }
  Attrs attrs = {{"axis", Dim(axis)}, {"mode", mode}};
  AddBool(draft, "wrap", attrs);
  const bool wraps = attrs.size() == 3 && std::get<bool>(attrs[2].second);
  const ValueId indices = draft.Indices(1, dims, IndexRange(rng, mode != "error", wraps, least_size));
  return draft.Add("gather", {data, indices}, attrs) != GraphDraft::kNone;
}

bool MakeElementIndexed(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const bool scatters = draft.op().name == "scatter_add";
  const auto [data, axis, least_size] = ChooseData(draft);
  if (data == GraphDraft::kNone) return false;
  const std::string mode = std::vector<std::string>{"error", "clamp", scatters ? "drop" : "fill"}[draft.Wanted("mode")];
  // As many indices as data, more (along the axis), or fewer (along any).
  Dims dims = draft.dims(data);
  const int amount = draft.Wanted("indices");
  if (amount == 1)
    dims[axis] =
        dims[axis].symbolic() ? Dim::TimesB(dims[axis].factor() + 1) : Dim(dims[axis].factor() + rng.Between(1, 9));
  for (Dim& dim : dims) {
    if (amount == 2 && !dim.symbolic()) dim = Dim(rng.Below(dim.factor() + 1));
  }
  if (least_size == 0 && mode != "fill" && mode != "drop") dims[axis] = Dim(0);
  Attrs attrs = {{"axis", Dim(axis)}, {"mode", mode}};
  AddBool(draft, "wrap", attrs);
  const bool wraps = attrs.size() == 3 && std::get<bool>(attrs[2].second);
  const ValueId indices = draft.Indices(1, dims, IndexRange(rng, mode != "error", wraps, least_size));
  std::vector<ValueId> inputs = {data, indices};
  if (scatters) inputs.push_back(draft.Operand(2, draft.data_type(), dims));
  return draft.Add(draft.op().name, inputs, attrs) != GraphDraft::kNone;
}

bool MakeConcat(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int place = draft.Wanted("axis");
  const int lowest = place == 3 ? 1 : place == 1 ? 3 : 2;
  const int highest = place == 3 ? 1 : kMaxRank;
  const int rank = draft.WantedRank(1, lowest, highest);
  const ValueId first = draft.Operand(
      0, draft.data_type(),
      [&](ValueId id) {
        const int has = draft.rank(id);
        return has >= lowest && has <= highest;
      },
      draft.RandomDims(rank));
  if (first == GraphDraft::kNone) return false;
  const int has = draft.rank(first);
  const int axis = place == 1 ? static_cast<int>(rng.Between(1, has - 2)) : place == 2 ? has - 1 : 0;
  const int form = draft.Wanted("inputs");  // 1, 2, 3 or more, one twice
  const int64_t count = form == 2 ? rng.Between(3, 6) : form + 1;
  std::vector<ValueId> inputs = {first};
  for (int64_t i = 1; i < (form == 3 ? rng.Between(1, 3) : count); ++i) {
    Dims dims = draft.dims(first);
    Dim& dim = dims[axis];
    if (rng.Chance(0.6))
      dim = dim.symbolic() ? Dim::TimesB(rng.Between(1, 3)) : Dim(rng.Between(draft.style().zeros ? 0 : 1, 9));
    inputs.push_back(draft.Operand(0, draft.data_type(), dims));
  }
  if (form == 3) inputs.insert(inputs.begin() + rng.Below(static_cast<int64_t>(inputs.size())), first);
  return draft.Add("concat", inputs, {{"axis", Dim(axis)}}) != GraphDraft::kNone;
}

bool MakePad(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int rank = draft.WantedRank(0, 0, kMaxRank);
  // zero, one axis, several: as far as the rank allows
  const int before_option = std::min(draft.Wanted("before"), rank),
            after_option = std::min(draft.Wanted("after"), rank);
  const int lowest = std::max(before_option, after_option);
  const ValueId x =
      draft.Operand(0, draft.data_type(), [&](ValueId id) { return draft.rank(id) >= lowest; }, draft.RandomDims(rank));
  if (x == GraphDraft::kNone) return false;
  const int has = draft.rank(x);
  Attrs attrs;
  for (const auto& [name, option] : {std::pair("before", before_option), std::pair("after", after_option)}) {
    std::vector<int> axes(has);
    for (int i = 0; i < has; ++i) axes[i] = i;
    rng.Shuffle(axes);
    Dims list(has, Dim(0));
    for (int i = 0; i < (option == 2 ? has : option); ++i) {
      // Along B only by multiples of it.
      const bool symbolic = draft.dims(x)[axes[i]].symbolic();
      list[axes[i]] = symbolic ? (rng.Chance(0.5) ? Dim::TimesB(1) : Dim(0)) : Dim(rng.Between(1, 3));
    }
    attrs.emplace_back(name, IntList(list));
  }
  const int value = draft.Wanted("value");  // zero, positive, negative, absent
  const bool whole = draft.data_type() == DType::kI32;
  const std::vector<double> positive =
      whole ? std::vector<double>{1, 7, 2147483647} : std::vector<double>{0.5, 1e-40, 3e38};
  const std::vector<double> negative =
      whole ? std::vector<double>{-1, -2147483648.0} : std::vector<double>{-1.25, -3e38};
  if (value < 3) attrs.emplace_back("value", value == 0 ? 0.0 : rng.Pick(value == 1 ? positive : negative));
  return draft.Add("pad", {x}, attrs) != GraphDraft::kNone;
}

}  // namespace rml
