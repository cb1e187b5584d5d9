// The operator table, made from the list once.
#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

std::string Text(absl::string_view text) { return {text.data(), text.size()}; }

AttrType ParseType(const std::string& name) {
  if (name == "int") return AttrType::kInt;
  if (name == "ints") return AttrType::kInts;
  if (name == "float") return AttrType::kFloat;
  return name == "bool" ? AttrType::kBool : AttrType::kString;
}

AttrValue ParseDefault(AttrType type, const std::string& text) {
  switch (type) {
    case AttrType::kInt:
      return Dim(std::strtoll(text.c_str(), nullptr, 10));
    case AttrType::kInts: {
      std::vector<Dim> dims;
      for (absl::string_view part : absl::StrSplit(text, ','))
        dims.emplace_back(std::strtoll(Text(part).c_str(), nullptr, 10));
      return dims;
    }
    case AttrType::kFloat:
      return std::strtod(text.c_str(), nullptr);
    case AttrType::kBool:
      return text == "true";
    case AttrType::kString:
      break;
  }
  return text;
}

// "axes:ints keep_dims:bool=false min:float?"
std::vector<AttrSchema> ParseAttrs(const std::string& text) {
  std::vector<AttrSchema> schemas;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(word, absl::MaxSplits(':', 1));
    std::string type = parts.second;
    AttrSchema schema{.name = parts.first, .default_value = std::nullopt};
    std::string default_text;
    const size_t equals = type.find('=');
    const bool has_default = equals != std::string::npos;
    if (has_default) {
      default_text = type.substr(equals + 1);
      type.resize(equals);
    }
    if (type.back() == '?') {
      schema.optional = true;
      type.pop_back();
    }
    schema.type = ParseType(type);
    if (has_default) schema.default_value = ParseDefault(schema.type, default_text);
    schemas.push_back(std::move(schema));
  }
  return schemas;
}

OpDef MakeOp(std::string_view op_name, const char* inputs, const char* outputs, const char* attrs, InferFn infer,
             ReferenceFn reference, const char* doc) {
  OpDef op{.name = op_name, .inputs = inputs, .outputs = outputs, .doc = doc, .attrs = ParseAttrs(attrs)};
  for (absl::string_view input : absl::StrSplit(inputs, ", ")) {
    const bool variadic = Text(input).ends_with("...");
    const bool optional = Text(input).ends_with("?");
    op.max_inputs = variadic ? INT32_MAX : op.max_inputs + 1;
    if (!optional) ++op.min_inputs;
  }
  op.num_outputs = static_cast<int>(std::count(op.outputs.begin(), op.outputs.end(), ',')) + 1;
  op.infer = infer;
  op.reference = reference;
  return op;
}

}  // namespace

std::string OpDef::InputName(int index) const {
  const std::vector<std::string> names = absl::StrSplit(std::string(inputs), ", ");
  if (names[0].ends_with("...")) return names[0].substr(0, names[0].size() - 3) + std::to_string(index);
  std::string input = index < static_cast<int>(names.size()) ? names[index] : std::to_string(index);
  if (input.ends_with("?")) input.pop_back();
  return input;
}

const std::vector<OpDef>& AllOps() {
  static const auto* ops = new std::vector<OpDef>{
#define OP(name, inputs, outputs, attrs, infer, compile, reference, doc) \
  MakeOp(#name, inputs, outputs, attrs, &infer, &reference, doc),
#include "engine/ops/op_list.inc"
#undef OP
  };
  return *ops;
}

const OpDef* FindOp(std::string_view name) {
  for (const OpDef& op : AllOps()) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

std::string ToString(const TensorType& type) { return DTypeName(type.dtype) + ToString(type.shape); }

}  // namespace rml
