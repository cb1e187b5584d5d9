#include <algorithm>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

// Around the register tiles of every instruction set (4 to 14 rows, 16 to 64 columns), and primes.
int64_t TileSize(Rng& rng) {
  static const std::vector<int64_t> sizes = {1,  2,  3,  4,  5,  6,  7,  8,  11, 12, 13, 14, 15,
                                             16, 17, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97};
  return rng.Chance(0.03) ? 0 : rng.Pick(sizes);
}

// 0, below 256, 256, above: k in blocks of 256 is the rounding contract.
int64_t TermCount(Rng& rng, int option) {
  static const std::vector<int64_t> below = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 33, 64, 100, 255};
  static const std::vector<int64_t> above = {257, 260, 300, 511, 512, 513, 640};
  if (option == 0) return 0;
  return option == 1 ? rng.Pick(below) : option == 2 ? 256 : rng.Pick(above);
}

struct MatMulRanks {
  int a, b;
  bool repeats;  // batch axes of one operand repeat
};

// As feature "ranks" lists them.
MatMulRanks RanksOf(Rng& rng, int option) {
  const int batched = static_cast<int>(rng.Chance(0.8) ? 3 : rng.Between(4, 6));
  const MatMulRanks table[] = {{1, 1, false},       {1, 2, false},       {1, batched, false},
                               {2, 1, false},       {batched, 1, false}, {2, 2, false},
                               {2, batched, false}, {batched, 2, false}, {batched, batched, false}};
  if (option < 9) return table[option];
  return {batched, static_cast<int>(rng.Between(3, batched + 1)), true};
}

Dims Batch(GraphDraft& draft, int rank) {
  Dims batch;
  for (int i = 0; i < rank; ++i) batch.push_back(Dim(draft.rng().Between(draft.style().zeros ? 0 : 1, 4)));
  if (rank > 0 && draft.style().symbolic && draft.rng().Chance(0.7)) batch[0] = Dim::TimesB(draft.rng().Between(1, 2));
  return batch;
}

Dims Concat(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Of two batches one repeats along an axis of the other, or lacks it.
void Repeat(GraphDraft& draft, Dims& a, Dims& b) {
  Dims& longer = a.size() >= b.size() ? a : b;
  Dims& shorter = a.size() >= b.size() ? b : a;
  std::copy(longer.end() - static_cast<int64_t>(shorter.size()), longer.end(), shorter.begin());
  if (draft.rng().Chance(0.7) || longer.size() == shorter.size()) {
    Dims& which = draft.rng().Chance(0.5) ? a : b;
    which[draft.rng().Below(static_cast<int64_t>(which.size()))] = Dim(1);
  }
}

}  // namespace

bool MakeMatMul(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const MatMulRanks ranks = RanksOf(rng, draft.Wanted("ranks"));
  const int64_t K = TermCount(rng, draft.Wanted("K"));
  Dims a_batch = Batch(draft, std::max(0, ranks.a - 2)), b_batch;
  if (ranks.b > 2) b_batch = ranks.a == ranks.b ? a_batch : Batch(draft, ranks.b - 2);
  if (ranks.repeats) Repeat(draft, a_batch, b_batch);
  const bool rows_of_b = draft.style().symbolic && ranks.a == 2 && rng.Chance(0.5);
  const Dim M = rows_of_b ? Dim::TimesB(rng.Between(1, 3)) : Dim(TileSize(rng));
  const Dims a = Concat(a_batch, ranks.a == 1 ? Dims{Dim(K)} : Dims{M, Dim(K)});
  // An existing left operand of this rank does as well: its last dim is then K.
  const bool any_k = rng.Chance(0.5);
  const ValueId left = draft.Operand(
      0, DType::kF32,
      [&](ValueId id) {
        const Dims& dims = draft.dims(id);
        if (dims == a) return true;
        const bool rank_fits = dims.size() == a.size() && !ranks.repeats && ranks.a != ranks.b;
        return any_k && rank_fits && !dims.back().symbolic() && dims.back().factor() > 0;
      },
      a);
  if (left == GraphDraft::kNone) return false;
  const Dim k = draft.dims(left).back();
  const Dims b = Concat(b_batch, ranks.b == 1 ? Dims{k} : Dims{k, Dim(TileSize(rng))});
  const ValueId right = draft.Operand(1, DType::kF32, b);
  if (right == GraphDraft::kNone) return false;
  const Dims& l = draft.dims(left);
  const double per_k = static_cast<double>(std::max<int64_t>(draft.Elements(l), 1)) /
                       static_cast<double>(std::max<int64_t>(1, draft.At(k)));
  const double columns = ranks.b == 1 ? 1.0 : static_cast<double>(draft.At(b.back()));
  double batches = 1;
  for (const Dim& dim : b_batch) batches *= static_cast<double>(draft.At(dim));
  const double work =
      per_k * columns * static_cast<double>(draft.At(k)) * (ranks.a <= 2 || ranks.repeats ? batches : 1);
  return draft.Add("matmul", {left, right}, {}, work) != GraphDraft::kNone;
}

