// The part of libFuzzer's interface that mutators use; it has no header of its own for this.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
// Changes data[0, size) at random, byte by byte and by the dictionary; returns the new size, at most max_size.
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);  // NOLINT(readability-identifier-naming)
}
