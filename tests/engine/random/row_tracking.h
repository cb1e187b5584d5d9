// Which values of a graph keep their rows apart, found by following axis 0 through every op.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace rml {

enum class RowTrack : uint8_t {
  kShared,  // no part of it comes from an input with B: the same for any rows
  kRows,    // axis 0 has k*B elements, and elements i*k to (i+1)*k depend on row i alone
  kMixed,   // anything else
};

// By value id. Requires a graph whose types infer. An op that the rules do not know mixes.
std::vector<RowTrack> TrackRows(const Graph& graph);
bool HasRowRule(std::string_view op);

}  // namespace rml
