// argmax, argmin and cumsum: ops that walk an axis from one end to the other.
#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

Attrs Axis(int64_t axis) { return {{"axis", Dim(axis)}}; }
Attrs KeepDims(int64_t axis) { return {{"axis", Dim(axis)}, {"keep_dims", true}}; }
Attrs Running(int64_t axis, bool exclusive, bool reverse) {
  return {{"axis", Dim(axis)}, {"exclusive", exclusive}, {"reverse", reverse}};
}

}  // namespace

std::vector<OpAnswer> ScanAnswers() {
  std::vector<OpAnswer> cases = {
      {"argmax", "first_axis", {F({2, 3}, {1, 5, 3, 4, 2, 6})}, Axis(0), {I({3}, {1, 0, 1})}},
      {"argmax", "last_axis", {F({2, 3}, {1, 5, 3, 4, 2, 6})}, Axis(1), {I({2}, {1, 2})}},
      {"argmax", "keeps_the_axis", {F({2, 3}, {1, 5, 3, 4, 2, 6})}, KeepDims(1), {I({2, 1}, {1, 2})}},
      {"argmax", "the_first_of_equals", {F({5}, {1, 2, 2, -kInf, 2})}, Axis(0), {I({}, {1})}},
      {"argmax", "zeros_are_equal", {F({3}, {-0.0, 0, 0})}, Axis(0), {I({}, {0})}},
      {"argmax", "the_first_nan_wins", {F({5}, {1, kInf, kNan, 2, kNan})}, Axis(0), {I({}, {2})}},
      {"argmax", "all_minus_infinity", {F({2}, {-kInf, -kInf})}, Axis(0), {I({}, {0})}},
      {"argmax", "i32", {I({4}, {kMinI32, 7, kMaxI32, kMaxI32})}, Axis(0), {I({}, {2})}},
      {"argmax", "no_columns", {F({0, 3})}, Axis(1), {I({0})}},
      {"argmin", "middle_axis", {F({1, 3, 2}, {1, 5, 3, 4, 2, 4})}, Axis(1), {I({1, 2}, {0, 1})}},
      {"argmin", "keeps_the_axis", {F({2, 2}, {1, 0, 0, 1})}, KeepDims(0), {I({1, 2}, {1, 0})}},
      {"argmin", "the_first_of_equals", {F({4}, {3, 1, 1, 2})}, Axis(0), {I({}, {1})}},
      {"argmin", "the_first_nan_wins", {F({4}, {1, -kInf, kNan, kNan})}, Axis(0), {I({}, {2})}},
      {"argmin", "i32", {I({3}, {0, kMinI32, kMinI32})}, Axis(0), {I({}, {1})}},
      {"cumsum", "first_axis", {F({3, 2}, {1, 2, 3, 4, 5, 6})}, Axis(0), {F({3, 2}, {1, 2, 4, 6, 9, 12})}},
      {"cumsum", "last_axis", {F({2, 3}, {1, 2, 3, 4, 5, 6})}, Axis(1), {F({2, 3}, {1, 3, 6, 4, 9, 15})}},
      {"cumsum", "exclusive", {F({4}, {1, 2, 3, 4})}, Running(0, true, false), {F({4}, {0, 1, 3, 6})}},
      {"cumsum", "reverse", {F({4}, {1, 2, 3, 4})}, Running(0, false, true), {F({4}, {10, 9, 7, 4})}},
      {"cumsum", "exclusive_reverse", {F({4}, {1, 2, 3, 4})}, Running(0, true, true), {F({4}, {9, 7, 4, 0})}},
      // In f32 the ones would be lost beside 2^24.
      {"cumsum",
       "sums_in_f64",
       {F({5}, {16777216, 1, 1, 1, -16777216})},
       Axis(0),
       {F({5}, {16777216, 16777216, 16777218, 16777220, 3})}},
      {"cumsum",
       "infinities_and_nan",
       {F({2, 3}, {kInf, 1, -kInf, 1, kNan, 2})},
       Axis(1),
       {F({2, 3}, {kInf, kInf, kNan, 1, kNan, kNan})}},
      {"cumsum", "overflow", {F({3}, {3e38, 3e38, -3e38})}, Axis(0), {F({3}, {3e38, kInf, 3e38})}},
      {"cumsum", "i32_wraps", {I({3}, {kMaxI32, 1, 1})}, Axis(0), {I({3}, {kMaxI32, kMinI32, kMinI32 + 1})}},
      {"cumsum", "of_nothing", {F({2, 0})}, Axis(1), {F({2, 0})}},
      Refusal("cumsum", "axis", {F({3})}, Axis(1), "attribute 'axis' is 1; expected an axis of a rank 1 value, 0 to 0"),
  };
  for (const char* op : {"argmax", "argmin"}) {
    cases.push_back(Refusal(op, "of_nothing", {F({2, 0})}, Axis(1),
                            "input 'x' is f32[2, 0]; expected at least one element along axis 1"));
    cases.push_back(
        Refusal(op, "axis", {F({3})}, Axis(2), "attribute 'axis' is 2; expected an axis of a rank 1 value, 0 to 0"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Scan, OpAnswerTest, testing::ValuesIn(ScanAnswers()), NameOf);

}  // namespace rml
