#include "tests/engine/random/graph_draft.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/engine/random/infer_values.h"
#include "tests/engine/random/row_tracking.h"

namespace rml {
namespace {

constexpr int64_t kMaxElements = 20'000;
constexpr int64_t kMaxElementsLarge = 200'000;
constexpr size_t kMaxInlineElements = 16;  // of a constant without a name (docs/file-format.md)

bool IsFinite(const Tensor& tensor) {
  if (tensor.dtype() == DType::kI32) return true;
  const auto data = tensor.data<float>();
  return std::all_of(data.begin(), data.end(), [](float v) { return std::isfinite(v); });
}

// How much further from ordinary numbers an op's results are than its operands.
int Wilder(std::string_view op) {
  static const std::set<std::string, std::less<>> wild = {"exp",   "expm1",      "floor_div", "log", "sqrt",
                                                          "rsqrt", "reciprocal", "div",       "pow", "reduce_prod"};
  static const std::set<std::string, std::less<>> tame = {"tanh", "sigmoid", "erf",        "erfc",
                                                          "sign", "softmax", "layer_norm", "clamp"};
  if (wild.contains(op)) return 2;
  return tame.contains(op) ? -2 : 0;
}

}  // namespace

GraphDraft::GraphDraft(const DraftStyle& style, Rng& rng, Coverage& coverage)
    : style_(style), rng_(rng), coverage_(coverage) {
  graph_.producer = "rml-random-graphs";
  graph_.symbolic = style.symbolic;
  graph_.min_rows = style.min_rows;
  graph_.max_rows = style.max_rows;
}

void GraphDraft::Begin(const OpDef& op, DType data_type) {
  op_ = &op;
  data_type_ = data_type;
}

int GraphDraft::Wanted(std::string_view feature) {
  return coverage_.NeededOption(op_->name, data_type_, feature, rng_);
}

int64_t GraphDraft::Elements(const Dims& dims) const {
  int64_t elements = 1;
  for (const Dim& dim : dims) elements *= At(dim);
  return elements;
}

int64_t GraphDraft::Extent(const Dims& dims) const {
  int64_t extent = 1;
  for (const Dim& dim : dims) extent *= std::max<int64_t>(1, At(dim));
  return extent;
}

bool GraphDraft::IsTooLarge(const Dims& dims) const {
  return Extent(dims) > (style_.large ? kMaxElementsLarge : kMaxElements);
}

ValueId GraphDraft::Define(DType dtype, Dims dims, Facts facts) {
  graph_.values.push_back({dtype, std::move(dims)});
  facts_.push_back(facts);
  return static_cast<ValueId>(graph_.values.size()) - 1;
}

Tensor GraphDraft::DrawElements(DType dtype, const Shape& shape, const Facts& facts) {
  if (dtype == DType::kF32) return RandomFloats(shape, facts.kind, rng_);
  if (facts.range) return RandomInts(shape, *facts.range, rng_);
  return RandomInts(shape, rng_.Pick(std::vector<IntKind>{IntKind::kSmall, IntKind::kLimits, IntKind::kAny}), rng_);
}

ValueId GraphDraft::NewInput(DType dtype, const Dims& dims) {
  if (IsTooLarge(dims)) return kNone;
  const ValueId id = Define(dtype, dims, NewFacts(dtype, Origin::kInput));
  const std::string name = absl::StrCat(rng_.Chance(0.05) ? "in \"\xc3\xbc\"/" : "x", id);
  graph_.inputs.push_back({id, name, HasRows(graph_.values[id])});
  return id;
}

ValueId GraphDraft::NewConstant(DType dtype, const Dims& dims) {
  if (IsTooLarge(dims)) return kNone;
  const ValueId id = Define(dtype, dims, NewFacts(dtype, Origin::kConstant));
  auto tensor = std::make_shared<Tensor>(DrawElements(dtype, ShapeAt(graph_.values[id], 1), facts_[id]));
  const bool can_be_inline = tensor->num_elements() <= static_cast<int64_t>(kMaxInlineElements) && IsFinite(*tensor);
  const std::string name = can_be_inline && rng_.Chance(0.6) ? "" : absl::StrCat("w.", id);
  graph_.constants.push_back({id, name, tensor->raw(), tensor});
  return id;
}

ValueId GraphDraft::NewFilled(const Dims& dims, float value) {
  const ValueId id = Define(DType::kF32, dims, {.origin = Origin::kConstant});
  auto tensor = std::make_shared<Tensor>(DType::kF32, ShapeAt(graph_.values[id], 1));
  std::fill(tensor->data<float>().begin(), tensor->data<float>().end(), value);
  graph_.constants.push_back({id, absl::StrCat("w.", id), tensor->raw(), tensor});
  return id;
}

NodeFacts GraphDraft::FactsOfNode(const OpDef& op, const Node& node) const {
  const int64_t rows = style_.symbolic ? std::clamp(kSampleRows, style_.min_rows, style_.max_rows) : 1;
  NodeFacts facts{node, op, *ResolveAttrs(op, node.attrs, rows), {}, {}, {}};
  const auto type = [&](ValueId id) { return TensorType{graph_.values[id].dtype, ShapeAt(graph_.values[id], rows)}; };
  for (ValueId id : node.inputs) {
    facts.inputs.push_back(type(id));
    facts.origins.push_back(facts_[id].origin);
  }
  for (ValueId id : node.outputs) facts.outputs.push_back(type(id));
  return facts;
}

GraphDraft::Facts GraphDraft::OutputFacts(const Node& node, size_t output) const {
  Facts facts{.origin = IsViewOp(node.op) ? Origin::kView : Origin::kComputed};
  for (ValueId id : node.inputs) facts.wildness = std::max(facts.wildness, facts_[id].wildness);
  facts.wildness = std::max(0, facts.wildness + Wilder(node.op));
  const auto attr = [&](std::string_view name) -> const AttrValue* {
    for (const auto& [key, value] : node.attrs) {
      if (key == name) return &value;
    }
    return nullptr;
  };
  const bool is_arg = node.op == "argmax" || node.op == "argmin";
  if (facts.origin == Origin::kView) {
    facts.range = facts_[node.inputs[0]].range;
    facts.kind = facts_[node.inputs[0]].kind;
  } else if ((node.op == "top_k" && output == 1) || is_arg) {
    const auto axis = std::get<Dim>(*attr("axis")).factor();
    facts.range = IntRange{0, std::max<int64_t>(0, At(dims(node.inputs[0])[axis]) - 1)};
  } else if (node.op == "clamp" && dtype(node.inputs[0]) == DType::kI32 && attr("min") && attr("max")) {
    const auto lo = static_cast<int64_t>(std::get<double>(*attr("min")));
    const auto hi = static_cast<int64_t>(std::get<double>(*attr("max")));
    facts.range = IntRange{std::min(lo, hi), hi};
  }
  return facts;
}

ValueId GraphDraft::Add(std::string_view op_name, std::vector<ValueId> inputs, Attrs attrs, double work) {
  if (num_nodes() >= style_.max_nodes || std::count(inputs.begin(), inputs.end(), kNone) > 0) return kNone;
  const OpDef& op = *FindOp(op_name);
  Node node{std::string(op_name), "", std::move(inputs), {}, std::move(attrs)};
  const std::optional<std::vector<Value>> outputs = InferValues(graph_, node);
  if (!outputs) return kNone;
  for (const Value& value : *outputs) {
    if (IsTooLarge(value.shape)) return kNone;
    work = std::max(work, static_cast<double>(Elements(value.shape)));
  }
  for (ValueId id : node.inputs) work = std::max(work, static_cast<double>(Elements(dims(id))));
  if (work > style_.work) return kNone;
  style_.work -= work;
  if (rng_.Chance(0.3)) node.name = absl::StrCat("block.", rng_.Below(4), "/", node.op);
  for (size_t i = 0; i < outputs->size(); ++i) {
    const ValueId id = Define((*outputs)[i].dtype, (*outputs)[i].shape, OutputFacts(node, i));
    node.outputs.push_back(id);
  }
  last_ = node.outputs[0];
  coverage_.Count(FactsOfNode(op, node));
  graph_.nodes.push_back(std::move(node));
  return last_;
}

RandomCase GraphDraft::Finish(const std::vector<ValueId>& outputs, std::vector<int64_t> row_counts) {
  const std::vector<RowTrack> tracks = TrackRows(graph_);
  for (ValueId id : outputs) {
    graph_.outputs.push_back({id, absl::StrCat("y", graph_.outputs.size()), tracks[id] == RowTrack::kRows});
  }
  RandomCase made{.graph = std::move(graph_), .inputs = {}, .row_counts = std::move(row_counts)};
  for (const GraphInput& input : made.graph.inputs) {
    const Value& value = made.graph.values[input.id];
    made.inputs.push_back(DrawElements(value.dtype, ShapeAt(value, made.max_rows()), facts_[input.id]));
  }
  return made;
}

}  // namespace rml
