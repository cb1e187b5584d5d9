#include "engine/graph/graph_parse.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/graph/json_fields.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

constexpr int64_t kVersion = 1;
constexpr int64_t kMaxInlineElements = 16;
constexpr int64_t kMaxRows = int64_t{1} << 31;

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

class GraphParser {
 public:
  GraphParser(const Json& document, std::shared_ptr<const SafetensorsFile> weights, const GraphLimits& limits)
      : document_(document), weights_(std::move(weights)), limits_(limits) {}

  absl::StatusOr<Graph> Run() {
    RETURN_IF_ERROR(ParseHead());
    RETURN_IF_ERROR(ForEach("inputs", [this](const JsonFields& f) { return ParseInput(f); }));
    RETURN_IF_ERROR(ForEach("constants", [this](const JsonFields& f) { return ParseConstant(f); }));
    RETURN_IF_ERROR(ForEach("values", [this](const JsonFields& f) { return ParseValue(f); }));
    RETURN_IF_ERROR(ForEach("nodes", [this](const JsonFields& f) { return ParseNode(f); }));
    RETURN_IF_ERROR(ForEach("outputs", [this](const JsonFields& f) { return ParseOutput(f); }));
    RETURN_IF_ERROR(CheckIds());
    RETURN_IF_ERROR(CheckWeights());
    return std::move(graph_);
  }

 private:
  absl::Status ParseHead() {
    const JsonFields top(document_, "top level");
    RETURN_IF_ERROR(top.CheckKeys(
        {"format", "version", "producer", "weights", "symbols", "inputs", "constants", "nodes", "values", "outputs"}));
    ASSIGN_OR_RETURN(const std::string format, top.String("format"));
    if (format != "rml-graph") return top.Wrong("format", "'rml-graph'");
    ASSIGN_OR_RETURN(const int64_t version, top.Int("version", 0, std::numeric_limits<int32_t>::max()));
    if (version != kVersion) {
      return absl::UnimplementedError(
          absl::StrFormat("version is %d; this reader knows version %d", version, kVersion));
    }
    if (top.Has("producer")) {
      ASSIGN_OR_RETURN(graph_.producer, top.String("producer"));
    }
    if (top.Has("symbols")) RETURN_IF_ERROR(ParseSymbols(top));
    if (top.Has("weights")) RETURN_IF_ERROR(CheckChecksum(top));
    return absl::OkStatus();
  }

  absl::Status ParseSymbols(const JsonFields& top) {
    ASSIGN_OR_RETURN(const Json* symbols, top.Object("symbols"));
    RETURN_IF_ERROR(JsonFields(*symbols, "symbols").CheckKeys({"B"}));
    if (symbols->empty()) return absl::OkStatus();
    const JsonFields rows((*symbols)["B"], "symbols.B");
    RETURN_IF_ERROR(rows.CheckKeys({"min", "max"}));
    ASSIGN_OR_RETURN(graph_.min_rows, rows.Int("min", 1, kMaxRows));
    ASSIGN_OR_RETURN(graph_.max_rows, rows.Int("max", graph_.min_rows, kMaxRows));
    graph_.symbolic = true;
    return absl::OkStatus();
  }

  absl::Status CheckChecksum(const JsonFields& top) {
    ASSIGN_OR_RETURN(const Json* json, top.Object("weights"));
    const JsonFields fields(*json, "weights");
    RETURN_IF_ERROR(fields.CheckKeys({"bytes", "crc32"}));
    ASSIGN_OR_RETURN(const int64_t bytes, fields.Int("bytes", 0, std::numeric_limits<int64_t>::max()));
    ASSIGN_OR_RETURN(const std::string crc, fields.String("crc32"));
    if (weights_ == nullptr) {
      return absl::NotFoundError(absl::StrFormat("there is no weights file; expected one of %d bytes", bytes));
    }
    if (weights_->size_bytes() != bytes) {
      return Bad(absl::StrFormat("the weights file has %d bytes; expected %d: it is damaged or another model's",
                                 weights_->size_bytes(), bytes));
    }
    const std::string got = absl::StrFormat("%08x", weights_->crc32());
    if (got == crc) return absl::OkStatus();
    return Bad(absl::StrFormat("the weights file's crc32 is %s; expected %s: it is damaged or another model's", got,
                               Quoted(crc)));
  }

