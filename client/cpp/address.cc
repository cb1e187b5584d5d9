#include "client/cpp/address.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rml {
namespace {

// Where the host ends: behind the bracket of an IPv6 address, else at the only colon, else at the end. npos: nowhere.
size_t HostEnd(const std::string& address) {
  if (address.empty() || address[0] != '[') {
    if (std::count(address.begin(), address.end(), ':') > 1) return std::string::npos;
    return std::min(address.find(':'), address.size());
  }
  const size_t bracket = address.find(']');
  return bracket == std::string::npos ? bracket : bracket + 1;
}

bool IsPort(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  int port = 0;
  return std::all_of(text.begin(), text.end(), is_digit) && absl::SimpleAtoi(text, &port) && port > 0 && port <= 65535;
}

}  // namespace

absl::StatusOr<std::string> WithPort(const std::string& address) {
  const size_t end = HostEnd(address);
  if (end != std::string::npos && end > 0) {
    const std::string rest = address.substr(end);
    if (rest.empty()) return absl::StrCat(address, ":", kDefaultPort);
    if (rest[0] == ':' && IsPort(rest.substr(1))) return address;
  }
  return absl::InvalidArgumentError(absl::StrFormat(
      "server address '%s'; expected HOST or HOST:PORT with a port of 1 to 65535 (8001 without one), IPv6 hosts in "
      "brackets",
      address));
}

}  // namespace rml
