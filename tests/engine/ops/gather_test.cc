#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

Attrs GatherBy(const char* mode, int64_t axis = 0, bool wrap = false) {
  return {{"axis", Dim(axis)}, {"mode", std::string(mode)}, {"wrap", wrap}};
}

OpAnswer RefusesData(const std::string& op, const std::string& name, Literal data, Literal indices, Attrs attrs,
                     std::string error) {
  OpAnswer answer{op, name, {data, indices}, std::move(attrs), {F(indices.shape)}};
  answer.run_error = std::move(error);
  return answer;
}

}  // namespace

std::vector<OpAnswer> GatherAnswers() {
  const Literal rows = F({3, 2}, {10, 11, 20, 21, 30, 31});
  const Literal line = F({3}, {10, 20, 30});
  const Literal ints = I({3}, {10, 20, 30});
  return {
      {"gather", "rows", {rows, I({2}, {2, 0})}, GatherBy("error"), {F({2, 2}, {30, 31, 10, 11})}},
      {"gather", "columns", {rows, I({1}, {1})}, GatherBy("error", 1), {F({3, 1}, {11, 21, 31})}},
      {"gather",
       "indices_of_rank_two",
       {line, I({2, 2}, {0, 1, 2, 0})},
       GatherBy("error"),
       {F({2, 2}, {10, 20, 30, 10})}},
      {"gather",
       "columns_of_rank_two",
       {rows, I({1, 2}, {1, 0})},
       GatherBy("error", 1),
       {F({3, 1, 2}, {11, 10, 21, 20, 31, 30})}},
      {"gather", "scalar_index", {rows, I({}, {1})}, GatherBy("error"), {F({2}, {20, 21})}},
      {"gather", "clamp", {line, I({4}, {-5, 0, 2, 100})}, GatherBy("clamp"), {F({4}, {10, 10, 30, 30})}},
      {"gather",
       "clamp_after_wrap",
       {line, I({4}, {-1, -3, -4, 3})},
       GatherBy("clamp", 0, true),
       {F({4}, {30, 10, 10, 30})}},
      {"gather", "fill_f32", {line, I({4}, {-1, 3, 1, kMinI32})}, GatherBy("fill"), {F({4}, {kNan, kNan, 20, kNan})}},
      {"gather", "fill_i32", {ints, I({3}, {-1, kMaxI32, 1})}, GatherBy("fill"), {I({3}, {kMinI32, kMinI32, 20})}},
      {"gather", "fill_after_wrap", {line, I({2}, {-3, -4})}, GatherBy("fill", 0, true), {F({2}, {10, kNan})}},
      {"gather", "error_after_wrap", {ints, I({2}, {-1, -3})}, GatherBy("error", 0, true), {I({2}, {30, 10})}},
      {"gather", "no_indices", {rows, I({0})}, GatherBy("error"), {F({0, 2})}},
      {"gather", "fill_from_nothing", {F({0}), I({2}, {0, 1})}, GatherBy("fill"), {F({2}, {kNan, kNan})}},
      RefusesData("gather", "past_the_end", line, I({2}, {0, 3}), GatherBy("error"), "index 3 at position"),
      RefusesData("gather", "negative", line, I({2}, {0, -1}), GatherBy("error"), "index -1 at position"),
      RefusesData("gather", "below_wrapped", line, I({2}, {0, -4}), GatherBy("error", 0, true), "expected -3 to 2"),
      RefusesData("gather", "wrap_of_the_smallest", line, I({1}, {kMinI32}), GatherBy("error", 0, true),
                  "index -2147483648"),
      Refusal("gather", "f32_indices", {rows, F({2})}, GatherBy("error"), "input 'indices' is f32[2]; expected i32"),
      Refusal("gather", "axis", {rows, I({2})}, GatherBy("error", 2),
              "attribute 'axis' is 2; expected an axis of a rank 2 value, 0 to 1"),
      Refusal("gather", "unknown_mode", {rows, I({2})}, GatherBy("wrap"),
              "attribute 'mode' is 'wrap'; expected 'error', 'clamp' or 'fill'"),
      Refusal("gather", "no_mode", {rows, I({2})}, {{"axis", 0}}, "missing attribute 'mode'"),
      Refusal("gather", "rank", {F({1, 1, 1, 1, 1}), I({1, 1, 1, 1, 1})}, GatherBy("error"),
              "the result would have rank 9; expected at most 8"),
      Refusal("gather", "nothing_to_clamp_to", {F({0}), I({2})}, GatherBy("clamp"),
              "attribute 'mode' is 'clamp' but 'data' is empty along the axis: nothing to clamp to"),
  };
}

