#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> BinaryAnswers() {
  std::vector<OpAnswer> cases = {
      {"add", "same_shape", {F({3}, {1, 2, kNan}), F({3}, {10, kInf, 1})}, {}, {F({3}, {11, kInf, kNan})}},
      {"add", "both_broadcast", {F({2, 1}, {1, 2}), F({3}, {10, 20, 30})}, {}, {F({2, 3}, {11, 21, 31, 12, 22, 32})}},
      {"add",
       "last_axis_not_channels",
       {F({1, 2, 2}, {1, 2, 3, 4}), F({2}, {10, 20})},
       {},
       {F({1, 2, 2}, {11, 22, 13, 24})}},
      {"add", "i32_wraps", {I({2}, {kMaxI32, kMinI32}), I({2}, {1, -1})}, {}, {I({2}, {kMinI32, kMaxI32})}},
      {"add", "empty_axis_against_one", {F({0, 2}), F({1, 2}, {1, 2})}, {}, {F({0, 2})}},
      {"add", "scalars", {F({}, {1}), F({}, {2})}, {}, {F({}, {3})}},
      {"sub", "infinities", {F({2}, {kInf, 1}), F({2}, {kInf, 3})}, {}, {F({2}, {kNan, -2})}},
      {"sub", "i32_wraps", {I({1}, {kMinI32}), I({1}, {1})}, {}, {I({1}, {kMaxI32})}},
      {"mul", "zero_times_infinity", {F({2}, {0, 2}), F({2}, {kInf, 3})}, {}, {F({2}, {kNan, 6})}},
      {"mul", "i32_wraps", {I({1}, {65536}), I({1}, {65537})}, {}, {I({1}, {65536})}},
      {"mul", "empty", {F({3, 0}), F({1}, {2})}, {}, {F({3, 0})}},
      {"div", "f32", {F({4}, {1, 1, 0, -1}), F({4}, {4, 0, 0, 0})}, {}, {F({4}, {0.25, kInf, kNan, -kInf})}},
      {"div", "i32_truncates", {I({4}, {-7, 7, -7, 8}), I({4}, {2, -2, -2, -3})}, {}, {I({4}, {-3, -3, 3, -2})}},
      {"div", "i32_never_traps", {I({3}, {5, kMinI32, 0}), I({3}, {0, -1, 0})}, {}, {I({3}, {-1, kMinI32, -1})}},
      {"maximum", "nan_on_either_side", {F({3}, {kNan, 1, 2}), F({3}, {1, kNan, 3})}, {}, {F({3}, {kNan, kNan, 3})}},
      {"maximum", "single_nan", {F({1}, {kNan}), F({2}, {1, 2})}, {}, {F({2}, {kNan, kNan})}},
      {"maximum", "i32", {I({2}, {kMinI32, 4}), I({2}, {-1, 3})}, {}, {I({2}, {-1, 4})}},
      {"minimum", "nan_on_either_side", {F({3}, {kNan, 1, 2}), F({3}, {1, kNan, 3})}, {}, {F({3}, {kNan, kNan, 2})}},
      {"minimum", "i32", {I({2}, {kMinI32, 4}), I({2}, {-1, 3})}, {}, {I({2}, {kMinI32, 3})}},
      {"pow",
       "whole_exponents",
       {F({4}, {-2, -2, 2, 0}), F({4}, {3, 2, -1, -1})},
       {},
       {F({4}, {-8, 4, 0.5, kInf})},
       Ulps(2)},
      {"pow", "negative_base_and_fraction", {F({1}, {-8}), F({1}, {0.5})}, {}, {F({1}, {kNan})}},
      {"pow", "zero_exponent", {F({3}, {kNan, 0, kInf}), F({}, {0})}, {}, {F({3}, {1, 1, 1})}},
      {"pow", "one_to_nan", {F({1}, {1}), F({1}, {kNan})}, {}, {F({1}, {1})}},
      {"remainder",
       "takes_the_sign_of_a",
       {F({7}, {7, -7, 7, -7, 5.5, 6, -6}), F({7}, {3, 3, -3, -3, 0.1, 3, 3})},
       {},
       {F({7}, {1, -1, 1, -1, 0.09999991953372955, 0, 0})}},
      // The remainder of a large quotient is exact: a - trunc(a / b) b would be anything.
      {"remainder",
       "is_exact",
       {F({4}, {1e30, 3e38, 16777216, 1e-30}), F({4}, {7, 1.5e-30, 3, 1e30})},
       {},
       {F({4}, {1, 1.140135480749553e-31, 1, 1e-30})}},
      {"remainder",
       "infinities",
       {F({7}, {kInf, 1, -3, 2, kNan, 1, 0}), F({7}, {2, 0, kInf, -kInf, 1, kNan, 0})},
       {},
       {F({7}, {kNan, kNan, -3, 2, kNan, kNan, kNan})}},
      {"remainder",
       "i32_never_traps",
       {I({6}, {-7, 7, 5, kMinI32, 0, kMinI32}), I({6}, {2, -2, 0, -1, 0, 0})},
       {},
       {I({6}, {-1, 1, 5, 0, 0, kMinI32})}},
      {"remainder", "broadcasts", {I({2, 1}, {7, 8}), I({3}, {2, 3, 4})}, {}, {I({2, 3}, {1, 1, 3, 0, 2, 0})}},
      // 1 / 0.1f is 9.9999998, which f32 rounds to 10.
      {"floor_div",
       "of_the_exact_quotient",
       {F({8}, {7, -7, 7, -7, 1, -1, 6, 1e30}), F({8}, {2, 2, -2, -2, 0.1, 0.1, 3, 1e-5})},
       {},
       {F({8}, {3, -4, -4, 3, 9, -10, 2, static_cast<double>(1e30f / 1e-5f)})}},
      {"floor_div",
       "infinities",
       {F({8}, {kInf, 1, -1, 0, 3, -3, kNan, 1e38}), F({8}, {2, 0, 0, 0, kInf, kInf, 1, 1e-38})},
       {},
       {F({8}, {kNan, kInf, -kInf, kNan, 0, -1, kNan, kInf})}},
      {"floor_div",
       "i32_never_traps",
       {I({8}, {-7, 7, -7, -8, 5, kMinI32, 0, kMaxI32}), I({8}, {2, -2, -2, 2, 0, -1, 0, kMinI32})},
       {},
       {I({8}, {-4, -4, 3, -4, -1, kMinI32, -1, -1})}},
      Refusal("pow", "i32", {I({2}), I({2})}, {}, "input 'a' is i32[2]; expected f32"),
  };
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "remainder", "floor_div"}) {
    cases.push_back(
        Refusal(op, "shapes", {F({2, 3}), F({2})}, {}, "shapes [2, 3] and [2] do not broadcast (3 against 2)"));
    cases.push_back(Refusal(op, "mixed_dtypes", {F({2}), I({2})}, {},
                            "input 'a' is f32 but input 'b' is i32; expected the same dtype"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Binary, OpAnswerTest, testing::ValuesIn(BinaryAnswers()), NameOf);

}  // namespace rml
