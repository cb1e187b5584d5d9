#include "engine/ops/resize_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/ops/infer_checks.h"

namespace rml {
namespace {

constexpr std::array<const char*, 2> kScales = {"scale_h", "scale_w"};

absl::Status CheckChoice(const OpAttrs& attrs, const char* name, const std::vector<std::string>& choices) {
  const std::string& given = attrs.String(name);
  if (std::find(choices.begin(), choices.end(), given) != choices.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("attribute '%s' is '%s'; expected one of '%s'", name, given, absl::StrJoin(choices, "', '")));
}

// An attribute that belongs to one mode: there with it, not there without.
absl::Status CheckBelongs(const OpAttrs& attrs, const char* name, const char* mode) {
  const bool expected = attrs.String("mode") == mode;
  if (attrs.Has(name) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("attribute '%s' is %s with mode '%s'; expected %s", name,
                                                    expected ? "missing" : "given", attrs.String("mode"),
                                                    expected ? "one" : "none"));
}

absl::Status CheckScales(const OpAttrs& attrs) {
  if (attrs.Has("scale_h") != attrs.Has("scale_w")) {
    return absl::InvalidArgumentError("one of the attributes 'scale_h' and 'scale_w' is given; expected both or none");
  }
  if (!attrs.Has("scale_h")) return absl::OkStatus();
  for (const char* name : kScales) {
    const double scale = attrs.Float(name);
    if (scale >= 0x1p-24 && scale <= 0x1p24) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute '%s' is %g; expected a number from 2^-24 to 2^24", name, scale));
  }
  return absl::OkStatus();
}

// Positions in the input, in f32.
class Coordinates {
 public:
  Coordinates(const OpAttrs& attrs, int axis, int64_t input, int64_t output) : kind_(attrs.String("coordinates")) {
    const auto in = static_cast<float>(input), out = static_cast<float>(output);
    const bool scaled = attrs.Has(kScales[axis]);
    one_ = output == 1;
    if (kind_ == "align_corners") {
      const float length = scaled ? in * static_cast<float>(attrs.Float(kScales[axis])) : out;
      step_ = length == 1.0f ? 0.0f : (in - 1.0f) / (length - 1.0f);
    } else {
      step_ = scaled ? static_cast<float>(1.0 / attrs.Float(kScales[axis])) : in / out;
    }
    if (kind_ == "half_pixel_symmetric") shift_ = in * 0.5f * (1.0f - out * step_ / in);
  }

  float At(int64_t output) const {
    const auto o = static_cast<float>(output);
    if (kind_ == "asymmetric" || kind_ == "align_corners") return o * step_;
    if (kind_ == "pytorch_half_pixel" && one_) return 0.0f;
    return (o + 0.5f) * step_ - 0.5f + shift_;
  }

 private:
  std::string kind_;
  bool one_ = false;
  float step_ = 1.0f;
  float shift_ = 0.0f;
};

float Rounded(float position, const std::string& rounding) {
  if (rounding == "floor") return std::floor(position);
  if (rounding == "ceil") return std::ceil(position);
  return rounding == "round_prefer_floor" ? std::ceil(position - 0.5f) : std::floor(position + 0.5f);
}

int64_t Held(int64_t index, int64_t input) { return std::clamp<int64_t>(index, 0, input - 1); }

void AddNearest(float position, int64_t input, const std::string& rounding, ResizeAxis& axis) {
  const float rounded = std::clamp(Rounded(position, rounding), 0.0f, static_cast<float>(input));
  axis.index.push_back(Held(static_cast<int64_t>(rounded), input));
  axis.weight.push_back(1.0f);
}

void AddLinear(float position, int64_t input, ResizeAxis& axis) {
  const float inside = std::clamp(position, 0.0f, static_cast<float>(input - 1));
  const int64_t first = Held(static_cast<int64_t>(inside), input);
  const float fraction = inside - static_cast<float>(first);
  axis.index.insert(axis.index.end(), {first, Held(first + 1, input)});
  axis.weight.insert(axis.weight.end(), {1.0f - fraction, fraction});
}

// The convolution kernel of the cubic with parameter a, for distances up to 1 and from 1 to 2.
double Near(double a, double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; }
double Far(double a, double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; }

void AddCubic(float position, int64_t input, double a, bool exclude_outside, ResizeAxis& axis) {
  // From two before the image and one behind it all taps lie at the edge.
  const float near = std::clamp(position, -2.0f, static_cast<float>(input) + 1.0f);
  const float base = std::floor(near);
  const double t = near - base;
  std::array<double, 4> weights = {Far(a, t + 1), Near(a, t), Near(a, 1 - t), Far(a, 2 - t)};
  const int64_t first = static_cast<int64_t>(base) - 1;
  if (exclude_outside) {
    std::array<double, 4> inside = weights;
    double sum = 0;
    for (int64_t k = 0; k < 4; ++k) {
      if (first + k < 0 || first + k >= input) inside[k] = 0;
      sum += inside[k];
    }
    for (int64_t k = 0; k < 4 && sum != 0; ++k) weights[k] = inside[k] / sum;
  }
  for (int64_t k = 0; k < 4; ++k) {
    axis.index.push_back(Held(first + k, input));
    axis.weight.push_back(static_cast<float>(weights[k]));
  }
}

}  // namespace

absl::Status CheckResizeAttrs(const OpAttrs& attrs) {
  RETURN_IF_ERROR(CheckChoice(attrs, "mode", {"nearest", "linear", "cubic"}));
  RETURN_IF_ERROR(
      CheckChoice(attrs, "coordinates",
                  {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"}));
  RETURN_IF_ERROR(CheckBelongs(attrs, "rounding", "nearest"));
  if (attrs.Has("rounding")) {
    RETURN_IF_ERROR(CheckChoice(attrs, "rounding", {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}));
  }
  RETURN_IF_ERROR(CheckBelongs(attrs, "cubic_a", "cubic"));
  if (attrs.Has("cubic_a") && !(std::fabs(attrs.Float("cubic_a")) <= 16)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute 'cubic_a' is %g; expected a number from -16 to 16", attrs.Float("cubic_a")));
  }
  if (attrs.Bool("exclude_outside") && attrs.String("mode") != "cubic") {
    return absl::InvalidArgumentError(absl::StrFormat(
        "attribute 'exclude_outside' is true with mode '%s'; expected it with 'cubic' only", attrs.String("mode")));
  }
  RETURN_IF_ERROR(CheckScales(attrs));
  return CheckList(attrs.Ints("size"), 2, 1, "size");
}

ResizeAxis MakeResizeAxis(const OpAttrs& attrs, int axis_number, int64_t input) {
  const std::string& mode = attrs.String("mode");
  const int64_t output = attrs.Ints("size")[axis_number];
  const Coordinates coordinates(attrs, axis_number, input, output);
  ResizeAxis axis;
  axis.taps = mode == "nearest" ? 1 : mode == "linear" ? 2 : 4;
  axis.index.reserve(output * axis.taps);
  axis.weight.reserve(output * axis.taps);
  for (int64_t o = 0; o < output; ++o) {
    const float position = coordinates.At(o);
    if (mode == "nearest") {
      AddNearest(position, input, attrs.String("rounding"), axis);
    } else if (mode == "linear") {
      AddLinear(position, input, axis);
    } else {
      AddCubic(position, input, attrs.Float("cubic_a"), attrs.Bool("exclude_outside"), axis);
    }
  }
  return axis;
}

}  // namespace rml
