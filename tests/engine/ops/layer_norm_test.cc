#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> LayerNormAnswers() {
  const Attrs last = {{"axes", Ints({1})}, {"eps", 1e-5}};
  const std::vector<double> steps = {-1.3416407865, -0.4472135955, 0.4472135955, 1.3416407865};
  return {
      // Sums of squares would cancel: mean 40001.5, variance 1.25.
      {"layer_norm", "large_mean", {F({1, 4}, {40000, 40001, 40002, 40003})}, last, {F({1, 4}, steps)}, {1e-5, 1e-5}},
      {"layer_norm", "huge_values", {F({1, 4}, {-3e30, -1e30, 1e30, 3e30})}, last, {F({1, 4}, steps)}, {1e-5, 1e-5}},
      {"layer_norm",
       "constant_row_gives_bias",
       {F({1, 3}, {1234, 1234, 1234}), F({3}, {2, 2, 2}), F({3}, {7, 8, 9})},
       last,
       {F({1, 3}, {7, 8, 9})}},
      {"layer_norm",
       "weight_alone",
       {F({2, 2}, {-1, 1, -2, 2}), F({2}, {10, 20})},
       {{"axes", Ints({1})}, {"eps", 0.0}},
       {F({2, 2}, {-10, 20, -10, 20})},
       Ulps(4)},
      {"layer_norm",
       "two_axes",
       {F({1, 2, 2}, {1, 1, 3, 3})},
       {{"axes", Ints({1, 2})}, {"eps", 0.0}},
       {F({1, 2, 2}, {-1, -1, 1, 1})},
       Ulps(4)},
      {"layer_norm",
       "two_axes_with_weight_and_bias",
       {F({1, 2, 2}, {1, 1, 3, 3}), F({2, 2}, {1, 2, 3, 4}), F({2, 2}, {0, 10, 0, 10})},
       {{"axes", Ints({1, 2})}, {"eps", 0.0}},
       {F({1, 2, 2}, {-1, 8, 3, 14})},
       Ulps(4)},
      {"layer_norm",
       "nan_stays_in_its_row",
       {F({2, 2}, {kNan, 1, -1, 1})},
       {{"axes", Ints({1})}, {"eps", 0.0}},
       {F({2, 2}, {kNan, kNan, -1, 1})},
       Ulps(4)},
      {"layer_norm", "no_rows", {F({0, 4})}, last, {F({0, 4})}},
      {"layer_norm", "empty_rows", {F({3, 0})}, last, {F({3, 0})}},
      Refusal("layer_norm", "weight_of_one", {F({2, 4}), F({1})}, last,
              "input 'weight' has shape [1]; expected [4], the normalised axes of 'x'"),
      Refusal("layer_norm", "bias_shape", {F({2, 4}), F({4}), F({1, 4})}, last,
              "input 'bias' has shape [1, 4]; expected [4], the normalised axes of 'x'"),
      Refusal("layer_norm", "not_the_last_axis", {F({2, 4})}, {{"axes", Ints({0})}, {"eps", 1e-5}},
              "attribute 'axes' is [0]; expected the last axes of a rank 2 value, ascending"),
      Refusal("layer_norm", "descending_axes", {F({2, 4})}, {{"axes", Ints({1, 0})}, {"eps", 1e-5}},
              "attribute 'axes' is [1, 0]; expected the last axes of a rank 2 value, ascending"),
      Refusal("layer_norm", "no_axes", {F({2, 4})}, {{"axes", Ints({})}, {"eps", 1e-5}},
              "attribute 'axes' is []; expected at least one axis"),
      Refusal("layer_norm", "negative_eps", {F({2, 4})}, {{"axes", Ints({1})}, {"eps", -1.0}},
              "attribute 'eps' is -1; expected at least 0"),
      Refusal("layer_norm", "i32", {I({2, 4})}, last, "input 'x' is i32[2, 4]; expected f32"),
      Refusal("layer_norm", "all_missing", {F({2, 4})}, {}, "missing attribute 'axes', 'eps'"),
  };
}

INSTANTIATE_TEST_SUITE_P(LayerNorm, OpAnswerTest, testing::ValuesIn(LayerNormAnswers()), NameOf);

}  // namespace rml
