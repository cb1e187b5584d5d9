#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/atomic_file.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "nlohmann/json.hpp"
#include "zlib.h"

namespace rml {
namespace {

std::string Text(const std::string& text) { return nlohmann::json(text).dump(); }

std::string DimText(const Dim& dim) { return dim.symbolic() ? Text(ToString(dim)) : absl::StrCat(dim.factor()); }

std::string DimsText(const std::vector<Dim>& dims) {
  return absl::StrCat(
      "[", absl::StrJoin(dims, ",", [](std::string* out, const Dim& dim) { out->append(DimText(dim)); }), "]");
}

// The shortest text that reads back as the same number, with a fraction so that it reads as a float.
template <typename Number>
std::string NumberText(Number number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string AttrText(const AttrValue& value) {
  if (const Dim* dim = std::get_if<Dim>(&value)) return DimText(*dim);
  if (const double* number = std::get_if<double>(&value)) return NumberText(*number);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return Text(*text);
  return DimsText(std::get<std::vector<Dim>>(value));
}

class GraphWriter {
 public:
  explicit GraphWriter(const Graph& graph) : graph_(graph) {}

  std::string Json(const std::string& weights) const {
    std::string out =
        absl::StrFormat("{\"format\":\"rml-graph\",\"version\":1,\"producer\":%s,\n", Text(graph_.producer));
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
      absl::StrAppend(&out, "\"", name, "\":[", lines->empty() ? "" : "\n", absl::StrJoin(*lines, ",\n"), "]",
                      lines == &outputs ? "}\n" : ",\n");
    }
    return out;
  }

  // Stored constants in the graph's order.
  std::vector<NamedTensor> Stored() const {
    std::vector<NamedTensor> tensors;
    for (const Constant& constant : graph_.constants) {
      const Value& value = graph_.values[constant.id];
      if (!constant.name.empty()) tensors.push_back({constant.name, {value.dtype, ShapeAt(value, 1), constant.data}});
    }
    return tensors;
  }

 private:
  std::string TypeText(ValueId id) const {
    return absl::StrFormat("\"dtype\":\"%s\",\"shape\":%s", DTypeName(graph_.values[id].dtype),
                           DimsText(graph_.values[id].shape));
  }

  std::string Entry(ValueId id, const std::string& name, bool typed, bool rows) const {
    return absl::StrCat("{\"id\":", id, name.empty() ? "" : absl::StrCat(",\"name\":", Text(name)),
                        typed ? absl::StrCat(",", TypeText(id)) : "", rows ? ",\"rows\":true" : "", "}");
  }

  std::string ConstantText(const Constant& constant) const {
    if (!constant.name.empty()) return Entry(constant.id, constant.name, true, false);
    const Value& value = graph_.values[constant.id];
    std::vector<std::string> elements;
    for (int64_t i = 0; i < ShapeAt(value, 1).num_elements(); ++i) {
      elements.push_back(value.dtype == DType::kF32 ? NumberText(static_cast<const float*>(constant.data)[i])
                                                    : absl::StrCat(static_cast<const int32_t*>(constant.data)[i]));
    }
    return absl::StrFormat("{\"id\":%d,%s,\"data\":[%s]}", constant.id, TypeText(constant.id),
                           absl::StrJoin(elements, ","));
  }

  static std::string NodeText(const Node& node) {
    std::string attrs = absl::StrJoin(node.attrs, ",", [](std::string* out, const auto& attr) {
      absl::StrAppend(out, Text(attr.first), ":", AttrText(attr.second));
    });
    return absl::StrCat("{\"op\":", Text(node.op), ",\"in\":[", absl::StrJoin(node.inputs, ","), "],\"out\":[",
                        absl::StrJoin(node.outputs, ","), "]",
                        attrs.empty() ? "" : absl::StrCat(",\"attrs\":{", attrs, "}"),
                        node.name.empty() ? "" : absl::StrCat(",\"name\":", Text(node.name)), "}");
  }

  const Graph& graph_;
};

}  // namespace

absl::Status WriteGraphFile(const Graph& graph, const std::string& json_path) {
  RETURN_IF_ERROR(CheckStructure(graph));
  const GraphWriter writer(graph);
  const std::string weights = SerializeSafetensors(writer.Stored());
  const std::string weights_path = std::filesystem::path(json_path).replace_extension(".safetensors").string();
  // The weights first: a JSON file never names weights that are not there yet.
  RETURN_IF_ERROR(WriteFileAtomically(weights_path, weights));
  return WriteFileAtomically(json_path, writer.Json(weights));
}

std::string PrintGraph(const Graph& graph) {
  auto type = [&](ValueId id) {
    return absl::StrCat(DTypeName(graph.values[id].dtype), ToString(graph.values[id].shape));
  };
  std::string out;
  if (graph.symbolic) absl::StrAppendFormat(&out, "B from %d to %d\n", graph.min_rows, graph.max_rows);
  for (const GraphInput& input : graph.inputs)
    absl::StrAppendFormat(&out, "%%%d = input '%s' %s\n", input.id, input.name, type(input.id));
  for (const Constant& constant : graph.constants) {
    const std::string name = constant.name.empty() ? "(inline)" : absl::StrCat("'", constant.name, "'");
    absl::StrAppendFormat(&out, "%%%d = constant %s %s\n", constant.id, name, type(constant.id));
  }
  auto ids = [](std::string* text, ValueId id) { absl::StrAppend(text, "%", id); };
  for (const Node& node : graph.nodes) {
    const std::string attrs = absl::StrJoin(node.attrs, ", ", [](std::string* text, const auto& attr) {
      absl::StrAppend(text, attr.first, "=", AttrText(attr.second));
    });
    absl::StrAppendFormat(
        &out, "%s = %s(%s)%s %s%s\n", absl::StrJoin(node.outputs, ", ", ids), node.op,
        absl::StrJoin(node.inputs, ", ", ids), attrs.empty() ? "" : absl::StrCat(" {", attrs, "}"),
        absl::StrJoin(node.outputs, ", ", [&](std::string* text, ValueId id) { absl::StrAppend(text, type(id)); }),
        node.name.empty() ? "" : absl::StrCat("  # ", node.name));
  }
  for (const GraphOutput& output : graph.outputs)
    absl::StrAppendFormat(&out, "output '%s' = %%%d\n", output.name, output.id);
  return out;
}

}  // namespace rml
