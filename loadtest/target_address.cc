#include "loadtest/target_address.h"

#include <arpa/inet.h>

#include "absl/strings/numbers.h"

namespace rml {

bool IsLoopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  in_addr numeric{};  // not by the text alone: 127.example.com is somewhere else
  return inet_pton(AF_INET, host.c_str(), &numeric) == 1 && (ntohl(numeric.s_addr) >> 24) == 127;
}

int PortOf(const std::string& address) {
  int port = 0;
  return absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &port) ? port : 0;
}

}  // namespace rml
