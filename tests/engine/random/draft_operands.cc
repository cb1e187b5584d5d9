// Operands for the node under way: values that are there already, new inputs and constants, and views of new ones in
// every form that an op may have to read.
#include <algorithm>
#include <utility>

#include "tests/engine/random/graph_draft.h"

namespace rml {
namespace {

// A new operand is preferred to an existing one so often: chains stay long, and numbers do not all become NaN.
constexpr double kNewOperand = 0.25;
constexpr int kMaxViewDepth = 2;
constexpr int kMaxRankOfViews = 8;

std::vector<int> StaticAxes(const Dims& dims, int64_t at_least) {
  std::vector<int> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i].symbolic() && dims[i].factor() >= at_least) axes.push_back(static_cast<int>(i));
  }
  return axes;
}

bool HasB(const Dims& dims) {
  return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.symbolic(); });
}

}  // namespace

Dim GraphDraft::RandomDim() {
  static const auto* sizes = new std::vector<int64_t>{1,  2,  2,  3,  3,  4,  5,  5,  6,  7,  8,  9,  11,
                                                      12, 13, 15, 16, 17, 23, 31, 32, 33, 48, 64, 65, 97};
  if (style_.zeros && rng_.Chance(0.12)) return Dim(0);
  if (rng_.Chance(0.12)) return Dim(1);
  return Dim(rng_.Pick(*sizes));
}

Dims GraphDraft::RandomDims(int rank, int64_t max_elements) {
  const bool large = max_elements == 0 && style_.large && rank > 0 && rng_.Chance(0.3);
  if (max_elements == 0) max_elements = rng_.Chance(0.25) ? 6000 : 800;
  Dims dims;
  for (int i = 0; i < rank; ++i) dims.push_back(RandomDim());
  if (style_.symbolic && rank > 0) {
    if (rng_.Chance(0.7)) dims[0] = Dim::TimesB(rng_.Chance(0.75) ? 1 : rng_.Between(2, 4));
    if (rng_.Chance(0.04)) dims[rng_.Below(rank)] = Dim::TimesB(1);
  }
  while (Extent(dims) > max_elements) {
    auto widest = std::max_element(dims.begin(), dims.end(), [this](const Dim& a, const Dim& b) {
      return (a.symbolic() ? 0 : At(a)) < (b.symbolic() ? 0 : At(b));
    });
    if (widest->symbolic() || widest->factor() < 2) break;
    *widest = Dim(std::max<int64_t>(1, widest->factor() / 2));
  }
  if (large) {
    // Above the 64 K elements of a chunk.
    const std::vector<int> axes = StaticAxes(dims, 1);
    if (const int64_t others = Extent(dims); !axes.empty()) {
      Dim& dim = dims[rng_.Pick(axes)];
      dim = Dim(dim.factor() * (rng_.Between(66'000, 140'000) / others));
      if (Elements(dims) == 0) dim = Dim(1);
    }
  }
  return dims;
}

int GraphDraft::WantedRank(int lowest, int at_least, int at_most) {
  int rank = lowest + Wanted("rank");
  if (rank >= 5) rank = static_cast<int>(rng_.Between(5, kMaxRank));
  return std::clamp(rank, at_least, at_most);
}

GraphDraft::Facts GraphDraft::NewFacts(DType dtype, Origin origin) {
  Facts facts{.origin = origin};
  if (dtype == DType::kI32) {
    facts.range = forced_range_;
    return facts;
  }
  static const auto* ordinary = new std::vector<FloatKind>{
      FloatKind::kModerate, FloatKind::kModerate, FloatKind::kModerate, FloatKind::kWhole, FloatKind::kPositive};
  facts.kind = rng_.Pick(*ordinary);
  if (style_.special_values && rng_.Chance(0.4)) {
    facts.kind = rng_.Chance(0.8) ? FloatKind::kSpecial : FloatKind::kWide;
    facts.wildness = 2;
  }
  if (forced_kind_) facts.kind = *forced_kind_;
  return facts;
}

ValueId GraphDraft::Existing(DType dtype, Origin origin, const std::function<bool(ValueId)>& fits) {
  std::vector<ValueId> found;
  bool has_last = false;
  for (ValueId id = 0; id < static_cast<ValueId>(graph_.values.size()); ++id) {
    if (this->dtype(id) != dtype || facts_[id].origin != origin || !fits(id)) continue;
    found.push_back(id);
    has_last |= id == last_;
  }
  if (found.empty()) return kNone;
  if (has_last && rng_.Chance(0.5)) return last_;
  const ValueId a = rng_.Pick(found), b = rng_.Pick(found);
  return facts_[a].wildness <= facts_[b].wildness ? a : b;
}