  template <typename Parse>
  absl::Status ForEach(const char* key, Parse parse) {
    ASSIGN_OR_RETURN(const Json* list, JsonFields(document_, "top level").Array(key));
    const int64_t limit = key == std::string_view("nodes") ? limits_.max_nodes : limits_.max_values;
    if (static_cast<int64_t>(list->size()) > limit) {
      return Bad(absl::StrFormat("'%s' has %d entries; expected at most %d", key, list->size(), limit));
    }
    for (size_t i = 0; i < list->size(); ++i) {
      RETURN_IF_ERROR(parse(JsonFields((*list)[i], absl::StrFormat("%s[%d]", key, i))));
    }
    return absl::OkStatus();
  }

  // The id, dtype and shape that inputs, constants and values have; records the value.
  absl::StatusOr<ValueId> ParseTyped(const JsonFields& fields) {
    ASSIGN_OR_RETURN(const int64_t id, fields.Int("id", 0, limits_.max_values - 1));
    ASSIGN_OR_RETURN(const std::string dtype_name, fields.String("dtype"));
    const std::optional<DType> dtype = ParseDType(dtype_name);
    if (!dtype) return fields.Wrong("dtype", "'f32' or 'i32'");
    ASSIGN_OR_RETURN(std::vector<Dim> shape, fields.Dims("shape"));
    if (id >= static_cast<int64_t>(graph_.values.size())) {
      graph_.values.resize(id + 1);
      typed_.resize(id + 1, false);
    }
    if (typed_[id]) return Bad(absl::StrFormat("%s: value %d is defined twice", fields.where(), id));
    typed_[id] = true;
    graph_.values[id] = {*dtype, std::move(shape)};
    return static_cast<ValueId>(id);
  }

  absl::Status ParseInput(const JsonFields& fields) {
    RETURN_IF_ERROR(fields.CheckKeys({"id", "name", "dtype", "shape", "rows"}));
    GraphInput input;
    ASSIGN_OR_RETURN(input.id, ParseTyped(fields));
    ASSIGN_OR_RETURN(input.name, fields.String("name"));
    if (fields.Has("rows")) {
      ASSIGN_OR_RETURN(input.row_independent, fields.Bool("rows"));
    }
    graph_.inputs.push_back(std::move(input));
    return absl::OkStatus();
  }

  absl::Status ParseOutput(const JsonFields& fields) {
    RETURN_IF_ERROR(fields.CheckKeys({"id", "name", "rows"}));
    GraphOutput output;
    ASSIGN_OR_RETURN(const int64_t id, fields.Int("id", 0, limits_.max_values - 1));
    output.id = static_cast<ValueId>(id);
    ASSIGN_OR_RETURN(output.name, fields.String("name"));
    if (fields.Has("rows")) {
      ASSIGN_OR_RETURN(output.row_independent, fields.Bool("rows"));
    }
    graph_.outputs.push_back(std::move(output));
    return absl::OkStatus();
  }

  absl::Status ParseValue(const JsonFields& fields) {
    RETURN_IF_ERROR(fields.CheckKeys({"id", "dtype", "shape"}));
    return ParseTyped(fields).status();
  }

