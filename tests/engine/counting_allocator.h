// Counts the allocations of the whole process: malloc and its kin, and mmap, on all threads. A program that links this
// has them replaced; under sanitizers, which replace them too, nothing is counted.
#pragma once

#include <cstdint>

namespace rml {

bool AllocationsAreCounted();
// Counting is off until the first call, and starts from 0 with each.
void StartCountingAllocations();
int64_t StopCountingAllocations();

}  // namespace rml
