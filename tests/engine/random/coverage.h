// How often a run of graphs has met each op with each dtype and each option of its features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/dtype.h"
#include "tests/engine/random/features.h"
#include "tests/engine/random/rng.h"

namespace rml {

class Coverage {
 public:
  Coverage();

  void Count(const NodeFacts& facts);
  void Count(const Graph& graph);
  void Add(const Coverage& other);

  struct Need {
    const OpDef* op;
    DType dtype;
  };
  // What has been asked for least, measured by how many options it has; now and then any other. Nodes that were made on
  // the way to others do not count here.
  Need NextNode(Rng& rng);
  // The option of a feature that has been met least; now and then any other. The feature exists.
  int NeededOption(std::string_view op, DType dtype, std::string_view feature, Rng& rng) const;

  struct Entry {
    std::string op;
    DType dtype;
    std::string feature;  // empty: all nodes
    std::string option;
    int64_t hits;
  };
  // In the order of the op list.
  std::vector<Entry> Entries() const;
  // A line per op, dtype and feature: "gather f32 mode: error 61, clamp 60, fill 63".
  std::string Table() const;

 private:
  struct Counts {
    std::string_view op;
    DType dtype;
    const std::vector<Feature>* features;
    int64_t nodes = 0;
    int64_t asked = 0;
    std::vector<std::vector<int64_t>> hits{};  // [feature][option]
    double need = 8;                           // nodes wanted, relative to other ops; more with more options
  };
  size_t IndexOf(std::string_view op, DType dtype) const;

  std::vector<Counts> counts_;
};

}  // namespace rml
