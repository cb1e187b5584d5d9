// What this program is, for --version, the log and rml_build_info.
#pragma once

#include <string>

namespace rml {

// "rml-server 0.1.0 (numerics 1, isa avx2; available: portable, avx2)".
std::string VersionLine();

}  // namespace rml
