// The small HTTP port for machines that look after servers: /metrics, /livez, /readyz.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace rml {

struct StatusPortOptions {
  std::string host = "127.0.0.1";
  int port = 8002;                           // 0: any free one
  std::function<std::string()> metrics{};    // Prometheus text format
  std::function<std::string()> not_ready{};  // why the server is not ready; empty when it is
};

// Serves until destroyed, on one thread that waits for no client. Connections are closed after each answer: a scrape every
// few seconds gains nothing from an open one, and closing the port waits for nobody. At most 512 connections, 128 from one
// address, are held, each until it has been silent for 5 s; bodies of requests are not read.
class StatusPort {
 public:
  // Unavailable if the port is taken or the host is none of this machine's: "HTTP: cannot listen on HOST:PORT: why".
  static absl::StatusOr<std::unique_ptr<StatusPort>> Start(StatusPortOptions options);
  ~StatusPort();

  int port() const { return port_; }

 private:
  struct Impl;
  StatusPort(std::unique_ptr<Impl> impl, int port);

  std::unique_ptr<Impl> impl_;
  const int port_;
};

}  // namespace rml
