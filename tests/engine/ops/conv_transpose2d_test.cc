#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

const char* const kOp = "conv_transpose2d";

std::vector<OpAnswer> Answers() {
  const Literal x = F({1, 1, 2, 2}, {1, 2, 3, 4});
  const Literal ones22 = F({1, 1, 2, 2}, {1, 1, 1, 1});
  const Literal digits = F({1, 1, 1, 3}, {1, 10, 100});
  const Literal line = F({1, 1, 1, 2}, {1, 2});
  return {
      {kOp, "windows_overlap", {x, ones22}, {}, {F({1, 1, 3, 3}, {1, 3, 2, 4, 10, 6, 3, 7, 4})}},
      {kOp,
       "stride_as_large_as_the_kernel",
       {x, F({1, 1, 2, 2}, {1, 10, 100, 1000})},
       {{"strides", Ints({2, 2})}},
       {F({1, 1, 4, 4}, {1, 10, 2, 20, 100, 1000, 200, 2000, 3, 30, 4, 40, 300, 3000, 400, 4000})}},
      {kOp,
       "stride_larger_than_the_kernel_leaves_the_bias",
       {line, F({1, 1, 1, 1}, {10}), F({1}, {7})},
       {{"strides", Ints({2, 3})}},
       {F({1, 1, 1, 4}, {17, 7, 7, 27})}},
      {kOp, "pads_cut", {line, digits}, {{"pads", Ints({0, 1, 0, 2})}}, {F({1, 1, 1, 1}, {12})}},
      {kOp, "uneven_pads", {line, digits}, {{"pads", Ints({0, 0, 0, 1})}}, {F({1, 1, 1, 3}, {1, 12, 120})}},
      {kOp,
       "output_pads_extend",
       {line, digits},
       {{"strides", Ints({2, 2})}, {"output_pads", Ints({1, 1})}},
       {F({1, 1, 2, 6}, {1, 10, 102, 20, 200, 0, 0, 0, 0, 0, 0, 0})}},
      {kOp,
       "output_pads_undo_pads",
       {line, digits},
       {{"strides", Ints({1, 2})}, {"pads", Ints({0, 1, 0, 1})}, {"output_pads", Ints({0, 1})}},
       {F({1, 1, 1, 4}, {10, 102, 20, 200})}},
      {kOp, "dilated", {line, digits}, {{"dilations", Ints({1, 2})}}, {F({1, 1, 1, 6}, {1, 2, 10, 20, 100, 200})}},
      {kOp,
       "dilated_and_strided",
       {line, digits},
       {{"strides", Ints({1, 2})}, {"dilations", Ints({1, 3})}},
       {F({1, 1, 1, 9}, {1, 0, 2, 10, 0, 20, 100, 0, 200})}},
      {kOp,
       "channels_in_and_out",
       {F({1, 2, 1, 1}, {1, 2}), F({2, 3, 1, 1}, {1, 2, 3, 10, 20, 30}), F({3}, {100, 200, 300})},
       {},
       {F({1, 3, 1, 1}, {121, 242, 363})}},
      {kOp,
       "groups",
       {F({1, 2, 1, 1}, {1, 2}), F({2, 2, 1, 1}, {1, 10, 100, 1000})},
       {{"groups", 2}},
       {F({1, 4, 1, 1}, {1, 10, 200, 2000})}},
      {kOp,
       "what_lies_around_is_zeros",
       {F({1, 1, 1, 1}, {2}), F({1, 1, 1, 2}, {1, kInf})},
       {{"output_pads", Ints({0, 1})}},
       {F({1, 1, 1, 3}, {kNan, kInf, kNan})}},
      {kOp,
       "between_elements_lies_nothing",
       {line, F({1, 1, 1, 1}, {kInf})},
       {{"strides", Ints({1, 2})}},
       {F({1, 1, 1, 3}, {kInf, 0, kInf})}},
      {kOp, "no_rows", {F({0, 1, 2, 2}), ones22}, {}, {F({0, 1, 3, 3})}},
      {kOp,
       "no_input_channels",
       {F({1, 0, 1, 2}), F({0, 2, 1, 1}), F({2}, {3, 4})},
       {},
       {F({1, 2, 1, 2}, {3, 3, 4, 4})}},
  };
}

std::vector<OpAnswer> Refusals() {
  const Literal x = F({1, 4, 5, 5});
  const Literal w = F({4, 6, 3, 3});
  const int64_t large = int64_t{1} << 40;
  return {
      Refusal(kOp, "rank", {F({4, 5, 5}), w}, {}, "input 'x' has shape [4, 5, 5]; expected rank 4"),
      Refusal(kOp, "channels", {x, F({3, 6, 3, 3})}, {},
              "input 'w' has shape [3, 6, 3, 3]; expected [4, O / groups, KH, KW] for input 'x' of shape [1, 4, 5, 5]"),
      Refusal(kOp, "groups_divide_input", {x, w}, {{"groups", 3}},
              "attribute 'groups' is 3; expected a divisor of the input's 4 channels"),
      Refusal(kOp, "no_groups", {x, w}, {{"groups", 0}},
              "attribute 'groups' is 0; expected a divisor of the input's 4 channels"),
      Refusal(kOp, "too_many_groups", {F({1, 0, 5, 5}), F({0, 6, 3, 3})}, {{"groups", int64_t{1} << 62}},
              "attribute 'groups' is 4611686018427387904; that many times 6 output channels do not fit"),
      Refusal(kOp, "bias_shape", {x, w, F({6})}, {{"groups", 2}},
              "input 'bias' has shape [6]; expected [12], one per output channel"),
      Refusal(kOp, "empty_image", {F({1, 4, 0, 5}), w}, {},
              "the image's height is 0 and the kernel's 3; expected at least 1"),
      Refusal(kOp, "empty_kernel", {x, F({4, 6, 3, 0})}, {},
              "the image's width is 5 and the kernel's 0; expected at least 1"),
      Refusal(kOp, "nothing_left", {x, w}, {{"pads", Ints({0, 3, 0, 4})}},
              "the output's width would be 0; expected at least 1: fewer pads"),
      Refusal(kOp, "does_not_fit_64_bits", {x, w}, {{"strides", Ints({1, large})}},
              "the output's width does not fit: input 5 at stride 1099511627776, kernel 3 at dilation 1"),
      Refusal(kOp, "stride_zero", {x, w}, {{"strides", Ints({1, 0})}},
              "attribute 'strides' is [1, 0]; expected 2 numbers of at least 1"),
      Refusal(kOp, "negative_pad", {x, w}, {{"pads", Ints({0, 0, -1, 0})}},
              "attribute 'pads' is [0, 0, -1, 0]; expected 4 numbers of at least 0"),
      Refusal(kOp, "dilation_zero", {x, w}, {{"dilations", Ints({0, 1})}},
              "attribute 'dilations' is [0, 1]; expected 2 numbers of at least 1"),
      Refusal(kOp, "one_output_pad", {x, w}, {{"output_pads", Ints({1})}},
              "attribute 'output_pads' is [1]; expected 2 numbers of at least 0"),
      Refusal(kOp, "i32", {x, I({4, 6, 3, 3})}, {}, "input 'w' is i32[4, 6, 3, 3]; expected f32"),
  };
}

}  // namespace

std::vector<OpAnswer> ConvTranspose2dAnswers() {
  std::vector<OpAnswer> cases = Answers();
  for (OpAnswer& refusal : Refusals()) cases.push_back(std::move(refusal));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(ConvTranspose2d, OpAnswerTest, testing::ValuesIn(ConvTranspose2dAnswers()), NameOf);

}  // namespace rml
