// How much gRPC still has to do: the HTTP/2 streams that clients have opened and that have not ended.
#pragma once

#include <cstdint>
#include <optional>

namespace rml {

// Over all servers of the process: calls under way, requests that have not come to their end, answers that have not gone.
// Takes a few microseconds a connection. Nothing if gRPC does not say.
std::optional<int64_t> OpenStreams();

}  // namespace rml
