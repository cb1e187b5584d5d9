// How one model is loaded and served.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/exec/program.h"
#include "server/config/model_config.h"

namespace rml {

struct ServeOptions {
  int instances = 1;         // executors, each with its own memory: requests computed at the same time
  int threads = 1;           // threads one of them may use
  size_t queue_limit = 256;  // requests that may wait
  std::chrono::nanoseconds default_timeout{0};  // of Run calls that come without a deadline; zero: none
  ProgramOptions program{};
  std::optional<Placed<int64_t>> max_rows{};    // absent: as many as the model takes
  std::optional<int64_t> memory_left{};         // of --memory-limit, for this model; absent: no limit
  std::vector<Placed<int64_t>> warm_up_rows{};  // run before the model is ready, beside its golden inputs
};

// `flags`, which hold for all models, with what `config` says in their place.
ServeOptions Override(ServeOptions flags, const ModelConfig& config);

}  // namespace rml