  absl::Status ParseConstant(const JsonFields& fields) {
    RETURN_IF_ERROR(fields.CheckKeys({"id", "name", "dtype", "shape", "data"}));
    Constant constant;
    ASSIGN_OR_RETURN(constant.id, ParseTyped(fields));
    for (const Dim& dim : graph_.values[constant.id].shape) {
      if (dim.symbolic()) return fields.Wrong("shape", "numbers only: a constant does not grow with B");
    }
    if (fields.Has("name") == fields.Has("data")) {
      return Bad(absl::StrCat(fields.where(), ": expected either 'name' (stored) or 'data' (inline)"));
    }
    if (fields.Has("data")) {
      RETURN_IF_ERROR(ParseInline(fields, constant));
    } else {
      ASSIGN_OR_RETURN(constant.name, fields.String("name"));
      RETURN_IF_ERROR(FindStored(fields, constant));
    }
    graph_.constants.push_back(std::move(constant));
    return absl::OkStatus();
  }

  absl::Status ParseInline(const JsonFields& fields, Constant& constant) const {
    const Value& value = graph_.values[constant.id];
    ASSIGN_OR_RETURN(const Json* list, fields.Array("data"));
    RETURN_IF_ERROR(Annotate(CheckedShape(value).status(), fields.where()));
    const int64_t count = ShapeAt(value, 1).num_elements();
    if (count > kMaxInlineElements || static_cast<int64_t>(list->size()) != count) {
      return Bad(absl::StrFormat("%s: 'data' has %d elements for shape %s; expected as many as the shape, at most %d",
                                 fields.where(), list->size(), ToString(value.shape), kMaxInlineElements));
    }
    auto tensor = std::make_shared<Tensor>(value.dtype, ShapeAt(value, 1));
    for (int64_t i = 0; i < count; ++i) {
      const Json& item = (*list)[i];
      const double number = item.is_number() ? item.get<double>() : std::numeric_limits<double>::quiet_NaN();
      const bool is_i32 = value.dtype == DType::kI32;
      const bool fits = is_i32 ? item.is_number_integer() && number >= INT32_MIN && number <= INT32_MAX
                               : std::isfinite(static_cast<float>(number));
      if (!fits)
        return fields.Wrong("data", is_i32 ? "integers in the range of i32" : "finite numbers in the range of f32");
      if (is_i32) {
        tensor->data<int32_t>()[i] = static_cast<int32_t>(number);
      } else {
        tensor->data<float>()[i] = static_cast<float>(number);
      }
    }
    constant.data = tensor->raw();
    constant.owner = std::move(tensor);
    return absl::OkStatus();
  }

  static absl::StatusOr<int64_t> CheckedShape(const Value& value) {
    std::vector<int64_t> dims;
    for (const Dim& dim : value.shape) dims.push_back(dim.factor());
    if (dims.size() > kMaxRank) {
      return Bad(
          absl::StrFormat("shape %s has rank %d; expected at most %d", ToString(value.shape), dims.size(), kMaxRank));
    }
    return CheckedNumElements(dims);
  }

  absl::Status FindStored(const JsonFields& fields, Constant& constant) {
    const Value& value = graph_.values[constant.id];
    RETURN_IF_ERROR(Annotate(CheckedShape(value).status(), fields.where()));
    const SafetensorsEntry* entry = weights_ == nullptr ? nullptr : weights_->Find(constant.name);
    if (entry == nullptr) {
      missing_.push_back(constant.name);
      return absl::OkStatus();
    }
    used_.insert(constant.name);
    const std::string dtype = value.dtype == DType::kF32 ? "F32" : "I32";
    const bool same_shape =
        std::equal(entry->shape.begin(), entry->shape.end(), value.shape.begin(), value.shape.end(),
                   [](uint64_t stored, const Dim& dim) { return stored == static_cast<uint64_t>(dim.factor()); });
    if (entry->dtype != dtype || !same_shape) {
      return Bad(absl::StrFormat("constant %s is %s%s in the weights file; expected %s%s", Quoted(constant.name),
                                 entry->dtype, ListText(entry->shape), dtype, ToString(value.shape)));
    }
    if (reinterpret_cast<uintptr_t>(entry->data) % 64 == 0) {
      constant.data = entry->data;
      constant.owner = weights_->HoldData(*entry);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor copy, ToTensor(*entry));
    auto tensor = std::make_shared<Tensor>(std::move(copy));
    constant.data = tensor->raw();
    constant.owner = std::move(tensor);
    return absl::OkStatus();
  }

