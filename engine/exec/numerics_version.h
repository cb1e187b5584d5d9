// Counts the changes of the engine's results: two builds with the same number give the same bits for the same model and
// inputs, on any machine. Raised with every change of the digests in tests/fixtures/*.bits.
#pragma once

namespace rml {

inline constexpr int kNumericsVersion = 1;

}  // namespace rml
