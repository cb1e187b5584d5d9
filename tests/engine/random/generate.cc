#include "tests/engine/random/generate.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "engine/ops/check.h"
#include "tests/engine/random/graph_draft.h"
#include "tests/engine/random/motifs.h"
#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

DraftStyle RandomStyle(Rng& rng) {
  DraftStyle style;
  style.zeros = rng.Chance(0.2);
  style.special_values = rng.Chance(0.35);
  style.large = rng.Chance(0.1);
  if (style.large) style.work = 1.2e7;
  style.symbolic = rng.Chance(0.4);
  if (style.symbolic) {
    style.min_rows = rng.Chance(0.9) ? 1 : 2;
    style.max_rows = rng.Chance(0.5) ? 70 : 2000;
    style.rows = rng.Between(std::max<int64_t>(2, style.min_rows), style.large ? 3 : 7);
  }
  return style;
}

int64_t RandomNodeCount(Rng& rng) {
  const double kind = rng.Unit();
  return kind < 0.1 ? rng.Between(1, 3) : kind < 0.45 ? rng.Between(4, 20) : rng.Between(21, 40);
}

void AddNodes(GraphDraft& draft, Coverage& coverage, int64_t count) {
  Rng& rng = draft.rng();
  // A node that finds no way, or no work left for it, is not counted: give up after a while.
  for (int64_t tries = 4 * count + 20; draft.num_nodes() < count && tries > 0; --tries) {
    if (rng.Chance(0.06)) {
      AddMotif(draft);
      continue;
    }
    const Coverage::Need need = coverage.NextNode(rng);
    draft.Begin(*need.op, need.dtype);
    if (const NodeMaker maker = FindMaker(need.op->name)) maker(draft);
  }
  // The cheapest node there is, for a draft whose every try failed.
  if (draft.num_nodes() == 0) draft.Add("neg", {draft.NewInput(DType::kF32, {Dim(2)})});
}

// Up to four node outputs, the last among them, some of them twice; what nothing reads is mostly an output.
std::vector<ValueId> RandomOutputs(const GraphDraft& draft, Rng& rng) {
  std::vector<ValueId> made, unread;
  std::vector<bool> read(draft.graph().values.size(), false);
  for (const Node& node : draft.graph().nodes) {
    for (ValueId id : node.inputs) read[id] = true;
  }
  for (const Node& node : draft.graph().nodes) {
    made.insert(made.end(), node.outputs.begin(), node.outputs.end());
    for (ValueId id : node.outputs) {
      if (!read[id]) unread.push_back(id);
    }
  }
  std::vector<ValueId> outputs = {made.back()};
  for (ValueId id : unread) {
    if (rng.Chance(0.7)) outputs.push_back(id);
  }
  while (rng.Chance(0.4)) outputs.push_back(rng.Pick(made));
  rng.Shuffle(outputs);
  if (outputs.size() > 6) outputs.resize(6);
  if (rng.Chance(0.9)) {  // otherwise one value may have several names
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
  }
  return outputs;
}

// Without an input that has B a run is one of the least rows.
std::vector<int64_t> RowCounts(const Graph& graph, const DraftStyle& style, Rng& rng) {
  const auto has_b = [&](const GraphInput& input) {
    const Dims& dims = graph.values[input.id].shape;
    return std::any_of(dims.begin(), dims.end(), [](const Dim& dim) { return dim.symbolic(); });
  };
  if (std::none_of(graph.inputs.begin(), graph.inputs.end(), has_b)) return {style.min_rows};
  std::vector<int64_t> counts = {style.rows, style.min_rows};
  if (style.rows > style.min_rows + 1) counts.push_back(rng.Between(style.min_rows + 1, style.rows - 1));
  rng.Shuffle(counts);
  counts.push_back(counts[0]);
  counts.push_back(counts[1]);
  return counts;
}

}  // namespace

CaseStream::CaseStream(uint64_t first_seed) : next_seed_(first_seed / kSeedsPerBlock * kSeedsPerBlock) {
  while (next_seed_ < first_seed) Generate(next_seed_++);
}

RandomCase CaseStream::Generate(uint64_t seed) {
  if (seed % kSeedsPerBlock == 0) block_ = Coverage();
  Rng rng(seed * 0x2545f4914f6cdd1d + 1);
  const DraftStyle style = RandomStyle(rng);
  GraphDraft draft(style, rng, block_);
  AddNodes(draft, block_, RandomNodeCount(rng));
  const std::vector<ValueId> outputs = RandomOutputs(draft, rng);
  std::vector<int64_t> row_counts = RowCounts(draft.graph(), style, rng);
  RandomCase made = draft.Finish(outputs, std::move(row_counts));
  made.seed = seed;
  const absl::Status status = CheckGraph(made.graph);
  if (!status.ok()) {
    std::fprintf(stderr, "seed %llu made a graph that is refused: %s\n", static_cast<unsigned long long>(seed),
                 status.ToString().c_str());
    std::abort();
  }
  return made;
}

RandomCase CaseStream::Next() {
  RandomCase made = Generate(next_seed_++);
  total_.Count(made.graph);
  return made;
}

RandomCase GenerateCase(uint64_t seed) { return CaseStream(seed).Next(); }

}  // namespace rml
