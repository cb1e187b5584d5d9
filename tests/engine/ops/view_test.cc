// reshape, squeeze, unsqueeze, transpose, broadcast_to, slice: the ops whose steps move nothing.
#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

std::vector<OpAnswer> ReshapeCases() {
  const Literal x = F({2, 3}, {1, 2, 3, 4, 5, 6});
  const Shape too_deep{1, 1, 1, 1, 1, 1, 1, 1};
  return {
      {"reshape", "given", {x}, {{"shape", Ints({3, 2})}}, {F({3, 2}, x.values)}},
      {"reshape", "free_dim", {x}, {{"shape", Ints({3, -1})}}, {F({3, 2}, x.values)}},
      {"reshape", "to_scalar", {I({1}, {7})}, {{"shape", Ints({})}}, {I({}, {7})}},
      {"reshape", "empty", {F({0, 3})}, {{"shape", Ints({3, 0})}}, {F({3, 0})}},
      {"reshape", "empty_free_dim", {F({0, 3})}, {{"shape", Ints({3, -1})}}, {F({3, 0})}},
      Refusal("reshape", "count", {F({2, 3})}, {{"shape", Ints({4, 2})}},
              "attribute 'shape' is [4, 2]; expected 6 elements as in 'x' of shape [2, 3]"),
      Refusal("reshape", "two_free_dims", {F({2, 3})}, {{"shape", Ints({-1, -1})}},
              "attribute 'shape' is [-1, -1]; expected at most 8 dims and one -1"),
      Refusal("reshape", "free_dim_does_not_divide", {F({2, 3})}, {{"shape", Ints({4, -1})}},
              "attribute 'shape' is [4, -1]; expected 6 elements as in 'x' of shape [2, 3]"),
      Refusal("reshape", "free_dim_beside_zero", {F({0, 3})}, {{"shape", Ints({0, -1})}},
              "attribute 'shape' is [0, -1]; expected 0 elements as in 'x' of shape [0, 3]"),
      Refusal("reshape", "negative_dim", {F({2, 3})}, {{"shape", Ints({-2, -3})}},
              "shape [-2, -3] has a negative dimension"),
      Refusal("reshape", "wraps_to_zero", {F({0})}, {{"shape", Ints({int64_t{1} << 32, int64_t{1} << 32})}},
              "shape [4294967296, 4294967296] has more bytes than 63 bits can count"),
      Refusal("reshape", "rank", {F({1})}, {{"shape", Ints({1, 1, 1, 1, 1, 1, 1, 1, 1})}},
              "attribute 'shape' is [1, 1, 1, 1, 1, 1, 1, 1, 1]; expected at most 8 dims and one -1"),
      {"squeeze", "given_axes_only", {F({1, 2, 1}, {1, 2})}, {{"axes", Ints({2})}}, {F({1, 2}, {1, 2})}},
      {"squeeze", "none", {F({1}, {1})}, {{"axes", Ints({})}}, {F({1}, {1})}},
      Refusal("squeeze", "size", {F({1, 2})}, {{"axes", Ints({1})}},
              "attribute 'axes' has axis 1 of 'x' of shape [1, 2]; expected size 1"),
      Refusal("squeeze", "axis", {F({1})}, {{"axes", Ints({-1})}},
              "attribute 'axes' is -1; expected an axis of a rank 1 value, 0 to 0"),
      {"unsqueeze", "positions_of_the_output", {I({2}, {1, 2})}, {{"axes", Ints({0, 2})}}, {I({1, 2, 1}, {1, 2})}},
      {"unsqueeze", "scalar", {F({}, {5})}, {{"axes", Ints({0})}}, {F({1}, {5})}},
      Refusal("unsqueeze", "axis", {F({2})}, {{"axes", Ints({2})}},
              "attribute 'axes' is 2; expected an axis of a rank 2 value, 0 to 1"),
      Refusal("unsqueeze", "rank", {F(too_deep)}, {{"axes", Ints({0})}},
              "the result would have rank 9; expected at most 8"),
  };
}

