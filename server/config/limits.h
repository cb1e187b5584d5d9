// Bounds of what a model may be served with, the same for the command line and for config.textproto.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rml {

inline constexpr int64_t kMaxInstances = 1024;
inline constexpr int64_t kMaxThreads = 1024;
inline constexpr int64_t kMaxQueueLimit = 1000000;
inline constexpr double kMaxTimeoutSeconds = 1e6;
inline constexpr size_t kMaxWarmUps = 16;  // as many plans as an executor keeps; more would push out the first
inline constexpr int64_t kMaxVersions = 1000;

}  // namespace rml
