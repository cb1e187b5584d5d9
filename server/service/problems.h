// Everything that is wrong with one request, gathered before it is refused.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace rml {

// Status payload under which the serialized google.rpc.BadRequest travels.
inline constexpr char kBadRequestType[] = "type.googleapis.com/google.rpc.BadRequest";

// Bounds of what goes back: a message, and details that fit in gRPC's 8 KiB of trailers with it.
inline constexpr size_t kMaxMessageBytes = 1023;
inline constexpr size_t kMaxViolations = 8;

// `text` cut to at most `max_bytes`, "..." included, between UTF-8 characters.
std::string Cut(std::string text, size_t max_bytes);

class Problems {
 public:
  // `field` is a path into the request, "inputs[0].shape"; `what` says what came and what was expected.
  void Add(std::string field, std::string what);
  bool empty() const { return count_ == 0; }

  // OK without problems, else InvalidArgument "<who>: <what>; <what>; and 3 more", with BadRequest as payload.
  absl::Status ToStatus(std::string_view who) const;

 private:
  // A message has room for fewer; a request may have thousands.
  static constexpr size_t kMaxKept = 32;

  std::vector<std::pair<std::string, std::string>> kept_;
  size_t count_ = 0;
};

}  // namespace rml
