#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

Attrs Window(std::initializer_list<Dim> kernel, std::initializer_list<Dim> strides, std::initializer_list<Dim> pads) {
  return {{"kernel", Ints(kernel)}, {"strides", Ints(strides)}, {"pads", Ints(pads)}};
}

Attrs With(Attrs attrs, const std::string& name, AttrValue value) {
  attrs.emplace_back(name, std::move(value));
  return attrs;
}

std::vector<OpAnswer> Answers() {
  const Literal x = F({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  const Attrs k3s2p1 = Window({3, 3}, {2, 2}, {1, 1, 1, 1});
  const Attrs k2s2 = Window({2, 2}, {2, 2}, {0, 0, 0, 0});
  return {
      {"max_pool2d", "plain", {x}, k2s2, {F({1, 1, 2, 2}, {6, 8, 14, 16})}},
      // Padding with zeros would win.
      {"max_pool2d", "all_negative", {F({1, 1, 2, 2}, {-1, -2, -3, -4})}, k3s2p1, {F({1, 1, 1, 1}, {-1})}},
      {"max_pool2d", "nan_stays", {F({1, 1, 2, 4}, {kNan, 1, 2, 3, 4, 5, 6, 7})}, k2s2, {F({1, 1, 1, 2}, {kNan, 7})}},
      {"max_pool2d",
       "nan_last",
       {F({1, 1, 1, 2}, {1, kNan})},
       Window({1, 2}, {1, 1}, {0, 0, 0, 0}),
       {F({1, 1, 1, 1}, {kNan})}},
      {"max_pool2d",
       "minus_infinity",
       {F({1, 1, 1, 2}, {-kInf, -kInf})},
       Window({1, 2}, {1, 1}, {0, 0, 0, 0}),
       {F({1, 1, 1, 1}, {-kInf})}},
      {"max_pool2d",
       "ceil_keeps_a_partial_window",
       {F({1, 1, 1, 3}, {1, 2, 3})},
       With(Window({1, 2}, {1, 2}, {0, 0, 0, 0}), "ceil_mode", true),
       {F({1, 1, 1, 2}, {2, 3})}},
      {"max_pool2d",
       "ceil_drops_a_window_in_padding",
       {F({1, 1, 1, 2}, {1, 2})},
       With(Window({1, 2}, {1, 2}, {0, 1, 0, 1}), "ceil_mode", true),
       {F({1, 1, 1, 2}, {1, 2})}},
      {"max_pool2d",
       "dilated",
       {F({1, 1, 1, 5}, {5, 1, 2, 9, 3})},
       With(Window({1, 2}, {1, 1}, {0, 0, 0, 0}), "dilations", Ints({1, 2})),
       {F({1, 1, 1, 3}, {5, 9, 3})}},
      {"max_pool2d", "no_rows", {F({0, 2, 4, 4})}, k2s2, {F({0, 2, 2, 2})}},

      {"avg_pool2d", "plain", {x}, k2s2, {F({1, 1, 2, 2}, {3.5, 5.5, 11.5, 13.5})}},
      // The divisor is the window clipped to the padded input, never what lies past it: 9 6, 6 4 in the corners.
      {"avg_pool2d",
       "ceil_clips_the_divisor",
       {x},
       With(k3s2p1, "ceil_mode", true),
       {F({1, 1, 3, 3}, {14.0 / 9, 30.0 / 9, 2, 57.0 / 9, 11, 6, 4.5, 7.5, 4})},
       Ulps(2)},
      {"avg_pool2d", "floor", {x}, k3s2p1, {F({1, 1, 2, 2}, {14.0 / 9, 30.0 / 9, 57.0 / 9, 11})}, Ulps(2)},
      {"avg_pool2d",
       "without_padding",
       {x},
       With(k3s2p1, "count_include_pad", false),
       {F({1, 1, 2, 2}, {3.5, 5, 9.5, 11})},
       Ulps(2)},
      {"avg_pool2d",
       "nan_in_one_window",
       {F({1, 1, 1, 4}, {kNan, 1, 2, 4})},
       Window({1, 2}, {1, 2}, {0, 0, 0, 0}),
       {F({1, 1, 1, 2}, {kNan, 3})}},
  };
}

std::vector<OpAnswer> Refusals() {
  std::vector<OpAnswer> cases = {
      Refusal("max_pool2d", "stride_missing", {F({1, 1, 4, 4})}, {{"kernel", Ints({2, 2})}},
              "missing attribute 'strides'"),
      Refusal("avg_pool2d", "no_dilations", {F({1, 1, 4, 4})},
              With(Window({2, 2}, {2, 2}, {0, 0, 0, 0}), "dilations", Ints({1, 1})),
              "unknown attribute 'dilations'; expected: kernel, strides, pads, count_include_pad, ceil_mode"),
  };
  for (const char* op : {"max_pool2d", "avg_pool2d"}) {
    cases.push_back(Refusal(op, "rank", {F({1, 4, 4})}, Window({2, 2}, {2, 2}, {0, 0, 0, 0}),
                            "input 'x' has shape [1, 4, 4]; expected rank 4"));
    cases.push_back(Refusal(op, "i32", {I({1, 1, 4, 4})}, Window({2, 2}, {2, 2}, {0, 0, 0, 0}),
                            "input 'x' is i32[1, 1, 4, 4]; expected f32"));
    cases.push_back(Refusal(op, "pad_as_large_as_the_kernel", {F({1, 1, 4, 4})}, Window({2, 2}, {2, 2}, {0, 2, 0, 0}),
                            "attribute 'pads' has 2 and 0 on an axis; expected less than the kernel's 2, so that no "
                            "window lies in padding"));
    cases.push_back(
        Refusal(op, "kernel_larger_than_padded_input", {F({1, 1, 4, 4})}, Window({2, 7}, {2, 2}, {0, 1, 0, 1}),
                "the kernel's width is 7 with dilation 1; expected at least 1, and to fit in the padded input's 6"));
    cases.push_back(Refusal(op, "kernel_of_one_number", {F({1, 1, 4, 4})}, Window({2}, {2, 2}, {0, 0, 0, 0}),
                            "attribute 'kernel' is [2]; expected 2 numbers of at least 1"));
    cases.push_back(Refusal(op, "kernel_zero", {F({1, 1, 4, 4})}, Window({0, 2}, {2, 2}, {0, 0, 0, 0}),
                            "attribute 'kernel' is [0, 2]; expected 2 numbers of at least 1"));
  }
  return cases;
}

}  // namespace

std::vector<OpAnswer> Pool2dAnswers() {
  std::vector<OpAnswer> cases = Answers();
  for (OpAnswer& refusal : Refusals()) cases.push_back(std::move(refusal));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Pool2d, OpAnswerTest, testing::ValuesIn(Pool2dAnswers()), NameOf);

}  // namespace rml