bool MakeSdpa(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const int rank = static_cast<int>(rng.Pick(std::vector<int64_t>{2, 3, 3, 4, 4, 5}));
  const Dims batch = Batch(draft, rank - 2);
  static const std::vector<int64_t> lengths = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33};
  int64_t queries = rng.Pick(lengths), keys = rng.Pick(lengths);
  const int wanted = draft.Wanted("lengths");  // equal, more keys, more queries
  if (wanted == 0) keys = queries;
  if ((wanted == 1 && queries > keys) || (wanted == 2 && queries < keys)) std::swap(queries, keys);
  // Scores of several blocks, in one head.
  const bool long_keys = draft.style().large && rank == 2 && rng.Chance(0.5);
  if (long_keys) {
    keys = rng.Pick(std::vector<int64_t>{2100, 4099});
    queries = 37;
  }
  if (draft.style().zeros && rng.Chance(0.2)) (rng.Chance(0.5) ? queries : keys) = 0;
  const int64_t depth = long_keys ? 3 : rng.Pick(std::vector<int64_t>{1, 2, 4, 7, 8, 16, 17, 32, 64});
  const int64_t value_depth = long_keys ? 2 : rng.Chance(0.5) ? depth : rng.Pick(lengths);
  const Dims q = Concat(batch, {Dim(queries), Dim(depth)});
  const Dims k = Concat(batch, {Dim(keys), Dim(depth)});
  const Dims v = Concat(batch, {Dim(keys), Dim(value_depth)});
  std::vector<ValueId> inputs = {draft.Operand(0, DType::kF32, q)};
  inputs.push_back(draft.Operand(1, DType::kF32, k));
  inputs.push_back(draft.Operand(2, DType::kF32, v));
  const int mask = draft.Wanted("mask");  // none, whole, repeats, repeats keys
  if (mask > 0) {
    Dims dims = Concat(batch, {Dim(queries), Dim(keys)});
    if (mask == 2 && rng.Chance(0.5)) dims[rng.Below(rank - 1)] = Dim(1);
    if (mask == 2 && dims == Concat(batch, {Dim(queries), Dim(keys)})) dims.erase(dims.begin(), dims.end() - 1);
    if (mask == 3) dims.back() = Dim(1);
    if (mask == 3 && rng.Chance(0.2)) dims = {};
    if (rng.Chance(0.6)) draft.ForceKind(FloatKind::kMask);
    inputs.push_back(draft.Operand(3, DType::kF32, dims));
    draft.ForceKind({});
  }
  const int scale = draft.Wanted("scale");  // zero, positive, negative
  Attrs attrs = {{"scale", scale == 0   ? 0.0
                           : scale == 1 ? rng.Pick(std::vector<double>{0.125, 1, 0.35355339059327373})
                                        : -0.5}};
  AddBool(draft, "causal", attrs);
  double work = static_cast<double>(queries * keys * (depth + value_depth + 20));
  for (const Dim& dim : batch) work *= static_cast<double>(draft.At(dim));
  return draft.Add("sdpa", inputs, attrs, work) != GraphDraft::kNone;
}

}  // namespace rml
