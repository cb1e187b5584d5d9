// Where load may go without being asked twice.
#pragma once

#include <string>

namespace rml {

// Whether "HOST:PORT" is this machine: localhost, 127.0.0.0/8 or [::1].
bool IsLoopback(const std::string& address);

// The port of "HOST:PORT".
int PortOf(const std::string& address);

}  // namespace rml
