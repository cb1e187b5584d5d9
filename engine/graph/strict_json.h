// JSON as outside data: parsed strictly and within bounds, never by exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rml {

// The document, or InvalidArgument with the byte where it is wrong. Refused besides malformed text: a key given twice in
// one object, nesting deeper than max_depth, numbers that no double holds.
absl::StatusOr<nlohmann::json> ParseStrictJson(std::string_view text, int max_depth);

// An excerpt of outside text for an error: at most 60 bytes, control characters replaced, quoted.
std::string Quoted(std::string_view text);

}  // namespace rml
