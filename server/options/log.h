// The log: one line an event, on standard error.
#pragma once

#include <string>

#include "server/options/options.h"

namespace rml {

// Sets spdlog's default logger. kText: "2026-01-31 12:00:00.123 info  message". kJson: one object a line with the keys
// time (UTC, ISO 8601), level and message. What protobuf has to say goes there too, instead of straight to standard error.
void SetUpLog(LogFormat format, const std::string& level);

// `text` as the inside of a JSON string; bytes that are no UTF-8 become '?'.
std::string JsonEscape(const std::string& text);

}  // namespace rml
