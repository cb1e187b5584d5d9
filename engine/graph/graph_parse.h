// From a parsed JSON document and its weights to a Graph. Private to engine/graph.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "nlohmann/json.hpp"

namespace rml {

// `weights` may be nullptr if no constant is stored by name. Does not run CheckStructure.
absl::StatusOr<Graph> ParseGraph(const nlohmann::json& document, std::shared_ptr<const SafetensorsFile> weights,
                                 const GraphLimits& limits);

}  // namespace rml
