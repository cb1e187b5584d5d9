// What a failing case leaves behind: a small case as files, and a message that says how to go on.
#pragma once

#include <functional>
#include <string>

#include "tests/engine/random/check_case.h"

namespace rml {

using CheckFn = std::function<std::optional<CheckFailure>(const RandomCase& random_case)>;

// Shrinks the case to one that fails in the same stage, writes it to `dir` as "seed_<seed>", and returns the message:
// seed, what is wrong, the small graph, and the commands that replay both.
std::string ReportFailure(const RandomCase& random_case, const CheckFailure& failure, const CheckFn& check,
                          const std::string& dir);

}  // namespace rml
