// JSON as outside data: parsed strictly and within bounds, never by exception.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace rml {

// A document; objects keep the order of the text. Looking up a key walks the object.
using Json = nlohmann::ordered_json;

// A parsed document. Taken apart by itself when it goes: the library's own destructor allocates, so that it would end the
// process when memory is short.
class JsonDocument {
 public:
  explicit JsonDocument(Json json) : json_(std::move(json)) {}
  JsonDocument(JsonDocument&& other) = default;
  JsonDocument& operator=(JsonDocument&& other) = delete;
  ~JsonDocument();

  const Json& json() const { return json_; }
  Json& json() { return json_; }

 private:
  Json json_;
};

struct JsonLimits {
  int max_depth = 0;                                        // of objects and lists in one another
  int64_t max_items = std::numeric_limits<int64_t>::max();  // values of every kind, nested ones included
};

// The document, or InvalidArgument with the byte or key where it is wrong. Refused besides malformed text: a key given
// twice in one object, a byte order mark, numbers that no double holds, and what goes beyond the limits.
absl::StatusOr<JsonDocument> ParseStrictJson(std::string_view text, const JsonLimits& limits);

// The same for what Rust's serde_json takes: a key given twice is kept twice, and whether a number is too large is
// serde_json's own verdict (serde_number.h); one that no double holds but serde_json takes reads as an infinity.
absl::StatusOr<JsonDocument> ParseSerdeJson(std::string_view text, const JsonLimits& limits);

}  // namespace rml