ValueId GraphDraft::Operand(int index, DType dtype, const std::function<bool(ValueId)>& fits, const Dims& dims) {
  const int listed = std::min({index, 3, op_->max_inputs > 4 ? 0 : index});
  const auto origin = static_cast<Origin>(Wanted(op_->InputName(listed)));
  if (!rng_.Chance(kNewOperand)) {
    if (const ValueId id = Existing(dtype, origin, fits); id != kNone) return id;
  }
  return New(origin, dtype, dims);
}

ValueId GraphDraft::Operand(int index, DType dtype, const Dims& dims) {
  return Operand(index, dtype, [&](ValueId id) { return this->dims(id) == dims && !forced_kind_; }, dims);
}

ValueId GraphDraft::Indices(int index, const Dims& dims, IntRange range) {
  forced_range_ = range;
  const ValueId id = Operand(
      index, DType::kI32,
      [&](ValueId candidate) {
        const std::optional<IntRange>& has = facts_[candidate].range;
        return this->dims(candidate) == dims && has && has->lo >= range.lo && has->hi <= range.hi;
      },
      dims);
  forced_range_.reset();
  return id;
}

ValueId GraphDraft::New(Origin origin, DType dtype, const Dims& dims) {
  if (origin == Origin::kConstant && HasB(dims)) origin = rng_.Chance(0.5) ? Origin::kView : Origin::kInput;
  switch (origin) {
    case Origin::kComputed:
      return NewComputed(dtype, dims);
    case Origin::kConstant:
      return NewConstant(dtype, dims);
    case Origin::kView:
      return NewView(dtype, dims, 0);
    case Origin::kInput:
      break;
  }
  return NewInput(dtype, dims);
}

// Keeps to the kind and range that are forced.
ValueId GraphDraft::NewComputed(DType dtype, const Dims& dims) {
  const ValueId base = rng_.Chance(0.5) || HasB(dims) ? NewInput(dtype, dims) : NewConstant(dtype, dims);
  if (forced_range_) {
    return Add("clamp", {base},
               {{"min", static_cast<double>(forced_range_->lo)}, {"max", static_cast<double>(forced_range_->hi)}});
  }
  if (forced_kind_) return Add("cast", {base}, {{"to", std::string(DTypeName(dtype))}});
  return Add(rng_.Pick(std::vector<std::string_view>{"neg", "abs", "relu"}), {base});
}

ValueId GraphDraft::ViewBase(DType dtype, const Dims& dims, int depth) {
  if (depth < kMaxViewDepth && rng_.Chance(0.3)) return NewView(dtype, dims, depth + 1);
  const auto origin = rng_.Pick(std::vector<Origin>{Origin::kInput, Origin::kConstant, Origin::kComputed});
  return New(origin == Origin::kConstant && HasB(dims) ? Origin::kInput : origin, dtype, dims);
}

ValueId GraphDraft::NewView(DType dtype, const Dims& dims, int depth) {
  if (num_nodes() >= style_.max_nodes) return kNone;
  using Form = ValueId (GraphDraft::*)(DType, const Dims&, int);
  std::vector<Form> forms = {&GraphDraft::Transposed, &GraphDraft::Sliced,   &GraphDraft::Sliced,
                             &GraphDraft::Repeated,   &GraphDraft::Reshaped, &GraphDraft::WithoutOnes};
  rng_.Shuffle(forms);
  for (Form form : forms) {
    if (const ValueId id = (this->*form)(dtype, dims, depth); id != kNone) return id;
  }
  return Add("reshape", {ViewBase(dtype, dims, depth)}, {{"shape", IntList(dims)}});
}

ValueId GraphDraft::Transposed(DType dtype, const Dims& dims, int depth) {
  const int rank = static_cast<int>(dims.size());
  const bool keeps_first = rank > 0 && dims[0].symbolic() && rng_.Chance(0.8);
  if (rank < (keeps_first ? 3 : 2)) return kNone;
  std::vector<int> axes;  // axis i of the view is axis axes[i] of the base
  for (int i = keeps_first ? 1 : 0; i < rank; ++i) axes.push_back(i);
  if (rng_.Chance(0.4)) {
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  } else {
    rng_.Shuffle(axes);
  }
  if (keeps_first) axes.insert(axes.begin(), 0);
  Dims base(rank), perm;
  for (int i = 0; i < rank; ++i) {
    base[axes[i]] = dims[i];
    perm.push_back(Dim(axes[i]));
  }
  return Add("transpose", {ViewBase(dtype, base, depth)}, {{"perm", IntList(perm)}});
}

