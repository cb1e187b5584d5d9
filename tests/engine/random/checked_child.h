// Checks in a process of its own, so that a crash or a hang is a failure like any other.
#pragma once

#include <optional>

#include "tests/engine/random/check_case.h"

namespace rml {

// As CheckCase(); also a stage "crash" or "hang" (a minute without an end). The caller must not have started threads.
std::optional<CheckFailure> CheckInChild(const RandomCase& random_case, const CheckOptions& options);

}  // namespace rml
