// The highest rate of fused multiply-adds that one core reaches, as a yardstick measured in the same run.
#pragma once

#include <cstdint>
#include <string_view>

namespace rml {

// Runs `rounds` rounds of 12 independent FMAs over registers of the named instruction set and returns the number of
// floating-point operations done (two an FMA and lane); 0 for a set without a measurement ("portable").
double RunFmaChains(std::string_view isa, int64_t rounds);

}  // namespace rml
