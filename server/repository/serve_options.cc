#include "server/repository/serve_options.h"

#include <utility>

namespace rml {

ServeOptions Override(ServeOptions flags, const ModelConfig& config) {
  ServeOptions options = std::move(flags);
  options.instances = config.instances.value_or(options.instances);
  options.threads = config.threads.value_or(options.threads);
  options.queue_limit = config.queue_limit.value_or(options.queue_limit);
  if (config.default_timeout_seconds) {
    const std::chrono::duration<double> seconds(*config.default_timeout_seconds);
    options.default_timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
  }
  options.max_rows = config.max_rows;
  options.warm_up_rows = config.warm_up_rows;
  return options;
}

}  // namespace rml
