#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

ValueId AnyOfRank(GraphDraft& draft, int lowest, int highest) {
  const int rank = draft.WantedRank(0, lowest, highest);
  const bool exactly = draft.rng().Chance(0.5);
  return draft.Operand(
      0, draft.data_type(),
      [&](ValueId id) {
        const int has = draft.rank(id);
        return has >= lowest && has <= highest && (!exactly || has == rank);
      },
      draft.RandomDims(rank));
}

// Axes i and i + 1 as one; false if both have B.
bool MergeAxes(Rng& rng, Dims& dims) {
  const int64_t i = rng.Below(static_cast<int64_t>(dims.size()) - 1);
  if (dims[i].symbolic() && dims[i + 1].symbolic()) return false;
  const bool symbolic = dims[i].symbolic() || dims[i + 1].symbolic();
  const int64_t product = dims[i].factor() * dims[i + 1].factor();
  dims[i] = symbolic && product > 0 ? Dim::TimesB(product) : Dim(product);
  dims.erase(dims.begin() + i + 1);
  return true;
}

// One axis as two, of which one may have a single element.
void SplitAxis(Rng& rng, Dims& dims) {
  if (dims.empty()) {
    dims.push_back(Dim(1));
    return;
  }
  const int64_t i = rng.Below(static_cast<int64_t>(dims.size()));
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= dims[i].factor(); ++d) {
    if (dims[i].factor() % d == 0) divisors.push_back(d);
  }
  const int64_t inner = divisors.empty() ? 1 : rng.Pick(divisors);
  const int64_t outer = dims[i].factor() / inner;
  dims[i] = dims[i].symbolic() ? Dim::TimesB(outer) : Dim(outer);
  dims.insert(dims.begin() + i + 1, Dim(inner));
}

// fewer axes, more axes, as many (2, 3, 4 of feature "shape").
std::optional<Dims> OtherShape(Rng& rng, Dims dims, int form) {
  const int64_t times = rng.Between(1, 2);
  for (int64_t i = 0; i < times; ++i) {
    if (form != 3 && dims.size() >= 2 && !MergeAxes(rng, dims)) return std::nullopt;
    if (form != 2 && dims.size() < kMaxRank) SplitAxis(rng, dims);
  }
  return dims;
}

Dims AxisList(Rng& rng, std::vector<int64_t> axes, size_t count, bool sorted) {
  rng.Shuffle(axes);
  axes.resize(std::min(axes.size(), count));
  if (sorted) std::sort(axes.begin(), axes.end());
  if (!sorted && std::is_sorted(axes.begin(), axes.end()) && axes.size() > 1) std::swap(axes.front(), axes.back());
  return {axes.begin(), axes.end()};
}

std::vector<int64_t> Iota(int64_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// How many axes the options none, one, several and unsorted of feature "axes" mean.
size_t AxisCount(Rng& rng, int option) { return option < 2 ? option : rng.Between(2, 3); }

// One limit of a slice of an axis with n elements, as features "starts" and "ends" want it: zero, inside, negative,
// beyond.
int64_t Limit(Rng& rng, int option, int64_t n) {
  if (option == 0) return 0;
  if (option == 1) return rng.Between(std::min<int64_t>(1, n), n);
  if (option == 2) return n == 0 ? -1 : -rng.Between(1, n);
  return rng.Chance(0.5) ? n + rng.Between(1, 3) : rng.Chance(0.8) ? -n - rng.Between(1, 3) : (int64_t{1} << 40);
}

}  // namespace

bool MakeReshape(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int form = draft.Wanted("shape");  // with -1, same, fewer axes, more axes, as many
  const ValueId x = AnyOfRank(draft, form == 2 || form == 4 ? 2 : 0, form == 3 ? kMaxRank - 1 : kMaxRank);
  if (x == GraphDraft::kNone) return false;
  const int changed = form == 0 ? static_cast<int>(rng.Between(1, 4)) : form;
  std::optional<Dims> target = changed == 1 ? draft.dims(x) : OtherShape(rng, draft.dims(x), changed);
  if (!target || (form == 0 && target->empty())) return false;
  if (form == 0) (*target)[rng.Below(static_cast<int64_t>(target->size()))] = Dim(-1);
  return draft.Add("reshape", {x}, {{"shape", IntList(*target)}}) != GraphDraft::kNone;
}

bool MakeTranspose(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const bool is_short = draft.WantedRank(0, 0, kMaxRank) < 2;  // only the identity is left then
  const int option = is_short ? 0 : draft.Wanted("perm");      // identity, last two, last stays, other
  const int lowest = option == 0 ? (is_short ? 0 : 2) : option == 2 ? 3 : 2;
  const ValueId x = AnyOfRank(draft, lowest, kMaxRank);
  if (x == GraphDraft::kNone) return false;
  const int rank = draft.rank(x);
  std::vector<int64_t> perm = Iota(rank);
  if (option == 1) std::swap(perm[rank - 1], perm[rank - 2]);
  if (option >= 2) {
    const int moved = option == 2 ? rank - 1 : rank;
    std::vector<int64_t> head(perm.begin(), perm.begin() + moved);
    rng.Shuffle(head);
    if (std::is_sorted(head.begin(), head.end()) && moved > 1) std::swap(head.front(), head.back());
    std::copy(head.begin(), head.end(), perm.begin());
  }
  return draft.Add("transpose", {x}, {{"perm", IntList({perm.begin(), perm.end()})}}) != GraphDraft::kNone;
}

