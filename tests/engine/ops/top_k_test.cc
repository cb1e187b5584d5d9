#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> TopKAnswers() {
  const auto best = [](int64_t k, int64_t axis, bool largest = true) {
    return Attrs{{"k", Dim(k)}, {"axis", Dim(axis)}, {"largest", largest}};
  };
  return {
      {"top_k", "largest", {F({4}, {3, 1, 4, 2})}, best(2, 0), {F({2}, {4, 3}), I({2}, {2, 0})}},
      {"top_k", "smallest", {F({4}, {3, 1, 4, 2})}, best(2, 0, false), {F({2}, {1, 2}), I({2}, {1, 3})}},
      {"top_k",
       "ties_go_to_the_lowest_index",
       {F({5}, {1, 2, 2, 1, 2})},
       best(4, 0),
       {F({4}, {2, 2, 2, 1}), I({4}, {1, 2, 4, 0})}},
      {"top_k", "smallest_ties", {F({4}, {2, 1, 1, 2})}, best(3, 0, false), {F({3}, {1, 1, 2}), I({3}, {1, 2, 0})}},
      {"top_k", "all_zeros", {F({3}, {0, -0.0, 0})}, best(3, 0), {F({3}, {0, 0, 0}), I({3}, {0, 1, 2})}},
      {"top_k",
       "nan_is_largest",
       {F({4}, {1, kInf, kNan, kNan})},
       best(3, 0),
       {F({3}, {kNan, kNan, kInf}), I({3}, {2, 3, 1})}},
      {"top_k",
       "nan_is_last_of_the_smallest",
       {F({3}, {kNan, kInf, -kInf})},
       best(3, 0, false),
       {F({3}, {-kInf, kInf, kNan}), I({3}, {2, 1, 0})}},
      {"top_k", "first_axis", {F({3, 2}, {1, 6, 2, 5, 3, 4})}, best(1, 0), {F({1, 2}, {3, 6}), I({1, 2}, {2, 0})}},
      {"top_k",
       "last_axis",
       {F({2, 3}, {1, 3, 2, 6, 4, 5})},
       best(2, 1),
       {F({2, 2}, {3, 2, 6, 5}), I({2, 2}, {1, 2, 0, 2})}},
      {"top_k", "none", {F({2}, {1, 2})}, best(0, 0), {F({0}), I({0})}},
      {"top_k", "no_rows", {F({0, 3})}, best(2, 1), {F({0, 2}), I({0, 2})}},
      Refusal("top_k", "k_larger_than_the_axis", {F({2, 3})}, best(4, 1),
              "attribute 'k' is 4; expected 0 to 3, the size of the axis"),
      Refusal("top_k", "negative_k", {F({3})}, best(-1, 0),
              "attribute 'k' is -1; expected 0 to 3, the size of the axis"),
      Refusal("top_k", "axis", {F({3})}, best(1, 1),
              "attribute 'axis' is 1; expected an axis of a rank 1 value, 0 to 0"),
      Refusal("top_k", "i32", {I({3})}, best(1, 0), "input 'x' is i32[3]; expected f32"),
  };
}

INSTANTIATE_TEST_SUITE_P(TopK, OpAnswerTest, testing::ValuesIn(TopKAnswers()), NameOf);

}  // namespace rml
