#include "server/http/listen_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"

namespace rml {
namespace {

// "[::1]" as getaddrinfo takes it: "::1".
std::string WithoutBrackets(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

// The port that a listening socket was given.
int PortOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// A listening socket, or -1 with errno set.
int ListenOn(const addrinfo& address) {
  const int on = 1, off = 0;
  const int fd = socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (fd < 0) return -1;
  // No SO_REUSEPORT, with which two servers would share a port and neither notice. "::" takes IPv4 too, as gRPC's does.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (bind(fd, address.ai_addr, address.ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

absl::StatusOr<ListenSocket> ListenSocket::Open(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result = getaddrinfo(WithoutBrackets(host).c_str(), std::to_string(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  std::string why = result != 0 ? gai_strerror(result) : "";
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    if (const int fd = ListenOn(*address); fd >= 0) return ListenSocket(fd, PortOf(fd));
    why = std::strerror(errno);
  }
  return absl::UnavailableError(absl::StrFormat("cannot listen on %s:%d: %s", host, port, why));
}

ListenSocket::~ListenSocket() {
  if (socket_ >= 0) close(socket_);
}

int ListenSocket::Release() { return std::exchange(socket_, -1); }

}  // namespace rml