bool MakeSqueeze(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("axes");
  const size_t count = AxisCount(rng, option);
  const auto ones = [](const Dims& dims) {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i].is(1)) axes.push_back(static_cast<int64_t>(i));
    }
    return axes;
  };
  Dims dims = draft.RandomDims(draft.WantedRank(0, static_cast<int>(count), kMaxRank));
  for (Dim& dim : dims) {
    if (ones(dims).size() < count && !dim.symbolic() && rng.Chance(0.5)) dim = Dim(1);
  }
  while (ones(dims).size() < count) dims[rng.Below(static_cast<int64_t>(dims.size()))] = Dim(1);
  const ValueId x =
      draft.Operand(0, draft.data_type(), [&](ValueId id) { return ones(draft.dims(id)).size() >= count; }, dims);
  if (x == GraphDraft::kNone) return false;
  const Dims axes = AxisList(rng, ones(draft.dims(x)), count, option != 3);
  return draft.Add("squeeze", {x}, {{"axes", IntList(axes)}}) != GraphDraft::kNone;
}

bool MakeUnsqueeze(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("axes");
  const size_t count = AxisCount(rng, option);
  const ValueId x = AnyOfRank(draft, 0, kMaxRank - static_cast<int>(count));
  if (x == GraphDraft::kNone) return false;
  const Dims axes = AxisList(rng, Iota(draft.rank(x) + static_cast<int64_t>(count)), count, option != 3);
  return draft.Add("unsqueeze", {x}, {{"axes", IntList(axes)}}) != GraphDraft::kNone;
}

bool MakeBroadcastTo(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("shape");  // same, more axes, repeats, both
  const bool more_axes = option == 1 || option == 3, repeats = option >= 2;
  const int lowest = option == 2 ? 1 : 0;
  Dims dims = draft.RandomDims(draft.WantedRank(0, lowest, more_axes ? kMaxRank - 1 : kMaxRank));
  if (option == 2) dims[rng.Below(static_cast<int64_t>(dims.size()))] = Dim(1);
  const ValueId x = draft.Operand(
      0, draft.data_type(),
      [&](ValueId id) {
        const Dims& has = draft.dims(id);
        if (more_axes && has.size() >= kMaxRank) return false;
        return option != 2 || std::any_of(has.begin(), has.end(), [](const Dim& dim) { return dim.is(1); });
      },
      dims);
  if (x == GraphDraft::kNone) return false;
  Dims target = draft.dims(x);
  for (Dim& dim : target) {
    if (repeats && dim.is(1) && rng.Chance(0.8)) dim = Dim(rng.Between(draft.style().zeros ? 0 : 2, 5));
  }
  if (more_axes) target.insert(target.begin(), repeats ? Dim(rng.Between(2, 3)) : Dim(1));
  if (more_axes && repeats && draft.style().symbolic && rng.Chance(0.4)) target[0] = Dim::TimesB(1);
  return draft.Add("broadcast_to", {x}, {{"shape", IntList(target)}}) != GraphDraft::kNone;
}

bool MakeSlice(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("axes");
  const size_t count = AxisCount(rng, option);
  const ValueId x = AnyOfRank(draft, static_cast<int>(count), kMaxRank);
  if (x == GraphDraft::kNone) return false;
  const Dims axes = AxisList(rng, Iota(draft.rank(x)), count, option != 3);
  Dims starts, ends, steps;
  for (const Dim& axis : axes) {
    const Dim n = draft.dims(x)[axis.factor()];
    const int step_option = draft.Wanted("steps");  // 1, more, -1, less
    const std::vector<int64_t> by_option = {1, rng.Between(2, 3), -1, -rng.Between(2, 3)};
    if (n.symbolic()) {  // whole rows, in multiples of B or backwards
      const bool backwards = step_option >= 2;
      steps.push_back(Dim(backwards ? -1 : 1));
      starts.push_back(backwards ? Dim(-1) : rng.Chance(0.6) ? Dim(0) : Dim::TimesB(rng.Between(1, n.factor())));
      ends.push_back(backwards ? Dim(-(int64_t{1} << 40)) : Dim::TimesB(rng.Between(1, n.factor() + 1)));
      continue;
    }
    steps.push_back(Dim(by_option[step_option]));
    int64_t start = Limit(rng, draft.Wanted("starts"), n.factor()), end = Limit(rng, draft.Wanted("ends"), n.factor());
    // Mostly something is left.
    const auto place = [&](int64_t at) { return at < 0 ? at + n.factor() : at; };
    if ((place(start) > place(end)) == (step_option < 2) && rng.Chance(0.85)) std::swap(start, end);
    starts.push_back(Dim(start));
    ends.push_back(Dim(end));
  }
  return draft.Add("slice", {x},
                   {{"axes", IntList(axes)},
                    {"starts", IntList(starts)},
                    {"ends", IntList(ends)},
                    {"steps", IntList(steps)}}) != GraphDraft::kNone;
}

}  // namespace rml
