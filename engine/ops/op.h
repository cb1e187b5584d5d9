// The operator table: what the one list (op_list.inc) says about each op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

namespace rml {

enum class AttrType : uint8_t { kInt, kInts, kFloat, kBool, kString };

// One attribute of a schema: "approximate:string=none" has a default; "min:float?" may be absent.
struct AttrSchema {
  std::string name;
  AttrType type = AttrType::kInt;
  bool optional = false;
  std::optional<AttrValue> default_value;
};

// A node with its attributes for one row count: checked against the schema, defaults filled in.
class OpAttrs {
 public:
  // Typed look-ups. Require that the schema has the attribute with that type, and that an optional one is present.
  int64_t Int(std::string_view name) const;
  const std::vector<int64_t>& Ints(std::string_view name) const;
  double Float(std::string_view name) const;
  bool Bool(std::string_view name) const;
  const std::string& String(std::string_view name) const;
  bool Has(std::string_view name) const;

  using Resolved = std::variant<int64_t, std::vector<int64_t>, double, bool, std::string>;
  void Set(std::string name, Resolved value);

 private:
  const Resolved& Get(std::string_view name) const;
  std::vector<std::pair<std::string, Resolved>> values_;
};

// Dtype and concrete shape of a value at one row count.
struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};
std::string ToString(const TensorType& type);  // "f32[2, 3]"

// Checks the inputs and computes the outputs' types. Errors say what is wrong without naming the node: the caller does
// ("input 'weight' has shape [2, 3]; expected [N, 4]").
using InferFn = absl::StatusOr<std::vector<TensorType>> (*)(const OpAttrs& attrs, absl::Span<const TensorType> inputs);

// Plain loops, the yardstick: outputs are sized by InferFn. Rows are never skipped for speed. Error: a gather index.
using ReferenceFn = absl::Status (*)(const OpAttrs& attrs, absl::Span<const ConstTensorView> inputs,
                                     absl::Span<Tensor> outputs);

struct OpDef {
  std::string_view name;
  std::string_view inputs;   // "x, weight?, bias?"; "x..." takes one or more
  std::string_view outputs;  // "y"; "values, indices"
  std::string_view doc;
  std::vector<AttrSchema> attrs;
  int min_inputs = 0;
  int max_inputs = 0;
  int num_outputs = 1;
  InferFn infer = nullptr;
  ReferenceFn reference = nullptr;

  std::string InputName(int index) const;  // "weight"
};

// All ops in the list's order.
const std::vector<OpDef>& AllOps();
// nullptr if there is no such op.
const OpDef* FindOp(std::string_view name);

// The node's attributes for a row count. Errors: an unknown, missing, repeated or ill-typed attribute, by name; an
// integer that does not fit. The message does not name the node.
absl::StatusOr<OpAttrs> ResolveAttrs(const OpDef& op, const Attrs& attrs, int64_t rows);

}  // namespace rml
