// What this program is, for --version, the log and rml_build_info.
#pragma once

#include <string>

namespace rml {

inline constexpr char kServerVersion[] = "0.1.0";

// Raised whenever the bits of any output change (the digests in tests/fixtures/*.bits).
inline constexpr int kNumericsVersion = 1;

// "rml-server 0.1.0 (numerics 1, isa avx2; available: portable, avx2)".
std::string VersionLine();

}  // namespace rml
