#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/atomic_file.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/json_text.h"
#include "engine/graph/quoted.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

constexpr int64_t kMaxInlineElements = 16;

class GraphWriter {
 public:
  explicit GraphWriter(const Graph& graph) : graph_(graph) { NameConstants(); }

  std::string Json(const std::string& weights) const {
    std::string out =
        absl::StrFormat("{\"format\":\"rml-graph\",\"version\":1,\"producer\":%s,\n", JsonString(graph_.producer));
    absl::StrAppendFormat(&out, "\"weights\":{\"bytes\":%d,\"crc32\":\"%08x\"},\n", weights.size(),
                          crc32_z(0, reinterpret_cast<const Bytef*>(weights.data()), weights.size()));
    if (graph_.symbolic) {
      absl::StrAppendFormat(&out, "\"symbols\":{\"B\":{\"min\":%d,\"max\":%d}},\n", graph_.min_rows, graph_.max_rows);
    }
    std::vector<std::string> inputs, constants, nodes, values, outputs;
    for (const GraphInput& input : graph_.inputs)
      inputs.push_back(Entry(input.id, input.name, true, input.row_independent));
    for (const Constant& constant : graph_.constants) constants.push_back(ConstantText(constant));
    for (const Node& node : graph_.nodes) {
      nodes.push_back(NodeText(node));
      for (ValueId id : node.outputs) values.push_back(Entry(id, "", true, false));
    }
    for (const GraphOutput& output : graph_.outputs)
      outputs.push_back(Entry(output.id, output.name, false, output.row_independent));
    const std::array<std::pair<const char*, const std::vector<std::string>*>, 5> lists = {{{"inputs", &inputs},
                                                                                           {"constants", &constants},
                                                                                           {"nodes", &nodes},
                                                                                           {"values", &values},
                                                                                           {"outputs", &outputs}}};
    for (const auto& [name, lines] : lists) {
      absl::StrAppend(&out, "\"", name, "\":[", lines->empty() ? "" : "\n", absl::StrJoin(*lines, ",\n"),
                      lines->empty() ? "]" : "\n]", lines == &outputs ? "}\n" : ",\n");
    }
    return out;
  }

  // Stored constants in the graph's order.
  std::vector<NamedTensor> Stored() const {
    std::vector<NamedTensor> tensors;
    for (const Constant& constant : graph_.constants) {
      const Value& value = graph_.values[constant.id];
      const std::string& name = names_.at(constant.id);
      if (!name.empty()) tensors.push_back({name, {value.dtype, ShapeAt(value, 1), constant.data}});
    }
    return tensors;
  }

 private:
  std::string TypeText(ValueId id) const {
    return absl::StrFormat("\"dtype\":\"%s\",\"shape\":%s", DTypeName(graph_.values[id].dtype),
                           JsonDims(graph_.values[id].shape));
  }

  std::string Entry(ValueId id, const std::string& name, bool typed, bool rows) const {
    return absl::StrCat("{\"id\":", id, name.empty() ? "" : absl::StrCat(",\"name\":", JsonString(name)),
                        typed ? absl::StrCat(",", TypeText(id)) : "", rows ? ",\"rows\":true" : "", "}");
  }

  std::string ConstantText(const Constant& constant) const {
    const std::string& name = names_.at(constant.id);
    if (!name.empty()) return Entry(constant.id, name, true, false);
    const Value& value = graph_.values[constant.id];
    std::vector<std::string> elements;
    for (int64_t i = 0; i < ShapeAt(value, 1).num_elements(); ++i) {
      elements.push_back(value.dtype == DType::kF32 ? JsonNumber(static_cast<const float*>(constant.data)[i])
                                                    : absl::StrCat(static_cast<const int32_t*>(constant.data)[i]));
    }
    return absl::StrFormat("{\"id\":%d,%s,\"data\":[%s]}", constant.id, TypeText(constant.id),
                           absl::StrJoin(elements, ","));
  }

  static std::string NodeText(const Node& node) {
    std::string attrs = absl::StrJoin(node.attrs, ",", [](std::string* out, const auto& attr) {
      absl::StrAppend(out, JsonString(attr.first), ":", JsonAttr(attr.second));
    });
    return absl::StrCat("{\"op\":", JsonString(node.op), ",\"in\":[", absl::StrJoin(node.inputs, ","), "],\"out\":[",
                        absl::StrJoin(node.outputs, ","), "]",
                        attrs.empty() ? "" : absl::StrCat(",\"attrs\":{", attrs, "}"),
                        node.name.empty() ? "" : absl::StrCat(",\"name\":", JsonString(node.name)), "}");
  }

  // Stored constants by their name or a new one, inline ones by none.
  void NameConstants() {
    std::set<std::string> taken;
    for (const Constant& constant : graph_.constants) taken.insert(constant.name);
    int number = 0;
    for (const Constant& constant : graph_.constants) {
      std::string& name = names_[constant.id];
      name = constant.name;
      if (!name.empty() || FitsInline(constant)) continue;
      while (taken.contains(absl::StrCat("const.", number))) ++number;
      name = absl::StrCat("const.", number++);
    }
  }

  bool FitsInline(const Constant& constant) const {
    const Value& value = graph_.values[constant.id];
    const int64_t count = ShapeAt(value, 1).num_elements();
    if (count > kMaxInlineElements) return false;
    const auto* elements = static_cast<const float*>(constant.data);
    return value.dtype == DType::kI32 ||
           std::all_of(elements, elements + count, [](float element) { return std::isfinite(element); });
  }

  const Graph& graph_;
  std::map<ValueId, std::string> names_;
};

// JSON has no text for an attribute that is NaN or infinite.
absl::Status CheckAttrsFinite(const Graph& graph) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const auto& [name, attr] : graph.nodes[n].attrs) {
      const double* number = std::get_if<double>(&attr);
      if (number == nullptr || std::isfinite(*number)) continue;
      return absl::InvalidArgumentError(absl::StrFormat("%s: attribute %s is %f; expected a finite number",
                                                        graph.NodeLabel(n), Quoted(name), *number));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphFilePair> Serialize(const Graph& graph) {
  RETURN_IF_ERROR(CheckStructure(graph));
  RETURN_IF_ERROR(CheckAttrsFinite(graph));
  const GraphWriter writer(graph);
  GraphFilePair pair;
  pair.weights = SerializeSafetensors(writer.Stored());
  pair.json = writer.Json(pair.weights);
  return pair;
}

}  // namespace

absl::StatusOr<GraphFilePair> SerializeGraph(const Graph& graph) {
  return CatchOutOfMemory("writing a graph", [&] { return Serialize(graph); });
}

absl::Status WriteGraphFile(const Graph& graph, const std::string& json_path) {
  return CatchOutOfMemory("writing a graph file", [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const GraphFilePair pair, Serialize(graph));
    const std::string weights_path = std::filesystem::path(json_path).replace_extension(".safetensors").string();
    // The weights first: a JSON file never names weights that are not there yet.
    const FileToWrite files[] = {{weights_path, pair.weights}, {json_path, pair.json}};
    return WriteFilesAtomically(files);
  });
}

}  // namespace rml
