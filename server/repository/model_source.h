// Where a model version's files are.
#pragma once

#include <cstdint>
#include <string>

namespace rml {

struct ModelSource {
  std::string name;
  int64_t version = 1;
  std::string directory;  // holds model.json, model.safetensors and perhaps golden.safetensors
};

}  // namespace rml
