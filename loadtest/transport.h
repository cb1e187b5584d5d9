// Calls to a server, ready-made: requests are serialised once, answers come as bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loadtest/protocol.h"

namespace rml {

// How a call ended; `response` is null unless `status` is OK, and is gone when the callback returns.
using CallDone = std::function<void(const absl::Status& status, ResponseBytes* response)>;

class Transport {
 public:
  virtual ~Transport() = default;

  // Keeps a request to be sent any number of times; its number. Not while calls are started.
  virtual size_t Prepare(const std::string& method, const std::string& request) = 0;

  // Sends a prepared request. `done` is called once, on any thread, also if the server never answers. Thread-safe.
  virtual void Start(size_t request, std::chrono::nanoseconds timeout, CallDone done) = 0;
};

// gRPC over `connections` connections in turn, not encrypted. `address` as HOST:PORT.
std::unique_ptr<Transport> GrpcTransport(const std::string& address, int connections);

// Start() and the wait for its end.
absl::Status CallAndWait(Transport& transport, size_t request, std::chrono::nanoseconds timeout,
                         const std::function<absl::Status(ResponseBytes&)>& use);

}  // namespace rml