std::vector<OpAnswer> TransposeAndBroadcastCases() {
  return {
      {"transpose",
       "matrix",
       {F({2, 3}, {1, 2, 3, 4, 5, 6})},
       {{"perm", Ints({1, 0})}},
       {F({3, 2}, {1, 4, 2, 5, 3, 6})}},
      // Axis i of the output is axis perm[i] of the input, not the inverse.
      {"transpose",
       "rotation",
       {I({1, 2, 3}, {1, 2, 3, 4, 5, 6})},
       {{"perm", Ints({2, 0, 1})}},
       {I({3, 1, 2}, {1, 4, 2, 5, 3, 6})}},
      {"transpose", "scalar", {F({}, {1})}, {{"perm", Ints({})}}, {F({}, {1})}},
      {"transpose", "empty", {F({0, 2})}, {{"perm", Ints({1, 0})}}, {F({2, 0})}},
      Refusal("transpose", "axis_twice", {F({2, 3})}, {{"perm", Ints({0, 0})}},
              "attribute 'perm' is [0, 0]; expected each axis of 'x' of shape [2, 3] once"),
      Refusal("transpose", "axis_missing", {F({2, 3})}, {{"perm", Ints({0})}},
              "attribute 'perm' is [0]; expected each axis of 'x' of shape [2, 3] once"),
      Refusal("transpose", "negative_axis", {F({2, 3})}, {{"perm", Ints({-1, 0})}},
              "attribute 'perm' is [-1, 0]; expected each axis of 'x' of shape [2, 3] once"),
      {"broadcast_to", "new_axis", {F({2}, {1, 2})}, {{"shape", Ints({2, 2})}}, {F({2, 2}, {1, 2, 1, 2})}},
      {"broadcast_to", "axis_of_one", {I({2, 1}, {1, 2})}, {{"shape", Ints({2, 2})}}, {I({2, 2}, {1, 1, 2, 2})}},
      {"broadcast_to", "scalar", {F({}, {4})}, {{"shape", Ints({1, 2})}}, {F({1, 2}, {4, 4})}},
      {"broadcast_to", "to_nothing", {F({1}, {4})}, {{"shape", Ints({0})}}, {F({0})}},
      Refusal("broadcast_to", "size", {F({2})}, {{"shape", Ints({3})}},
              "attribute 'shape' is [3]; expected one that 'x' of shape [2] repeats to"),
      Refusal("broadcast_to", "input_is_larger", {F({2})}, {{"shape", Ints({1})}},
              "attribute 'shape' is [1]; expected one that 'x' of shape [2] repeats to"),
      Refusal("broadcast_to", "input_has_more_axes", {F({2, 3})}, {{"shape", Ints({3})}},
              "attribute 'shape' is [3]; expected one that 'x' of shape [2, 3] repeats to"),
      Refusal("broadcast_to", "free_dim", {F({2})}, {{"shape", Ints({-1, 2})}},
              "shape [-1, 2] has a negative dimension"),
      Refusal("broadcast_to", "too_large", {F({})}, {{"shape", Ints({int64_t{1} << 32, int64_t{1} << 32})}},
              "shape [4294967296, 4294967296] has more bytes than 63 bits can count"),
      Refusal("broadcast_to", "rank", {F({})}, {{"shape", Ints({1, 1, 1, 1, 1, 1, 1, 1, 1})}},
              "attribute 'shape' has 9 dims; expected at most 8"),
  };
}

Attrs Part(Dim start, Dim end, Dim step, int64_t axis = 0) {
  return {{"axes", Ints({Dim(axis)})}, {"starts", Ints({start})}, {"ends", Ints({end})}, {"steps", Ints({step})}};
}

std::vector<OpAnswer> SliceCases() {
  const Literal x = F({5}, {0, 1, 2, 3, 4});
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  constexpr int64_t kNear = std::numeric_limits<int64_t>::min();
  return {
      {"slice", "middle", {x}, Part(1, 3, 1), {F({2}, {1, 2})}},
      {"slice", "step", {x}, Part(0, 5, 2), {F({3}, {0, 2, 4})}},
      {"slice", "from_the_end", {x}, Part(-2, kFar, 1), {F({2}, {3, 4})}},
      {"slice", "clamped", {x}, Part(-9, 9, 1), {F({5}, x.values)}},
      {"slice", "limits_of_64_bits", {x}, Part(kNear, kFar, 1), {F({5}, x.values)}},
      {"slice", "flip", {x}, Part(-1, kNear, -1), {F({5}, {4, 3, 2, 1, 0})}},
      {"slice", "flip_through_element_zero", {x}, Part(4, -6, -2), {F({3}, {4, 2, 0})}},
      {"slice", "minus_one_is_the_last_element", {x}, Part(3, -1, -1), {F({0})}},
      {"slice", "backwards_from_past_the_end", {x}, Part(99, 2, -1), {F({2}, {4, 3})}},
      {"slice", "nothing", {x}, Part(3, 1, 1), {F({0})}},
      {"slice", "step_past_the_end", {x}, Part(1, 5, 100), {F({1}, {1})}},
      {"slice", "empty_axis", {F({0})}, Part(0, 9, 1), {F({0})}},
      {"slice", "empty_axis_backwards", {F({0})}, Part(-1, kNear, -1), {F({0})}},
      {"slice",
       "two_axes",
       {F({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})},
       {{"axes", Ints({0, 1})}, {"starts", Ints({-2, 3})}, {"ends", Ints({100, -100})}, {"steps", Ints({1, -2})}},
       {F({2, 2}, {7, 5, 11, 9})}},
      {"slice", "inner_axis", {I({2, 2}, {1, 2, 3, 4})}, Part(1, 2, 1, 1), {I({2, 1}, {2, 4})}},
      Refusal("slice", "step_zero", {x}, Part(0, 1, 0), "attribute 'steps' is [0]; expected no 0 and at most 2^40"),
      Refusal("slice", "axis", {x}, Part(0, 1, 1, 1),
              "attribute 'axes' is 1; expected an axis of a rank 1 value, 0 to 0"),
      Refusal("slice", "counts", {x},
              {{"axes", Ints({0})}, {"starts", Ints({0})}, {"ends", Ints({1, 2})}, {"steps", Ints({1})}},
              "attribute 'ends' has 2 numbers; expected 1, one per axis"),
  };
}

}  // namespace

std::vector<OpAnswer> ViewAnswers() {
  std::vector<OpAnswer> cases = ReshapeCases();
  for (auto* more : {&TransposeAndBroadcastCases, &SliceCases}) {
    for (OpAnswer& answer : more()) cases.push_back(std::move(answer));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(View, OpAnswerTest, testing::ValuesIn(ViewAnswers()), NameOf);

}  // namespace rml