// Every second element, backwards, or a part in the middle, of one axis or two.
ValueId GraphDraft::Sliced(DType dtype, const Dims& dims, int depth) {
  std::vector<int> axes = StaticAxes(dims, 1);
  if (axes.empty()) return kNone;
  rng_.Shuffle(axes);
  axes.resize(std::min<size_t>(axes.size(), rng_.Chance(0.7) ? 1 : 2));
  Dims base = dims, at, starts, ends, steps;
  for (int axis : axes) {
    const int64_t n = dims[axis].factor();
    const int64_t step = rng_.Pick(std::vector<int64_t>{1, 1, 2, 3, -1, -1, -2});
    const int64_t span = (n - 1) * std::abs(step) + 1;
    const int64_t before = step == -1 ? 0 : rng_.Below(3), after = step == -1 ? 0 : rng_.Below(3);
    const int64_t size = before + span + after;
    base[axis] = Dim(size);
    at.push_back(Dim(axis));
    steps.push_back(Dim(step));
    starts.push_back(Dim(step > 0 ? before : before + span - 1));
    // Backwards through element 0 is an end below -size.
    ends.push_back(Dim(step > 0 ? before + span : before == 0 ? -size - 1 : before - 1));
  }
  if (Extent(base) > 4 * std::max<int64_t>(Extent(dims), 16)) return kNone;
  return Add("slice", {ViewBase(dtype, base, depth)},
             {{"axes", IntList(at)}, {"starts", IntList(starts)}, {"ends", IntList(ends)}, {"steps", IntList(steps)}});
}

ValueId GraphDraft::Repeated(DType dtype, const Dims& dims, int depth) {
  std::vector<int> axes = StaticAxes(dims, 2);
  const bool from_constant = HasB(dims) && rng_.Chance(0.3);  // a shared value for all rows
  if (axes.empty() && !from_constant) return kNone;
  Dims base = dims;
  if (!axes.empty()) base[rng_.Pick(axes)] = Dim(1);
  if (from_constant) {
    for (Dim& dim : base) dim = dim.symbolic() ? Dim(1) : dim;
  }
  while (!base.empty() && base[0].is(1) && rng_.Chance(0.5)) base.erase(base.begin());
  return Add("broadcast_to", {ViewBase(dtype, base, depth)}, {{"shape", IntList(dims)}});
}

// Two adjacent axes were one, or one was two.
ValueId GraphDraft::Reshaped(DType dtype, const Dims& dims, int depth) {
  Dims base = dims;
  if (dims.size() >= 2 && rng_.Chance(0.6)) {
    const auto i = static_cast<size_t>(rng_.Below(static_cast<int64_t>(dims.size()) - 1));
    if (dims[i].symbolic() && dims[i + 1].symbolic()) return kNone;
    const int64_t product = dims[i].factor() * dims[i + 1].factor();
    const bool symbolic = dims[i].symbolic() || dims[i + 1].symbolic();
    if (symbolic && product == 0) return kNone;
    base[i] = symbolic ? Dim::TimesB(product) : Dim(product);
    base.erase(base.begin() + static_cast<int64_t>(i) + 1);
  } else if (!dims.empty() && dims.size() < kMaxRankOfViews) {
    const auto i = static_cast<size_t>(rng_.Below(static_cast<int64_t>(dims.size())));
    std::vector<int64_t> divisors;
    for (int64_t d = 2; d < dims[i].factor(); ++d) {
      if (dims[i].factor() % d == 0) divisors.push_back(d);
    }
    if (divisors.empty()) return kNone;
    const int64_t inner = rng_.Pick(divisors);
    const int64_t outer = dims[i].factor() / inner;
    base[i] = dims[i].symbolic() ? Dim::TimesB(outer) : Dim(outer);
    base.insert(base.begin() + static_cast<int64_t>(i) + 1, Dim(inner));
  } else {
    base = {Dim(1)};
    if (!dims.empty()) return kNone;
  }
  return Add("reshape", {ViewBase(dtype, base, depth)}, {{"shape", IntList(dims)}});
}

// unsqueeze of a value without an axis of one element, or squeeze of one with another such axis.
ValueId GraphDraft::WithoutOnes(DType dtype, const Dims& dims, int depth) {
  Dims base = dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i].is(1)) continue;
    base.erase(base.begin() + static_cast<int64_t>(i));
    return Add("unsqueeze", {ViewBase(dtype, base, depth)}, {{"axes", IntList({Dim(static_cast<int64_t>(i))})}});
  }
  if (dims.size() >= kMaxRankOfViews) return kNone;
  const int64_t at = rng_.Below(static_cast<int64_t>(dims.size()) + 1);
  base.insert(base.begin() + at, Dim(1));
  return Add("squeeze", {ViewBase(dtype, base, depth)}, {{"axes", IntList({Dim(at)})}});
}

}  // namespace rml
