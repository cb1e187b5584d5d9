// What a model's config.textproto says (rml.v1.ModelConfig), checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rml {

inline constexpr char kModelConfigFile[] = "config.textproto";
inline constexpr size_t kMaxModelConfigBytes = 64 << 10;

// A value whose last check needs what the file does not hold, and where it stands: "config.textproto:3:1".
template <typename T>
struct Placed {
  T value{};
  std::string place{};
};

// Which of a model's versions are served.
struct VersionPolicy {
  enum class Kind : uint8_t { kLatest, kAll, kSpecific };
  Kind kind = Kind::kLatest;
  int64_t num_versions = 1;                 // kLatest: the highest so many
  std::vector<Placed<int64_t>> versions{};  // kSpecific: positive, no two the same
};

// Absent: as the server's flags say, or the model itself.
struct ModelConfig {
  VersionPolicy version_policy{};
  std::optional<int> instances{};
  std::optional<int> threads{};
  std::optional<size_t> queue_limit{};
  std::optional<double> default_timeout_seconds{};  // 0: none
  std::optional<Placed<int64_t>> max_rows{};        // at least 1
  std::vector<Placed<int64_t>> warm_up_rows{};      // at least 1 each
};

// `text` is outside data: nothing that it holds crashes, is written to standard error, or is passed over.
// Errors: InvalidArgument "config.textproto:LINE:COLUMN: what came; what was expected", counted from 1, tabs to the next
// multiple of 8. Text that cannot be read is reported up to the first problem; values out of bounds are all listed.
absl::StatusOr<ModelConfig> ParseModelConfig(std::string_view text);

}  // namespace rml
