// Which numbers Rust's serde_json takes: the official safetensors reader refuses a file for a number that serde_json
// finds too large, also where nobody asks for it. Private to engine/graph.
#pragma once

#include <string_view>

namespace rml {

// False if serde_json answers "number out of range". `number` must be a JSON number that is no 64-bit integer.
//
// serde_json does not round correctly: it takes as many leading digits as 64 bits hold, cuts off the rest, and multiplies
// or divides by powers of ten in double precision. Close to the largest double its verdict is therefore its own: it
// refuses 1.7976931348623158e308, which rounds to that double. The same steps are taken here.
// Source: measured with safetensors 0.8.0 (serde_json 1.0.150 without float_roundtrip); tests/engine/graph compares.
bool SerdeHolds(std::string_view number);

}  // namespace rml
