#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> UnaryAnswers() {
  const Tolerance two_ulps = Ulps(2);
  std::vector<OpAnswer> cases = {
      {"neg", "f32", {F({4}, {1, -2, kInf, kNan})}, {}, {F({4}, {-1, 2, -kInf, kNan})}},
      {"neg", "i32_wraps", {I({3}, {1, -7, kMinI32})}, {}, {I({3}, {-1, 7, kMinI32})}},
      {"neg", "empty", {F({0, 3})}, {}, {F({0, 3})}},
      {"neg", "scalar", {F({}, {2})}, {}, {F({}, {-2})}},
      {"abs", "f32", {F({4}, {-1, 2, -kInf, kNan})}, {}, {F({4}, {1, 2, kInf, kNan})}},
      {"abs", "i32_wraps", {I({3}, {-1, 7, kMinI32})}, {}, {I({3}, {1, 7, kMinI32})}},
      {"relu", "f32", {F({5}, {-1, 2, -kInf, kInf, kNan})}, {}, {F({5}, {0, 2, 0, kInf, kNan})}},
      {"relu", "single_nan", {F({1}, {kNan})}, {}, {F({1}, {kNan})}},
      {"relu", "i32", {I({3}, {-1, 7, kMinI32})}, {}, {I({3}, {0, 7, 0})}},
      {"exp",
       "range",
       {F({7}, {0, 1, -1, 89, -104, kInf, -kInf})},
       {},
       {F({7}, {1, 2.718281828, 0.3678794412, kInf, 0, kInf, 0})},
       two_ulps},
      {"exp", "nan", {F({1}, {kNan})}, {}, {F({1}, {kNan})}},
      {"log",
       "range",
       {F({6}, {1, 10, 0, -1, kInf, kNan})},
       {},
       {F({6}, {0, 2.302585093, -kInf, kNan, kInf, kNan})},
       two_ulps},
      {"sqrt", "range", {F({6}, {4, 2, 0, -1, kInf, kNan})}, {}, {F({6}, {2, 1.4142135624, 0, kNan, kInf, kNan})}},
      {"rsqrt", "range", {F({6}, {4, 0.25, 0, -1, kInf, kNan})}, {}, {F({6}, {0.5, 2, kInf, kNan, 0, kNan})}},
      {"reciprocal",
       "range",
       {F({6}, {4, -2, 0.0, -0.0, kInf, kNan})},
       {},
       {F({6}, {0.25, -0.5, kInf, -kInf, 0, kNan})}},
      {"sin",
       "range",
       {F({5}, {0, 1, -1, 1000, kInf})},
       {},
       {F({5}, {0, 0.8414709848, -0.8414709848, 0.8268795405, kNan})},
       two_ulps},
      {"cos",
       "range",
       {F({5}, {0, 1, -1, 1000, -kInf})},
       {},
       {F({5}, {1, 0.5403023059, 0.5403023059, 0.5623790763, kNan})},
       two_ulps},
      {"tanh",
       "saturates",
       {F({6}, {0, 1, 30, -30, kInf, kNan})},
       {},
       {F({6}, {0, 0.7615941560, 1, -1, 1, kNan})},
       two_ulps},
      // At -18 a sigmoid by subtraction from 1 gives a negative number.
      {"sigmoid",
       "stays_in_range",
       {F({7}, {0, 1, -18, 20, kInf, -kInf, kNan})},
       {},
       {F({7}, {0.5, 0.7310585786, 1.5229979e-8, 1, 1, 0, kNan})},
       two_ulps},
      {"erf", "saturates", {F({5}, {0, 0.5, 6, -kInf, kNan})}, {}, {F({5}, {0, 0.5204998778, 1, -1, kNan})}, two_ulps},
      // 1 + erf cancels for inputs below -4: relative, not absolute, accuracy tells.
      {"gelu",
       "exact_has_a_smooth_tail",
       {F({7}, {0, 1, -1, -5, -6, -8, -10})},
       {},
       {F({7}, {0, 0.8413447461, -0.1586552539, -1.4332579e-6, -5.9195268e-9, -4.9767685e-15, -7.6198530e-23})},
       {0, 1e-5}},
      {"gelu",
       "tanh_differs",
       {F({3}, {1, -1, 3})},
       {{"approximate", "tanh"}},
       {F({3}, {0.8411919906, -0.1588080094, 2.9963626})},
       {0, 1e-6}},
      {"gelu", "infinities", {F({3}, {kInf, -kInf, kNan})}, {{"approximate", "none"}}, {F({3}, {kInf, kNan, kNan})}},
      Refusal("gelu", "unknown_form", {F({2})}, {{"approximate", "erf"}},
              "attribute 'approximate' is 'erf'; expected 'none' or 'tanh'"),
      Refusal("gelu", "i32", {I({2})}, {}, "input 'x' is i32[2]; expected f32"),
      Refusal("neg", "unknown_attribute", {F({2})}, {{"alpha", 1.0}}, "unknown attribute 'alpha'; expected: none"),
  };
  for (const char* op : {"exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tanh", "sigmoid", "erf"}) {
    cases.push_back(Refusal(op, "i32", {I({2, 3})}, {}, "input 'x' is i32[2, 3]; expected f32"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Unary, OpAnswerTest, testing::ValuesIn(UnaryAnswers()), NameOf);

}  // namespace rml
