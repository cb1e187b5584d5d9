// Where a server is.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace rml {

inline constexpr int kDefaultPort = 8001;

// "HOST:PORT" for gRPC: `address` as it is, or with kDefaultPort where it names none. IPv6 addresses stand in brackets,
// "[::1]:8001". InvalidArgument for anything else: gRPC takes ports modulo 65536, so that localhost:99999 would be some
// other program.
absl::StatusOr<std::string> WithPort(const std::string& address);

}  // namespace rml
