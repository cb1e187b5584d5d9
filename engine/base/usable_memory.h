// How much memory there is to be had: asked before a large block is taken, as the kernel gives more than there is and
// ends the process when it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rml {

// Bytes that this process may still take: of the machine (available memory and free swap), at most what its control
// groups leave. Nothing if neither can be read. `root` stands in front of /proc and /sys: tests make such trees.
std::optional<int64_t> UsableMemory(const std::string& root = "");

}  // namespace rml