std::vector<OpAnswer> GatherElementsAnswers() {
  const Literal rows = F({3, 2}, {10, 11, 20, 21, 30, 31});
  const Literal line = F({3}, {10, 20, 30});
  const Literal ints = I({3}, {10, 20, 30});
  const std::string op = "gather_elements";
  return {
      {op, "down_the_columns", {rows, I({2, 2}, {2, 0, 0, 1})}, GatherBy("error"), {F({2, 2}, {30, 11, 10, 21})}},
      {op, "along_the_rows", {rows, I({3, 1}, {1, 0, 1})}, GatherBy("error", 1), {F({3, 1}, {11, 20, 31})}},
      {op, "more_than_there_are", {line, I({5}, {0, 0, 2, 1, 2})}, GatherBy("error"), {F({5}, {10, 10, 30, 20, 30})}},
      {op,
       "fewer_rows_than_data",
       {rows, I({2, 3}, {1, 1, 0, 0, 0, 1})},
       GatherBy("error", 1),
       {F({2, 3}, {11, 11, 10, 20, 20, 21})}},
      {op,
       "middle_axis",
       {F({1, 2, 2}, {1, 2, 3, 4}), I({1, 1, 2}, {1, 0})},
       GatherBy("error", 1),
       {F({1, 1, 2}, {3, 2})}},
      {op, "clamp", {line, I({4}, {-5, 0, 2, 100})}, GatherBy("clamp"), {F({4}, {10, 10, 30, 30})}},
      {op, "clamp_after_wrap", {line, I({4}, {-1, -3, -4, 3})}, GatherBy("clamp", 0, true), {F({4}, {30, 10, 10, 30})}},
      {op, "fill_f32", {line, I({4}, {-1, 3, 1, kMinI32})}, GatherBy("fill"), {F({4}, {kNan, kNan, 20, kNan})}},
      {op, "fill_i32", {ints, I({3}, {-1, kMaxI32, 1})}, GatherBy("fill"), {I({3}, {kMinI32, kMinI32, 20})}},
      {op, "error_after_wrap", {ints, I({2}, {-1, -3})}, GatherBy("error", 0, true), {I({2}, {30, 10})}},
      {op, "no_indices", {rows, I({0, 2})}, GatherBy("error"), {F({0, 2})}},
      {op, "fill_from_nothing", {F({0}), I({2}, {0, 1})}, GatherBy("fill"), {F({2}, {kNan, kNan})}},
      RefusesData(op, "past_the_end", line, I({2}, {0, 3}), GatherBy("error"), "index 3 at position"),
      RefusesData(op, "below_wrapped", line, I({2}, {0, -4}), GatherBy("error", 0, true), "expected -3 to 2"),
      Refusal(op, "f32_indices", {line, F({2})}, GatherBy("error"), "input 'indices' is f32[2]; expected i32"),
      Refusal(op, "axis", {line, I({2})}, GatherBy("error", 1),
              "attribute 'axis' is 1; expected an axis of a rank 1 value, 0 to 0"),
      Refusal(op, "unknown_mode", {line, I({2})}, GatherBy("drop"),
              "attribute 'mode' is 'drop'; expected 'error', 'clamp' or 'fill'"),
      Refusal(op, "rank", {rows, I({2})}, GatherBy("error"),
              "input 'indices' has shape [2]; expected rank 2 and, but for axis 0, at most the dims of 'data', [3, 2]"),
      Refusal(op, "too_many_columns", {rows, I({1, 3})}, GatherBy("error"),
              "input 'indices' has shape [1, 3]; expected rank 2 and, but for axis 0, at most the dims of 'data', "
              "[3, 2]"),
      Refusal(op, "nothing_to_clamp_to", {F({0}), I({2})}, GatherBy("clamp"),
              "attribute 'mode' is 'clamp' but 'data' is empty along the axis: nothing to clamp to"),
  };
}

