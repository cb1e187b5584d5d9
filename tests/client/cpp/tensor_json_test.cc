#include "client/cpp/tensor_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace rml {
namespace {

std::string Dump(const std::vector<float>& elements) {
  Tensor tensor(DType::kF32, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), tensor.data<float>().begin());
  return ElementsJson(tensor).dump();
}

TEST(TensorJsonTest, FloatsAreShortAndExact) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(Dump({0.1F, 1, -2.5F, 16777216, -0.0F}), "[0.1,1.0,-2.5,16777216.0,-0.0]");
  for (float x : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), 1.0F / 3, 3.4e-38F, 1e10F}) {
    EXPECT_EQ(nlohmann::json::parse(Dump({x}))[0].get<float>(), x) << x;
  }
}

TEST(TensorJsonTest, WhatIsNoNumber) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Dump({std::numeric_limits<float>::quiet_NaN(), inf, -inf}), R"(["NaN","Infinity","-Infinity"])");
}

TEST(TensorJsonTest, Integers) {
  Tensor tensor(DType::kI32, {2, 1});
  tensor.data<int32_t>()[0] = -2147483647 - 1;
  tensor.data<int32_t>()[1] = 2147483647;
  EXPECT_EQ(ElementsJson(tensor).dump(), "[-2147483648,2147483647]");
}

TEST(TensorJsonTest, None) { EXPECT_EQ(Dump({}), "[]"); }

}  // namespace
}  // namespace rml
