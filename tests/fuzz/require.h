// What a fuzz target demands of the code under test. Anything else (a crash, a sanitizer's report, a hang) libFuzzer finds
// by itself.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace rml {

// Ends the program with `message` unless `condition` holds; libFuzzer then keeps the input as a finding.
inline void Require(bool condition, const std::string& message) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", message.c_str());
  std::abort();
}

}  // namespace rml
