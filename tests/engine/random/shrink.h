// Makes a failing case small: the fewest nodes, the smallest dims, the plainest attributes and numbers with which it
// still fails.
#pragma once

#include <functional>

#include "tests/engine/random/random_case.h"

namespace rml {

// Whether a case still fails. Only asked about graphs that CheckGraph() accepts.
using FailsFn = std::function<bool(const RandomCase& random_case)>;

struct ShrinkLimits {
  int max_tries = 4000;  // calls of `fails`
};

// A case for which `fails` is true, no larger than the given one, for which it is true as well. Deterministic.
RandomCase Shrink(const RandomCase& random_case, const FailsFn& fails, const ShrinkLimits& limits = {});

}  // namespace rml
