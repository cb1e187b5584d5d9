// Which of a model's versions are to be served.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/config/model_config.h"

namespace rml {

struct SelectedVersions {
  std::vector<int64_t> serve{};            // highest first
  std::vector<Placed<int64_t>> missing{};  // asked for by number, but not there
};

// `there` in any order, each once.
SelectedVersions SelectVersions(const VersionPolicy& policy, std::vector<int64_t> there);

}  // namespace rml