std::vector<OpAnswer> ScatterAddAnswers() {
  const std::string op = "scatter_add";
  const Literal line = F({3}, {10, 20, 30}), ints = I({2}, {1, 2});
  const Literal rows = F({3, 2}, {10, 11, 20, 21, 30, 31});
  OpAnswer past_the_end{op, "past_the_end", {line, I({2}, {0, 3}), F({2}, {1, 2})}, GatherBy("error"), {F({3})}};
  past_the_end.run_error = "index 3 at position";
  return {
      {op,
       "several_to_one",
       {line, I({4}, {2, 0, 2, 2}), F({4}, {1, 2, 3, 4})},
       GatherBy("error"),
       {F({3}, {12, 20, 38})}},
      {op,
       "down_the_columns",
       {rows, I({2, 2}, {2, 0, 2, 1}), F({2, 2}, {1, 2, 3, 4})},
       GatherBy("error"),
       {F({3, 2}, {10, 13, 20, 25, 34, 31})}},
      {op,
       "along_the_rows",
       {rows, I({2, 3}, {1, 1, 0, 0, 0, 0}), F({2, 3}, {1, 2, 3, 4, 5, 6})},
       GatherBy("error", 1),
       {F({3, 2}, {13, 14, 35, 21, 30, 31})}},
      // In f32 2^25 + 1 is 2^25, so that only in this order something is left.
      {op,
       "in_ascending_order",
       {F({1}, {0}), I({3}, {0, 0, 0}), F({3}, {0x1p25, -0x1p25, 1})},
       GatherBy("error"),
       {F({1}, {1})}},
      {op,
       "data_comes_first",
       {F({1}, {0x1p25}), I({2}, {0, 0}), F({2}, {1, -0x1p25})},
       GatherBy("error"),
       {F({1}, {0})}},
      {op, "i32_wraps", {ints, I({2}, {1, 1}), I({2}, {kMaxI32, 1})}, GatherBy("error"), {I({2}, {1, kMinI32 + 2.0})}},
      {op, "drop", {line, I({3}, {-1, 3, 1}), F({3}, {1, 2, 4})}, GatherBy("drop"), {F({3}, {10, 24, 30})}},
      {op, "clamp", {line, I({3}, {-9, 9, 1}), F({3}, {1, 2, 4})}, GatherBy("clamp"), {F({3}, {11, 24, 32})}},
      {op, "wrap", {line, I({2}, {-1, -3}), F({2}, {1, 2})}, GatherBy("error", 0, true), {F({3}, {12, 20, 31})}},
      {op, "no_updates", {line, I({0}), F({0})}, GatherBy("error"), {line}},
      {op,
       "nan_and_infinity",
       {line, I({3}, {0, 1, 1}), F({3}, {kNan, kInf, -kInf})},
       GatherBy("error"),
       {F({3}, {kNan, kNan, 30})}},
      {op, "drop_into_nothing", {F({0}), I({2}, {0, 1}), F({2}, {1, 2})}, GatherBy("drop"), {F({0})}},
      past_the_end,
      Refusal(op, "f32_indices", {line, F({2}), F({2})}, GatherBy("error"), "input 'indices' is f32[2]; expected i32"),
      Refusal(op, "dtypes", {line, I({2}), I({2})}, GatherBy("error"),
              "input 'data' is f32 but input 'updates' is i32; expected the same dtype"),
      Refusal(op, "axis", {line, I({2}), F({2})}, GatherBy("error", 1),
              "attribute 'axis' is 1; expected an axis of a rank 1 value, 0 to 0"),
      Refusal(op, "unknown_mode", {line, I({2}), F({2})}, GatherBy("fill"),
              "attribute 'mode' is 'fill'; expected 'error', 'clamp' or 'drop'"),
      Refusal(op, "too_many_columns", {rows, I({1, 3}), F({1, 3})}, GatherBy("error"),
              "input 'indices' has shape [1, 3]; expected rank 2 and, but for axis 0, at most the dims of 'data', "
              "[3, 2]"),
      Refusal(op, "updates", {line, I({2}), F({3})}, GatherBy("error"),
              "input 'updates' has shape [3]; expected that of 'indices', [2]"),
      Refusal(op, "nothing_to_clamp_to", {F({0}), I({2}), F({2})}, GatherBy("clamp"),
              "attribute 'mode' is 'clamp' but 'data' is empty along the axis: nothing to clamp to"),
  };
}

INSTANTIATE_TEST_SUITE_P(ScatterAdd, OpAnswerTest, testing::ValuesIn(ScatterAddAnswers()), NameOf);
INSTANTIATE_TEST_SUITE_P(Gather, OpAnswerTest, testing::ValuesIn(GatherAnswers()), NameOf);
INSTANTIATE_TEST_SUITE_P(GatherElements, OpAnswerTest, testing::ValuesIn(GatherElementsAnswers()), NameOf);

}  // namespace rml
