#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/graph_parse.h"
#include "engine/graph/strict_json.h"

namespace rml {
namespace {

absl::StatusOr<Graph> Read(std::string_view json, std::shared_ptr<const SafetensorsFile> weights,
                           const GraphLimits& limits) {
  ASSIGN_OR_RETURN(const JsonDocument document, ParseStrictJson(json, {limits.max_json_depth, limits.max_json_items}));
  ASSIGN_OR_RETURN(Graph graph, ParseGraph(document.json(), std::move(weights), limits));
  RETURN_IF_ERROR(CheckStructure(graph, limits));
  return graph;
}

absl::StatusOr<Graph> ReadPair(const std::string& json_path, const GraphLimits& limits) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const FileContent> json, FileContent::Read(json_path, limits.max_json_bytes));
  const std::string weights_path = std::filesystem::path(json_path).replace_extension(".safetensors").string();
  absl::StatusOr<std::shared_ptr<const SafetensorsFile>> weights = SafetensorsFile::Open(weights_path);
  // A graph whose constants are all inline needs no weights file; ParseGraph refuses the others.
  if (absl::IsNotFound(weights.status())) weights = std::shared_ptr<const SafetensorsFile>();
  if (!weights.ok()) return weights.status();
  return Annotate(Read(json->bytes(), *std::move(weights), limits),
                  absl::StrCat("graph file '", FileName(json_path), "'"));
}

}  // namespace

absl::StatusOr<Graph> ReadGraphFile(const std::string& json_path, const GraphLimits& limits) {
  return CatchOutOfMemory("reading a graph file", [&] { return ReadPair(json_path, limits); });
}

absl::StatusOr<Graph> ReadGraph(const std::string& json, const std::string& weights, const GraphLimits& limits) {
  return CatchOutOfMemory("reading a graph", [&]() -> absl::StatusOr<Graph> {
    std::shared_ptr<const SafetensorsFile> file;
    if (!weights.empty()) {
      ASSIGN_OR_RETURN(file, SafetensorsFile::Parse(weights));
    }
    return Read(json, std::move(file), limits);
  });
}

}  // namespace rml
