// One call of an op's shape inference: inputs as text, outputs or the refusal as text.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/ops/op.h"
#include "tests/engine/graph_builder.h"

namespace rml {

struct OpCase {
  const char* op;
  std::vector<const char*> inputs;  // "f32[2, 3]"
  Attrs attrs;
  const char* expected;  // "f32[2]", "f32[2], i32[2]"; for refusals a part of the message
};

// "f32[2, 3]" as a type; aborts the test on anything else.
TensorType ParseType(const std::string& text);

// The outputs' types joined by ", ", or the error's message.
std::string InferText(const OpCase& op_case);

// The tables: every op has at least one case that infers (OpList.EveryOpHasACase), and one for each refusal.
const std::vector<OpCase>& InferCases();
const std::vector<OpCase>& RefusalCases();

}  // namespace rml