  absl::Status ParseNode(const JsonFields& fields) {
    RETURN_IF_ERROR(fields.CheckKeys({"op", "in", "out", "attrs", "name"}));
    Node node;
    ASSIGN_OR_RETURN(node.op, fields.String("op"));
    ASSIGN_OR_RETURN(node.inputs, fields.Ids("in"));
    ASSIGN_OR_RETURN(node.outputs, fields.Ids("out"));
    if (fields.Has("name")) {
      ASSIGN_OR_RETURN(node.name, fields.String("name"));
    }
    if (fields.Has("attrs")) {
      ASSIGN_OR_RETURN(const Json* attrs, fields.Object("attrs"));
      for (const auto& [name, value] : attrs->items()) {
        absl::StatusOr<AttrValue> attr = ParseAttr(value);
        if (!attr.ok()) {
          return Annotate(attr.status(), absl::StrFormat("%s: attribute %s", fields.where(), Quoted(name)));
        }
        node.attrs.emplace_back(name, *std::move(attr));
      }
    }
    graph_.nodes.push_back(std::move(node));
    return absl::OkStatus();
  }

  static absl::StatusOr<AttrValue> ParseAttr(const Json& value) {
    if (value.is_boolean()) return AttrValue(value.get<bool>());
    if (value.is_number_float()) return AttrValue(value.get<double>());
    if (value.is_array()) {
      std::vector<Dim> dims;
      for (const Json& item : value) {
        ASSIGN_OR_RETURN(const Dim dim, ParseDim(item));
        dims.push_back(dim);
      }
      return AttrValue(std::move(dims));
    }
    if (const absl::StatusOr<Dim> dim = ParseDim(value); dim.ok()) return AttrValue(*dim);
    if (value.is_string() && IsPrintable(value.get_ref<const std::string&>())) {
      return AttrValue(value.get<std::string>());
    }
    return Bad(absl::StrCat("is ", Quoted(value.dump()),
                            "; expected a number, true or false, a printable string or a list of integers"));
  }

  absl::Status CheckIds() const {
    std::vector<std::string> undefined;
    for (size_t id = 0; id < typed_.size(); ++id) {
      if (!typed_[id] && undefined.size() < 8) undefined.push_back(absl::StrCat(id));
    }
    if (undefined.empty()) return absl::OkStatus();
    return Bad(absl::StrFormat("values %s are not defined; expected ids without gaps from 0 to %d",
                               absl::StrJoin(undefined, ", "), typed_.size() - 1));
  }

  // Every stored constant is there, and nothing else is but padding.
  absl::Status CheckWeights() const {
    if (!missing_.empty() && weights_ == nullptr) {
      return absl::NotFoundError(absl::StrCat("there is no weights file; expected constants ", QuotedList(missing_)));
    }
    if (!missing_.empty()) return Bad(absl::StrCat("not in the weights file: constants ", QuotedList(missing_)));
    if (weights_ == nullptr) return absl::OkStatus();
    std::vector<std::string> extra;
    for (const SafetensorsEntry& entry : weights_->entries()) {
      if (!used_.contains(entry.name) && !entry.name.starts_with("__pad.")) extra.push_back(entry.name);
    }
    if (extra.empty()) return absl::OkStatus();
    return Bad(absl::StrCat("the weights file has tensors that the graph does not name: ", QuotedList(extra)));
  }

  const Json& document_;
  std::shared_ptr<const SafetensorsFile> weights_;
  const GraphLimits& limits_;
  Graph graph_;
  std::vector<bool> typed_;  // by id: dtype and shape are known
  std::set<std::string> used_;
  std::vector<std::string> missing_;
};

}  // namespace

absl::StatusOr<Graph> ParseGraph(const Json& document, std::shared_ptr<const SafetensorsFile> weights,
                                 const GraphLimits& limits) {
  return GraphParser(document, std::move(weights), limits).Run();
}

}  // namespace rml
