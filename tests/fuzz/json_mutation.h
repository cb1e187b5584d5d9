// Changes to JSON that leave it JSON: bytes changed at random seldom get past the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rml {

// `text` with a few of its values replaced, repeated, moved or removed, chosen by `seed`. Empty if `text` is no JSON.
std::string MutateJson(std::string_view text, uint32_t seed);

}  // namespace rml
