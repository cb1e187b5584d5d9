// What the tests of exact models share.
#pragma once

#include <string>

#include "examples/exact_check/exact_check.h"

namespace rml {

// Every framework's export of the model gives the expected bits, fused and unfused; and its golden file, which holds what
// the framework was given and gave, holds the same input and output.
void ExpectExact(const std::string& folder, const ExactModel& model);

}  // namespace rml
