// The ways of running a graph that must not change a bit.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/engine/random/base_run.h"
#include "tests/engine/random/check_case.h"

namespace rml {

// Passes that round differently from the nodes that they replace, as design §6 allows where a pass says so in its
// header. They are left out of the comparison of bits with the unfused run; what they compute must then be compared
// within a bound of their own, here. There is none.
inline constexpr const char* kPassesThatRoundDifferently[] = {nullptr};

using BaseRuns = std::map<int64_t, BaseRun>;  // by row count

std::optional<CheckFailure> CheckBits(const RandomCase& random_case, const BaseRuns& base);
// Requires a graph of which some value keeps its rows apart; does nothing otherwise.
std::optional<CheckFailure> CheckRows(const RandomCase& random_case);
std::optional<CheckFailure> CheckFiles(const RandomCase& random_case, const BaseRuns& base, const std::string& dir);

// The outputs of one run against the base run of that row count; what differs, or empty.
std::string DifferenceFromBase(const Graph& graph, const std::vector<Tensor>& outputs, const BaseRun& base);

}  // namespace rml
