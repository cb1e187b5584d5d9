#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> ReduceAnswers() {
  const Literal x = F({2, 3}, {1, 2, 3, 4, 5, 6});
  std::vector<OpAnswer> cases = {
      {"reduce_sum", "last", {x}, {{"axes", Ints({1})}}, {F({2}, {6, 15})}},
      {"reduce_sum", "first_kept", {x}, {{"axes", Ints({0})}, {"keep_dims", true}}, {F({1, 3}, {5, 7, 9})}},
      {"reduce_sum", "all", {x}, {{"axes", Ints({0, 1})}}, {F({}, {21})}},
      {"reduce_sum",
       "given_axes_only",
       {F({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
       {{"axes", Ints({0, 2})}},
       {F({2}, {14, 22})}},
      {"reduce_sum", "i32_wraps", {I({2}, {kMaxI32, 1})}, {{"axes", Ints({0})}}, {I({}, {kMinI32})}},
      {"reduce_sum", "infinities", {F({2}, {kInf, -kInf})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_mean", "last", {x}, {{"axes", Ints({1})}, {"keep_dims", true}}, {F({2, 1}, {2, 5})}},
      {"reduce_mean", "nothing", {F({0})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_mean", "large_values", {F({2}, {3e38, 3e38})}, {{"axes", Ints({0})}}, {F({}, {3e38})}, Ulps(2)},
      {"reduce_max", "nan_first", {F({3}, {kNan, 1, 2})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_max", "nan_last", {F({3}, {1, 2, kNan})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_max", "nan_across_rows", {F({2, 2}, {kNan, 1, 2, 3})}, {{"axes", Ints({0})}}, {F({2}, {kNan, 3})}},
      {"reduce_max", "all_negative", {F({2, 2}, {-1, -2, -3, -kInf})}, {{"axes", Ints({1})}}, {F({2}, {-1, -3})}},
      {"reduce_max", "i32", {I({3}, {kMinI32, -5, -7})}, {{"axes", Ints({0})}}, {I({}, {-5})}},
      {"reduce_min", "nan", {F({3}, {1, kNan, 2})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_min", "i32", {I({3}, {kMaxI32, 5, 7})}, {{"axes", Ints({0})}}, {I({}, {5})}},
      {"reduce_prod", "last", {x}, {{"axes", Ints({1})}}, {F({2}, {6, 120})}},
      {"reduce_prod", "zero_and_infinity", {F({2}, {0, kInf})}, {{"axes", Ints({0})}}, {F({}, {kNan})}},
      {"reduce_max", "i32_nothing", {I({0, 2})}, {{"axes", Ints({0})}}, {I({2}, {kMinI32, kMinI32})}},
      {"reduce_min", "i32_nothing", {I({0, 2})}, {{"axes", Ints({0})}}, {I({2}, {kMaxI32, kMaxI32})}},
      Refusal("reduce_mean", "i32", {I({2})}, {{"axes", Ints({0})}}, "input 'x' is i32[2]; expected f32"),
      Refusal("reduce_prod", "i32", {I({2})}, {{"axes", Ints({0})}}, "input 'x' is i32[2]; expected f32"),
  };
  struct Nothing {
    const char* op;
    double value;
  };
  for (const Nothing& n : {Nothing{"reduce_sum", 0}, Nothing{"reduce_prod", 1}, Nothing{"reduce_mean", kNan},
                           Nothing{"reduce_max", -kInf}, Nothing{"reduce_min", kInf}}) {
    const std::string op = n.op;
    // An empty list of axes means none, not all.
    cases.push_back({op, "no_axes", {F({2}, {3, 4})}, {{"axes", Ints({})}}, {F({2}, {3, 4})}});
    cases.push_back({op,
                     "over_an_empty_axis",
                     {F({2, 0})},
                     {{"axes", Ints({1})}, {"keep_dims", false}},
                     {F({2}, {n.value, n.value})}});
    cases.push_back({op, "empty_result", {F({0, 2})}, {{"axes", Ints({1})}, {"keep_dims", true}}, {F({0, 1})}});
    cases.push_back(Refusal(op, "axis_out_of_range", {F({2, 3})}, {{"axes", Ints({2})}},
                            "attribute 'axes' is 2; expected an axis of a rank 2 value, 0 to 1"));
    cases.push_back(Refusal(op, "negative_axis", {F({2, 3})}, {{"axes", Ints({-1})}},
                            "attribute 'axes' is -1; expected an axis of a rank 2 value, 0 to 1"));
    cases.push_back(Refusal(op, "axis_twice", {F({2, 3})}, {{"axes", Ints({1, 1})}},
                            "attribute 'axes' is [1, 1]; expected no axis twice"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Reduce, OpAnswerTest, testing::ValuesIn(ReduceAnswers()), NameOf);

}  // namespace rml
