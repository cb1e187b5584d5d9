// Data and comparisons of the step tests.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/engine/ops/step_harness.h"

namespace rml {
namespace {

template <typename T>
Tensor Filled(DType dtype, const Shape& shape, auto&& draw) {
  Tensor tensor(dtype, shape);
  for (T& element : tensor.data<T>()) element = draw();
  return tensor;
}

template <typename T>
Tensor Listed(DType dtype, const Shape& shape, std::initializer_list<T> values) {
  Tensor tensor(dtype, shape);
  EXPECT_EQ(tensor.num_elements(), static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), tensor.data<T>().begin());
  return tensor;
}

}  // namespace

Tensor TestData::Uniform(const Shape& shape, float lo, float hi) {
  std::uniform_real_distribution<float> distribution(lo, hi);
  return Filled<float>(DType::kF32, shape, [&] { return distribution(random_); });
}

Tensor TestData::WholeNumbers(const Shape& shape, int lo, int hi) {
  std::uniform_int_distribution<int> distribution(lo, hi);
  return Filled<float>(DType::kF32, shape, [&] { return static_cast<float>(distribution(random_)); });
}

Tensor TestData::Specials(const Shape& shape) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const float kSpecials[] = {0.0f, -0.0f, 1e-40f, -1e-40f, 3e38f, kInfinity, -kInfinity, std::nanf("")};
  std::uniform_real_distribution<float> distribution(-2, 2);
  return Filled<float>(DType::kF32, shape, [&] {
    return random_() % 4 == 0 ? kSpecials[random_() % std::size(kSpecials)] : distribution(random_);
  });
}

Tensor TestData::Integers(const Shape& shape, int32_t lo, int32_t hi) {
  std::uniform_int_distribution<int32_t> distribution(lo, hi);
  return Filled<int32_t>(DType::kI32, shape, [&] { return distribution(random_); });
}

Tensor F32(const Shape& shape, std::initializer_list<float> values) { return Listed(DType::kF32, shape, values); }
Tensor I32(const Shape& shape, std::initializer_list<int32_t> values) { return Listed(DType::kI32, shape, values); }

AttrValue IntsAttr(std::initializer_list<int64_t> values) { return std::vector<Dim>(values.begin(), values.end()); }
AttrValue IntAttr(int64_t value) { return Dim(value); }
AttrValue StringAttr(std::string value) { return value; }

void ExpectClose(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(ToString(actual.shape()), ToString(expected.shape()));
  if (actual.dtype() == DType::kI32) return ExpectSameBits(actual, expected);
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    const float a = actual.data<float>()[i];
    const float e = expected.data<float>()[i];
    ASSERT_TRUE(WithinTolerance(a, e, tolerance))
        << "element " << i << " of " << ToString(actual.shape()) << ": " << a << ", expected " << e << " (absolute "
        << tolerance.absolute << ", relative " << tolerance.relative << ")";
  }
}

void ExpectSameBits(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(ToString(actual.shape()), ToString(expected.shape()));
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    int32_t a, e;
    std::memcpy(&a, static_cast<const int32_t*>(actual.raw()) + i, sizeof(a));
    std::memcpy(&e, static_cast<const int32_t*>(expected.raw()) + i, sizeof(e));
    if (a == e) continue;
    ASSERT_EQ(actual.dtype(), DType::kF32) << "element " << i << ": " << a << ", expected " << e;
    const float x = actual.data<float>()[i];
    const float y = expected.data<float>()[i];
    ASSERT_TRUE(std::isnan(x) && std::isnan(y))
        << "element " << i << " of " << ToString(actual.shape()) << ": " << std::hexfloat << x << ", expected " << y;
  }
}

}  // namespace rml
