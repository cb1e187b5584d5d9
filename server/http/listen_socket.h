// A socket that listens for TCP connections.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace rml {

// Owned: closed when destroyed, unless released.
class ListenSocket {
 public:
  // host: a name or an address, IPv6 with or without brackets. port 0: any free one. A port is never shared with another
  // process. Unavailable "cannot listen on HOST:PORT: why".
  static absl::StatusOr<ListenSocket> Open(const std::string& host, int port);
  ~ListenSocket();
  ListenSocket(ListenSocket&& other) noexcept : socket_(other.Release()), port_(other.port_) {}
  ListenSocket& operator=(ListenSocket&&) = delete;

  int port() const { return port_; }
  int Release();  // the descriptor, which is the caller's from now on

 private:
  ListenSocket(int socket, int port) : socket_(socket), port_(port) {}

  int socket_;
  int port_;
};

}  // namespace rml
