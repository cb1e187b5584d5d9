#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

Literal Counting(Shape shape) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.num_elements(); ++i) values.push_back(static_cast<double>(i + 1));
  return F(shape, values);
}

std::vector<OpAnswer> Answers() {
  const Literal ones22 = F({1, 1, 2, 2}, {1, 1, 1, 1});
  return {
      {"conv2d", "valid", {Counting({1, 1, 3, 3}), ones22}, {}, {F({1, 1, 2, 2}, {12, 16, 24, 28})}},
      {"conv2d",
       "bias",
       {Counting({1, 1, 2, 2}), F({2, 1, 1, 1}, {1, 2}), F({2}, {10, 20})},
       {},
       {F({1, 2, 2, 2}, {11, 12, 13, 14, 22, 24, 26, 28})}},
      // SAME at stride 2 on an even size: the extra padding stands at the bottom and the right.
      {"conv2d",
       "padding_at_the_end",
       {Counting({1, 1, 4, 4}), F({1, 1, 3, 3}, {0, 0, 0, 0, 1, 0, 0, 0, 1})},
       {{"strides", Ints({2, 2})}, {"pads", Ints({0, 0, 1, 1})}},
       {F({1, 1, 2, 2}, {17, 8, 14, 16})}},
      {"conv2d", "dilated", {Counting({1, 1, 3, 3}), ones22}, {{"dilations", Ints({2, 2})}}, {F({1, 1, 1, 1}, {20})}},
      {"conv2d",
       "dilated_and_padded",
       {Counting({1, 1, 2, 2}), ones22},
       {{"dilations", Ints({2, 2})}, {"pads", Ints({1, 1, 1, 1})}},
       {F({1, 1, 2, 2}, {4, 3, 2, 1})}},
      {"conv2d",
       "tall_kernel",
       {Counting({1, 1, 4, 4}), F({1, 1, 3, 2}, {1, 1, 1, 1, 1, 1})},
       {{"strides", Ints({2, 2})}, {"pads", Ints({1, 1, 1, 1})}},
       {F({1, 1, 2, 3}, {6, 18, 12, 27, 63, 36})}},
      {"conv2d",
       "groups",
       {F({1, 2, 1, 2}, {1, 2, 3, 4}), F({2, 1, 1, 1}, {10, 100})},
       {{"groups", 2}},
       {F({1, 2, 1, 2}, {10, 20, 300, 400})}},
      {"conv2d",
       "depthwise_with_multiplier",
       {F({1, 2, 1, 1}, {1, 2}), F({4, 1, 1, 1}, {1, 10, 100, 1000})},
       {{"groups", 2}},
       {F({1, 4, 1, 1}, {1, 10, 200, 2000})}},
      {"conv2d",
       "padding_hides_infinity",
       {F({1, 1, 1, 1}, {2}), F({1, 1, 1, 2}, {1, 3})},
       {{"pads", Ints({0, 1, 0, 1})}},
       {F({1, 1, 1, 2}, {6, 2})}},
      {"conv2d",
       "padding_times_an_infinite_weight",
       {F({1, 1, 1, 1}, {2}), F({1, 1, 1, 1}, {kInf})},
       {{"pads", Ints({0, 0, 0, 1})}},
       {F({1, 1, 1, 2}, {kInf, kNan})}},
      {"conv2d", "no_rows", {F({0, 1, 3, 3}), ones22}, {}, {F({0, 1, 2, 2})}},
      {"conv2d",
       "no_input_channels",
       {F({1, 0, 1, 2}), F({2, 0, 1, 1}), F({2}, {3, 4})},
       {},
       {F({1, 2, 1, 2}, {3, 3, 4, 4})}},
  };
}

std::vector<OpAnswer> Refusals() {
  const Literal x = F({1, 4, 5, 5});
  const Literal w = F({6, 4, 3, 3});
  return {
      Refusal("conv2d", "rank", {F({4, 5, 5}), w}, {}, "input 'x' has shape [4, 5, 5]; expected rank 4"),
      Refusal(
          "conv2d", "channels", {x, F({6, 3, 3, 3})}, {},
          "input 'w' has shape [6, 3, 3, 3]; expected [O, 4, KH, KW] for 1 groups and input 'x' of shape [1, 4, 5, 5]"),
      Refusal("conv2d", "groups_divide_input", {x, w}, {{"groups", 3}},
              "attribute 'groups' is 3; expected a divisor of the input's 4 channels and the output's 6"),
      Refusal("conv2d", "groups_divide_output", {x, w}, {{"groups", 4}},
              "attribute 'groups' is 4; expected a divisor of the input's 4 channels and the output's 6"),
      Refusal("conv2d", "no_groups", {x, w}, {{"groups", 0}},
              "attribute 'groups' is 0; expected a divisor of the input's 4 channels and the output's 6"),
      Refusal("conv2d", "bias_shape", {x, w, F({4})}, {},
              "input 'bias' has shape [4]; expected [6], one per output channel"),
      Refusal("conv2d", "kernel_larger_than_input", {F({1, 4, 2, 5}), w}, {},
              "the kernel's height is 3 with dilation 1; expected at least 1, and to fit in the padded input's 2"),
      Refusal("conv2d", "dilated_kernel_larger_than_input", {x, w}, {{"dilations", Ints({1, 3})}},
              "the kernel's width is 3 with dilation 3; expected at least 1, and to fit in the padded input's 5"),
      Refusal("conv2d", "empty_kernel", {x, F({6, 4, 0, 3})}, {},
              "the kernel's height is 0 with dilation 1; expected at least 1, and to fit in the padded input's 5"),
      Refusal("conv2d", "empty_image", {F({1, 4, 0, 5}), F({6, 4, 1, 1})}, {{"dilations", Ints({2, 2})}},
              "the kernel's height is 1 with dilation 2; expected at least 1, and to fit in the padded input's 0"),
      Refusal(
          "conv2d", "extent_does_not_fit_64_bits", {x, F({0, 4, int64_t{1} << 40, 3})},
          {{"dilations", Ints({int64_t{1} << 40, 1})}},
          "the kernel's height is 1099511627776 with dilation 1099511627776; expected at least 1, and to fit in the "
          "padded input's 5"),
      Refusal("conv2d", "stride_zero", {x, w}, {{"strides", Ints({1, 0})}},
              "attribute 'strides' is [1, 0]; expected 2 numbers of at least 1"),
      Refusal("conv2d", "two_pads", {x, w}, {{"pads", Ints({1, 1})}},
              "attribute 'pads' is [1, 1]; expected 4 numbers of at least 0"),
      Refusal("conv2d", "negative_pad", {x, w}, {{"pads", Ints({0, 0, -1, 0})}},
              "attribute 'pads' is [0, 0, -1, 0]; expected 4 numbers of at least 0"),
      Refusal("conv2d", "i32", {x, I({6, 4, 3, 3})}, {}, "input 'w' is i32[6, 4, 3, 3]; expected f32"),
  };
}

}  // namespace

std::vector<OpAnswer> Conv2dAnswers() {
  std::vector<OpAnswer> cases = Answers();
  for (OpAnswer& refusal : Refusals()) cases.push_back(std::move(refusal));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Conv2d, OpAnswerTest, testing::ValuesIn(Conv2dAnswers()), NameOf);

}  // namespace rml
