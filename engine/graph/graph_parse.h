// From a parsed JSON document and its weights to a Graph. Private to engine/graph.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "engine/graph/strict_json.h"

namespace rml {

// `weights` is nullptr if there is no such file; NotFound then if the document asks for one. Does not run CheckStructure.
absl::StatusOr<Graph> ParseGraph(const Json& document, std::shared_ptr<const SafetensorsFile> weights,
                                 const GraphLimits& limits);

}  // namespace rml
