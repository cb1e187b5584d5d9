#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> ConcatPadAnswers() {
  const Literal row = F({1, 2}, {1, 2});
  constexpr int64_t kHuge = int64_t{1} << 60;
  const auto pad = [](std::initializer_list<Dim> before, std::initializer_list<Dim> after, double value = 0) {
    return Attrs{{"before", Ints(before)}, {"after", Ints(after)}, {"value", value}};
  };
  return {
      {"concat", "rows", {row, F({2, 2}, {3, 4, 5, 6})}, {{"axis", 0}}, {F({3, 2}, {1, 2, 3, 4, 5, 6})}},
      {"concat",
       "columns",
       {F({2, 1}, {1, 2}), F({2, 2}, {3, 4, 5, 6})},
       {{"axis", 1}},
       {F({2, 3}, {1, 3, 4, 2, 5, 6})}},
      {"concat", "one_input", {row}, {{"axis", 1}}, {F({1, 2}, {1, 2})}},
      {"concat", "with_an_empty_input", {row, F({0, 2}), row}, {{"axis", 0}}, {F({2, 2}, {1, 2, 1, 2})}},
      {"concat", "all_empty", {F({0}), F({0})}, {{"axis", 0}}, {F({0})}},
      {"concat", "i32", {I({1}, {kMinI32}), I({1}, {kMaxI32})}, {{"axis", 0}}, {I({2}, {kMinI32, kMaxI32})}},
      Refusal("concat", "other_axes", {F({1, 2}), F({1, 3})}, {{"axis", 0}},
              "input 1 is f32[1, 3]; expected f32[1, 2] like input 0 but for axis 0"),
      Refusal("concat", "ranks", {F({1, 2}), F({2})}, {{"axis", 0}},
              "input 1 is f32[2]; expected f32[1, 2] like input 0 but for axis 0"),
      Refusal("concat", "dtypes", {F({1}), I({1})}, {{"axis", 0}},
              "input 1 is i32[1]; expected f32[1] like input 0 but for axis 0"),
      Refusal("concat", "axis", {F({}), F({})}, {{"axis", 0}},
              "attribute 'axis' is 0; expected an axis of a rank 0 value, 0 to -1"),
      Refusal("concat", "sum_does_not_fit", {F({0, kHuge}), F({0, kHuge}), F({0, kHuge})}, {{"axis", 1}},
              "shape [0, 2305843009213693952] has more bytes than 63 bits can count"),

      {"pad", "both_sides", {F({2}, {1, 2})}, pad({1}, {2}), {F({5}, {0, 1, 2, 0, 0})}},
      {"pad", "value", {F({1, 1}, {5})}, pad({0, 1}, {1, 0}, -0.5), {F({2, 2}, {-0.5, 5, -0.5, -0.5})}},
      {"pad", "i32", {I({1}, {7})}, pad({1}, {0}, 3), {I({2}, {3, 7})}},
      {"pad", "nothing", {F({1}, {kNan})}, pad({0}, {0}, 9), {F({1}, {kNan})}},
      {"pad", "empty_input", {F({0})}, pad({1}, {1}, 2), {F({2}, {2, 2})}},
      {"pad", "scalar", {F({}, {4})}, pad({}, {}), {F({}, {4})}},
      Refusal("pad", "counts", {F({2, 2})}, pad({1}, {1, 1}),
              "attribute 'before' is [1]; expected 2 numbers of at least 0"),
      Refusal("pad", "negative", {F({2})}, pad({0}, {-1}),
              "attribute 'after' is [-1]; expected 1 numbers of at least 0"),
      Refusal("pad", "i32_fraction", {I({2})}, pad({0}, {0}, 0.5),
              "attribute 'value' is 0.5; expected a whole number in the range of i32"),
  };
}

INSTANTIATE_TEST_SUITE_P(ConcatPad, OpAnswerTest, testing::ValuesIn(ConcatPadAnswers()), NameOf);

}  // namespace rml
