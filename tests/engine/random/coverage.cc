#include "tests/engine/random/coverage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rml {
namespace {

// How often a choice is free instead of the one that is needed, so that needs do not march in step.
constexpr double kFreeChoice = 0.15;

// The index of the smallest element; among equal ones any.
template <typename T, typename F>
size_t Least(const std::vector<T>& items, F value, Rng& rng) {
  std::vector<size_t> least;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!least.empty() && value(items[i]) > value(items[least[0]])) continue;
    if (!least.empty() && value(items[i]) < value(items[least[0]])) least.clear();
    least.push_back(i);
  }
  return rng.Pick(least);
}

}  // namespace

Coverage::Coverage() {
  for (const OpDef& op : AllOps()) {
    for (DType dtype : {DType::kF32, DType::kI32}) {
      if (dtype == DType::kI32 && !TakesI32(op.name)) continue;
      Counts counts{op.name, dtype, &FeaturesOf(op.name)};
      for (const Feature& feature : *counts.features) {
        counts.hits.emplace_back(feature.options.size());
        counts.need = std::max(counts.need, static_cast<double>(feature.options.size()));
      }
      counts_.push_back(std::move(counts));
    }
  }
}

size_t Coverage::IndexOf(std::string_view op, DType dtype) const {
  const auto it = std::find_if(counts_.begin(), counts_.end(),
                               [&](const Counts& counts) { return counts.op == op && counts.dtype == dtype; });
  return static_cast<size_t>(it - counts_.begin());
}

void Coverage::Count(const NodeFacts& facts) {
  Counts& counts = counts_[IndexOf(facts.op.name, DataType(facts))];
  ++counts.nodes;
  for (size_t f = 0; f < counts.features->size(); ++f) {
    const uint32_t has = (*counts.features)[f].of(facts);
    for (size_t option = 0; option < counts.hits[f].size(); ++option) counts.hits[f][option] += has >> option & 1;
  }
}

void Coverage::Count(const Graph& graph) {
  for (const NodeFacts& facts : FactsOf(graph)) Count(facts);
}

void Coverage::Add(const Coverage& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i].nodes += other.counts_[i].nodes;
    for (size_t f = 0; f < counts_[i].hits.size(); ++f) {
      for (size_t o = 0; o < counts_[i].hits[f].size(); ++o) counts_[i].hits[f][o] += other.counts_[i].hits[f][o];
    }
  }
}

Coverage::Need Coverage::NextNode(Rng& rng) {
  const auto asked = [](const Counts& counts) { return static_cast<double>(counts.asked) / counts.need; };
  const size_t next = rng.Chance(kFreeChoice) ? static_cast<size_t>(rng.Below(static_cast<int64_t>(counts_.size())))
                                              : Least(counts_, asked, rng);
  ++counts_[next].asked;
  return {FindOp(counts_[next].op), counts_[next].dtype};
}

int Coverage::NeededOption(std::string_view op, DType dtype, std::string_view feature, Rng& rng) const {
  const Counts& counts = counts_[IndexOf(op, dtype)];
  const auto it = std::find_if(counts.features->begin(), counts.features->end(),
                               [&](const Feature& f) { return f.name == feature; });
  const std::vector<int64_t>& hits = counts.hits[it - counts.features->begin()];
  std::vector<double> met;
  for (size_t option = 0; option < hits.size(); ++option) {
    met.push_back(static_cast<double>(hits[option]) / it->weight(option));
  }
  if (rng.Chance(kFreeChoice)) return static_cast<int>(rng.Below(static_cast<int64_t>(hits.size())));
  return static_cast<int>(Least(met, [](double hits_per_weight) { return hits_per_weight; }, rng));
}

std::vector<Coverage::Entry> Coverage::Entries() const {
  std::vector<Entry> entries;
  for (const Counts& counts : counts_) {
    entries.push_back({std::string(counts.op), counts.dtype, "", "", counts.nodes});
    for (size_t f = 0; f < counts.hits.size(); ++f) {
      const Feature& feature = (*counts.features)[f];
      for (size_t o = 0; o < feature.options.size(); ++o) {
        entries.push_back({std::string(counts.op), counts.dtype, feature.name, feature.options[o], counts.hits[f][o]});
      }
    }
  }
  return entries;
}

std::string Coverage::Table() const {
  std::string table;
  std::string line;
  for (const Entry& entry : Entries()) {
    const std::string head = absl::StrCat(entry.op, " ", DTypeName(entry.dtype));
    if (entry.feature.empty()) {
      line = absl::StrCat("\n", head, ": ", entry.hits, " nodes");
      absl::StrAppend(&table, line);
      line.clear();
      continue;
    }
    const std::string start = absl::StrCat("\n  ", entry.feature, ": ");
    absl::StrAppend(&table, start == line ? ", " : start, entry.option, " ", entry.hits);
    line = start;
  }
  return table.empty() ? table : table.substr(1) + "\n";
}

}  // namespace rml
