#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> SdpaAnswers() {
  const Tolerance close{1e-6, 1e-6};
  const Attrs plain = {{"scale", 1.0}};
  const Attrs causal = {{"scale", 1.0}, {"causal", true}};
  // One query over two keys with scores 0 and 1; values 0 and 1 make the output the second weight.
  const Literal q = F({1, 1}, {1});
  const Literal k = F({2, 1}, {0, 1});
  const Literal v = F({2, 1}, {0, 1});
  return {
      {"sdpa", "two_keys", {q, k, v}, plain, {F({1, 1}, {0.7310585786})}, close},
      {"sdpa", "scale_counts", {q, k, v}, {{"scale", 2.0}}, {F({1, 1}, {0.8807970780})}, close},
      {"sdpa", "additive_mask", {q, k, v, F({1, 2}, {1, 0})}, plain, {F({1, 1}, {0.5})}, close},
      {"sdpa",
       "mask_broadcasts",
       {F({2, 1, 1}, {1, 1}), F({2, 2, 1}, {0, 1, 0, 1}), F({2, 2, 1}, {0, 1, 0, 2}), F({2}, {1, 0})},
       plain,
       {F({2, 1, 1}, {0.5, 1})},
       close},
      {"sdpa",
       "masked_row_gives_zeros",
       {F({2, 1}, {1, 1}), k, v, F({2, 2}, {-kInf, -kInf, 0, -kInf})},
       plain,
       {F({2, 1}, {0, 0})}},
      {"sdpa",
       "masked_value_counts_nothing",
       {q, k, F({2, 1}, {7, 5}), F({2}, {-kInf, 0})},
       plain,
       {F({1, 1}, {5})},
       close},
      // The mask is aligned top left: one query sees key 0 alone, however many keys there are.
      {"sdpa",
       "causal_one_query",
       {q, F({3, 1}, {1, 2, 3}), F({3, 2}, {1, 2, 3, 4, 5, 6})},
       causal,
       {F({1, 2}, {1, 2})},
       close},
      {"sdpa",
       "causal_two_queries",
       {F({2, 1}, {1, 1}), F({3, 1}, {0, 0, 9}), F({3, 1}, {2, 4, 90})},
       causal,
       {F({2, 1}, {2, 3})},
       close},
      {"sdpa",
       "causal_more_queries",
       {F({3, 1}, {1, 1, 1}), F({1, 1}, {5}), F({1, 1}, {4})},
       causal,
       {F({3, 1}, {4, 4, 4})},
       close},
      {"sdpa", "large_scores", {F({1, 1}, {1000}), k, v}, plain, {F({1, 1}, {1})}, close},
      {"sdpa", "nan_in_one_query", {F({2, 1}, {kNan, 1}), k, v}, plain, {F({2, 1}, {kNan, 0.7310585786})}, close},
      {"sdpa", "no_keys", {F({2, 1}, {1, 1}), F({0, 1}), F({0, 2})}, plain, {F({2, 2}, {0, 0, 0, 0})}},
      {"sdpa", "no_queries", {F({0, 1}), k, v}, plain, {F({0, 1})}},
      {"sdpa", "no_depth", {F({1, 0}), F({2, 0}), v}, plain, {F({1, 1}, {0.5})}, close},
      Refusal("sdpa", "depths_differ", {F({2, 4, 8}), F({2, 5, 7}), F({2, 5, 8})}, plain,
              "inputs 'q', 'k', 'v' have shapes [2, 4, 8], [2, 5, 7], [2, 5, 8]; expected [..., Lq, D], [..., Lk, D], "
              "[..., Lk, Dv]"),
      Refusal("sdpa", "heads_differ", {F({2, 4, 8}), F({1, 5, 8}), F({1, 5, 8})}, plain,
              "inputs 'q', 'k', 'v' have shapes [2, 4, 8], [1, 5, 8], [1, 5, 8]; expected [..., Lq, D], [..., Lk, D], "
              "[..., Lk, Dv]"),
      Refusal("sdpa", "mask_is_larger", {F({4, 8}), F({5, 8}), F({5, 8}), F({2, 4, 5})}, plain,
              "input 'mask' has shape [2, 4, 5]; expected one that broadcasts to [4, 5]"),
      Refusal("sdpa", "mask_does_not_fit", {F({4, 8}), F({5, 8}), F({5, 8}), F({4})}, plain,
              "input 'mask' has shape [4]; expected one that broadcasts to [4, 5]"),
      Refusal("sdpa", "i32_mask", {F({4, 8}), F({5, 8}), F({5, 8}), I({4, 5})}, plain,
              "input 'mask' is i32[4, 5]; expected f32"),
      Refusal("sdpa", "no_scale", {q, k, v}, {}, "missing attribute 'scale'"),
  };
}

INSTANTIATE_TEST_SUITE_P(Sdpa, OpAnswerTest, testing::ValuesIn(SdpaAnswers()), NameOf);

}  // namespace rml
