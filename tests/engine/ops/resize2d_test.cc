#include <string>
#include <utility>
#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

const std::string kOp = "resize2d";

// One row of pixels to `width`.
Attrs To(int64_t width, const char* mode, const char* coordinates, Attrs more = {}) {
  Attrs attrs = {{"mode", std::string(mode)}, {"size", Ints({1, width})}, {"coordinates", std::string(coordinates)}};
  attrs.insert(attrs.end(), more.begin(), more.end());
  return attrs;
}

Attrs Rounding(const char* rounding) { return {{"rounding", std::string(rounding)}}; }
Attrs Scale(double w) { return {{"scale_h", 1.0}, {"scale_w", w}}; }

Attrs Both(Attrs a, const Attrs& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Literal Row(const std::vector<double>& values) { return F({1, 1, 1, static_cast<int64_t>(values.size())}, values); }

std::vector<OpAnswer> Answers() {
  const Literal two = Row({10, 20}), four = Row({0, 1, 2, 3});
  const Attrs cubic = {{"cubic_a", -0.75}};
  return {
      // PyTorch's nearest, TensorFlow's legacy nearest.
      {kOp, "nearest", {four}, To(6, "nearest", "asymmetric", Rounding("floor")), {Row({0, 0, 1, 2, 2, 3})}},
      // PyTorch's nearest-exact, TensorFlow 2's and JAX's nearest.
      {kOp, "nearest_exact", {four}, To(3, "nearest", "half_pixel", Rounding("round_prefer_ceil")), {Row({0, 2, 3})}},
      {kOp, "halves_down", {four}, To(2, "nearest", "half_pixel", Rounding("round_prefer_floor")), {Row({0, 2})}},
      {kOp, "halves_up", {four}, To(2, "nearest", "half_pixel", Rounding("round_prefer_ceil")), {Row({1, 3})}},
      {kOp, "ceil", {four}, To(8, "nearest", "half_pixel", Rounding("ceil")), {Row({0, 1, 1, 2, 2, 3, 3, 3})}},
      {kOp, "corners_nearest", {four}, To(3, "nearest", "align_corners", Rounding("floor")), {Row({0, 1, 3})}},
      {kOp, "linear", {two}, To(4, "linear", "half_pixel"), {Row({10, 12.5, 17.5, 20})}},
      {kOp,
       "linear_by_default",
       {two},
       {{"mode", std::string("linear")}, {"size", Ints({1, 4})}},
       {Row({10, 12.5, 17.5, 20})}},
      {kOp, "linear_corners", {two}, To(5, "linear", "align_corners"), {Row({10, 12.5, 15, 17.5, 20})}},
      {kOp, "linear_asymmetric", {two}, To(4, "linear", "asymmetric"), {Row({10, 15, 20, 20})}},
      {kOp, "one_of_many", {four}, To(1, "linear", "half_pixel"), {Row({1.5})}},
      {kOp, "one_of_many_in_pytorch", {four}, To(1, "linear", "pytorch_half_pixel"), {Row({0})}},
      {kOp, "one_of_many_by_corners", {four}, To(1, "linear", "align_corners"), {Row({0})}},
      {kOp,
       "scale_other_than_the_sizes",
       {four},
       To(2, "linear", "half_pixel", Scale(0.6)),
       {Row({1.0 / 3, 2})},
       {1e-6, 0}},
      {kOp,
       "scale_about_the_centre",
       {four},
       To(2, "linear", "half_pixel_symmetric", Scale(0.6)),
       {Row({2.0 / 3, 7.0 / 3})},
       {1e-6, 0}},
      {kOp, "scale_by_corners", {four}, To(2, "linear", "align_corners", Scale(0.6)), {Row({0, 15.0 / 7})}, {1e-6, 0}},
      {kOp,
       "large_scale_stays_at_the_first",
       {four},
       To(3, "nearest", "asymmetric", Both(Rounding("floor"), Scale(1e6))),
       {Row({0, 0, 0})}},
      {kOp, "small_scale_ends_at_the_last", {four}, To(3, "linear", "asymmetric", Scale(1e-6)), {Row({0, 3, 3})}},
      {kOp, "cubic", {four}, To(2, "cubic", "half_pixel", cubic), {Row({0.40625, 2.59375})}},
      {kOp,
       "cubic_of_the_other_parameter",
       {four},
       To(2, "cubic", "half_pixel", {{"cubic_a", -0.5}}),
       {Row({0.4375, 2.5625})}},
      {kOp,
       "cubic_without_the_outside",
       {four},
       To(2, "cubic", "half_pixel", {{"cubic_a", -0.5}, {"exclude_outside", true}}),
       {Row({7.0 / 17, 44.0 / 17})},
       {1e-6, 0}},
      {kOp, "cubic_far_behind_the_end", {four}, To(2, "cubic", "asymmetric", Both(cubic, Scale(1e-3))), {Row({0, 3})}},
      {kOp,
       "both_axes",
       {F({1, 2, 2, 2}, {0, 4, 8, 12, 1, 1, 1, 1})},
       {{"mode", std::string("linear")}, {"size", Ints({3, 1})}, {"coordinates", std::string("align_corners")}},
       {F({1, 2, 3, 1}, {0, 4, 8, 1, 1, 1})}},
      {kOp,
       "nan_and_infinity_move",
       {Row({kNan, kInf})},
       To(4, "nearest", "asymmetric", Rounding("floor")),
       {Row({kNan, kNan, kInf, kInf})}},
      {kOp,
       "a_neighbour_without_weight_counts",
       {Row({1, kInf})},
       To(3, "linear", "align_corners"),
       {Row({kNan, kNan, kNan})}},
      {kOp, "no_images", {F({0, 2, 2, 2})}, To(3, "linear", "half_pixel"), {F({0, 2, 1, 3})}},
  };
}

std::vector<OpAnswer> Refusals() {
  const Literal x = F({1, 1, 4, 4});
  const auto refusal = [&](const char* name, Attrs attrs, const char* error) {
    return Refusal(kOp, name, {x}, std::move(attrs), error);
  };
  return {
      Refusal(kOp, "rank", {F({4, 4})}, To(2, "linear", "half_pixel"), "input 'x' has shape [4, 4]; expected rank 4"),
      Refusal(kOp, "i32", {I({1, 1, 4, 4})}, To(2, "linear", "half_pixel"),
              "input 'x' is i32[1, 1, 4, 4]; expected f32"),
      Refusal(kOp, "no_pixels", {F({1, 1, 0, 4})}, To(2, "linear", "half_pixel"),
              "input 'x' has shape [1, 1, 0, 4]; expected images of at least one pixel"),
      refusal("mode", To(2, "area", "half_pixel"),
              "attribute 'mode' is 'area'; expected one of 'nearest', 'linear', 'cubic'"),
      refusal("coordinates", To(2, "linear", "tf_crop_and_resize"),
              "attribute 'coordinates' is 'tf_crop_and_resize'; expected one of 'half_pixel', 'half_pixel_symmetric', "
              "'pytorch_half_pixel', 'align_corners', 'asymmetric'"),
      refusal("no_rounding", To(2, "nearest", "half_pixel"),
              "attribute 'rounding' is missing with mode 'nearest'; expected one"),
      refusal("rounding_of_linear", To(2, "linear", "half_pixel", Rounding("floor")),
              "attribute 'rounding' is given with mode 'linear'; expected none"),
      refusal("rounding", To(2, "nearest", "half_pixel", Rounding("nearest")),
              "attribute 'rounding' is 'nearest'; expected one of 'floor', 'ceil', 'round_prefer_floor', "
              "'round_prefer_ceil'"),
      refusal("no_parameter", To(2, "cubic", "half_pixel"),
              "attribute 'cubic_a' is missing with mode 'cubic'; expected one"),
      refusal("parameter_of_linear", To(2, "linear", "half_pixel", {{"cubic_a", -0.5}}),
              "attribute 'cubic_a' is given with mode 'linear'; expected none"),
      refusal("parameter", To(2, "cubic", "half_pixel", {{"cubic_a", 17.0}}),
              "attribute 'cubic_a' is 17; expected a number from -16 to 16"),
      refusal("outside_of_linear", To(2, "linear", "half_pixel", {{"exclude_outside", true}}),
              "attribute 'exclude_outside' is true with mode 'linear'; expected it with 'cubic' only"),
      refusal("one_scale", To(2, "linear", "half_pixel", {{"scale_w", 2.0}}),
              "one of the attributes 'scale_h' and 'scale_w' is given; expected both or none"),
      refusal("scale_zero", To(2, "linear", "half_pixel", Scale(0)),
              "attribute 'scale_w' is 0; expected a number from 2^-24 to 2^24"),
      refusal("size", {{"mode", std::string("linear")}, {"size", Ints({0, 2})}},
              "attribute 'size' is [0, 2]; expected 2 numbers of at least 1"),
  };
}

}  // namespace

std::vector<OpAnswer> Resize2dAnswers() {
  std::vector<OpAnswer> cases = Answers();
  for (OpAnswer& refusal : Refusals()) cases.push_back(std::move(refusal));
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Resize2d, OpAnswerTest, testing::ValuesIn(Resize2dAnswers()), NameOf);

}  // namespace rml
