// where, clamp and cast.
#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> SelectAnswers() {
  return {
      // c * a + (1 - c) * b would make the first two NaN.
      {"where",
       "unselected_does_not_leak",
       {F({3}, {1, 0, 1}), F({3}, {1, kInf, 3}), F({3}, {kNan, 2, kNan})},
       {},
       {F({3}, {1, 2, 3})}},
      {"where",
       "any_non_zero_is_true",
       {F({4}, {-0.0, -2, kNan, 0.5}), F({}, {1}), F({}, {0})},
       {},
       {F({4}, {0, 1, 1, 1})}},
      {"where",
       "three_way_broadcast",
       {F({2, 1}, {1, 0}), F({2}, {1, 2}), F({1, 1}, {9})},
       {},
       {F({2, 2}, {1, 2, 9, 9})}},
      {"where", "i32", {F({2}, {1, 0}), I({2}, {kMinI32, 1}), I({2}, {5, kMaxI32})}, {}, {I({2}, {kMinI32, kMaxI32})}},
      Refusal("where", "i32_condition", {I({2}), F({2}), F({2})}, {}, "input 'c' is i32[2]; expected f32"),
      Refusal("where", "mixed_branches", {F({2}), F({2}), I({2})}, {},
              "input 'a' is f32 but input 'b' is i32; expected the same dtype"),
      Refusal("where", "shapes", {F({3}), F({2}), F({2})}, {}, "shapes [3] and [2] do not broadcast (3 against 2)"),

      {"clamp", "both_bounds", {F({4}, {-5, 0.5, 5, kInf})}, {{"min", -1.0}, {"max", 1.0}}, {F({4}, {-1, 0.5, 1, 1})}},
      {"clamp", "nan_stays", {F({2}, {kNan, 5})}, {{"max", 1.0}}, {F({2}, {kNan, 1})}},
      {"clamp", "single_nan", {F({1}, {kNan})}, {{"min", 0.0}, {"max", 6.0}}, {F({1}, {kNan})}},
      {"clamp", "min_alone", {F({2}, {-kInf, 5})}, {{"min", 0.0}}, {F({2}, {0, 5})}},
      {"clamp", "crossed_bounds_give_max", {F({3}, {-9, 0, 9})}, {{"min", 3.0}, {"max", 1.0}}, {F({3}, {1, 1, 1})}},
      {"clamp", "i32", {I({3}, {kMinI32, 3, kMaxI32})}, {{"min", 0.0}, {"max", 6.0}}, {I({3}, {0, 3, 6})}},
      {"clamp", "i32_crossed_bounds", {I({2}, {-9, 9})}, {{"min", 3.0}, {"max", 1.0}}, {I({2}, {1, 1})}},
      {"clamp", "bounds_written_as_integers", {F({2}, {-9, 9})}, {{"min", 0}, {"max", 6}}, {F({2}, {0, 6})}},
      Refusal("clamp", "no_bound", {F({2})}, {}, "attributes 'min' and 'max' are both missing; expected at least one"),
      Refusal("clamp", "i32_fraction", {I({2})}, {{"min", 0.5}},
              "attribute 'min' is 0.5; expected a whole number in the range of i32"),
      Refusal("clamp", "i32_range", {I({2})}, {{"max", 2147483648.0}},
              "attribute 'max' is 2.14748e+09; expected a whole number in the range of i32"),
      Refusal("clamp", "symbolic_bound", {F({2})}, {{"min", Dim::TimesB(2)}},
              "attribute 'min' is an integer; expected a number"),

      {"cast",
       "to_i32_truncates_and_saturates",
       {F({8}, {1.9, -1.9, 3e9, -3e9, kInf, -kInf, kNan, 2147483520})},
       {{"to", "i32"}},
       {I({8}, {1, -1, kMaxI32, kMinI32, kMaxI32, kMinI32, 0, 2147483520})}},
      {"cast",
       "to_f32_rounds_to_even",
       {I({4}, {16777217, 16777219, kMaxI32, -3})},
       {{"to", "f32"}},
       {F({4}, {16777216, 16777220, 2147483648.0, -3})}},
      {"cast", "f32_to_f32", {F({3}, {1.5, kNan, kInf})}, {{"to", "f32"}}, {F({3}, {1.5, kNan, kInf})}},
      {"cast", "i32_to_i32", {I({2}, {kMinI32, kMaxI32})}, {{"to", "i32"}}, {I({2}, {kMinI32, kMaxI32})}},
      Refusal("cast", "f64", {F({2})}, {{"to", "f64"}}, "attribute 'to' is 'f64'; expected 'f32' or 'i32'"),
  };
}

INSTANTIATE_TEST_SUITE_P(Select, OpAnswerTest, testing::ValuesIn(SelectAnswers()), NameOf);

}  // namespace rml
