#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> SoftmaxAnswers() {
  const Tolerance close = Ulps(8);
  std::vector<OpAnswer> cases = {
      {"softmax",
       "last",
       {F({1, 3}, {1, 2, 3})},
       {{"axis", 1}},
       {F({1, 3}, {0.0900305732, 0.2447284711, 0.6652409558})},
       close},
      {"softmax", "first_axis", {F({2, 2}, {0, 5, 0, 5})}, {{"axis", 0}}, {F({2, 2}, {0.5, 0.5, 0.5, 0.5})}, close},
      {"softmax", "large_values", {F({2}, {1000, 1000})}, {{"axis", 0}}, {F({2}, {0.5, 0.5})}, close},
      {"softmax", "some_masked", {F({3}, {0, -kInf, 0})}, {{"axis", 0}}, {F({3}, {0.5, 0, 0.5})}, close},
      {"softmax", "all_masked", {F({2}, {-kInf, -kInf})}, {{"axis", 0}}, {F({2}, {kNan, kNan})}},
      {"softmax", "infinity", {F({2}, {kInf, 0})}, {{"axis", 0}}, {F({2}, {kNan, kNan})}},
      {"softmax",
       "nan_in_one_row",
       {F({2, 2}, {kNan, 0, 1, 1})},
       {{"axis", 1}},
       {F({2, 2}, {kNan, kNan, 0.5, 0.5})},
       close},
      {"log_softmax",
       "last",
       {F({3}, {1, 2, 3})},
       {{"axis", 0}},
       {F({3}, {-2.4076059644, -1.4076059644, -0.4076059644})},
       close},
      {"log_softmax", "far_apart", {F({2}, {0, 200})}, {{"axis", 0}}, {F({2}, {-200, 0})}, close},
      {"log_softmax", "masked", {F({2}, {0, -kInf})}, {{"axis", 0}}, {F({2}, {0, -kInf})}},
  };
  for (const char* op : {"softmax", "log_softmax"}) {
    cases.push_back({op, "empty_axis", {F({2, 0})}, {{"axis", 1}}, {F({2, 0})}});
    cases.push_back({op, "no_rows", {F({0, 2})}, {{"axis", 1}}, {F({0, 2})}});
    cases.push_back(
        {op, "one_element", {F({1}, {7})}, {{"axis", 0}}, {F({1}, {op == std::string("softmax") ? 1.0 : 0.0})}});
    cases.push_back(Refusal(op, "negative_axis", {F({2, 3})}, {{"axis", -1}},
                            "attribute 'axis' is -1; expected an axis of a rank 2 value, 0 to 1"));
    cases.push_back(Refusal(op, "no_axis", {F({2, 3})}, {}, "missing attribute 'axis'"));
    cases.push_back(Refusal(op, "i32", {I({2})}, {{"axis", 0}}, "input 'x' is i32[2]; expected f32"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Softmax, OpAnswerTest, testing::ValuesIn(SoftmaxAnswers()), NameOf);

}  // namespace rml
