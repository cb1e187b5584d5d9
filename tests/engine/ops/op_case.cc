#include "tests/engine/ops/op_case.h"

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace rml {

TensorType ParseType(const std::string& text) {
  const size_t open = text.find('[');
  if (open != 3 || text.back() != ']') std::abort();
  TensorType type;
  type.dtype = *ParseDType(text.substr(0, 3));
  for (absl::string_view part : absl::StrSplit(text.substr(4, text.size() - 5), ", ", absl::SkipEmpty())) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(part, &dim)) std::abort();
    type.shape.push_back(dim);
  }
  return type;
}

std::string InferText(const OpCase& op_case) {
  const OpDef* op = FindOp(op_case.op);
  if (op == nullptr) return "no such op";
  const absl::StatusOr<OpAttrs> attrs = ResolveAttrs(*op, op_case.attrs, 1);
  if (!attrs.ok()) return std::string(attrs.status().message());
  std::vector<TensorType> inputs;
  for (const char* input : op_case.inputs) inputs.push_back(ParseType(input));
  const auto outputs = op->infer(*attrs, inputs);
  if (!outputs.ok()) return std::string(outputs.status().message());
  return absl::StrJoin(*outputs, ", ", [](std::string* out, const TensorType& type) { out->append(ToString(type)); });
}

}  // namespace rml
