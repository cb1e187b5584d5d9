// Where a model version's files are, and how it is to be served.
#pragma once

#include <cstdint>
#include <string>

#include "server/config/model_config.h"

namespace rml {

struct ModelSource {
  std::string name;
  int64_t version = 1;
  std::string directory;  // holds model.json, model.safetensors and perhaps golden.safetensors
  ModelConfig config{};   // of the model, the same for all its versions
  std::string stamp{};    // of its files and its config.textproto (file_stamp.h), when they were looked at
};

}  // namespace rml
