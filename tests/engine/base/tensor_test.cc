#include "engine/base/tensor.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/base/dtype.h"

namespace rml {
namespace {

TEST(DType, NamesBothWays) {
  EXPECT_STREQ(DTypeName(DType::kF32), "f32");
  EXPECT_STREQ(DTypeName(DType::kI32), "i32");
  EXPECT_EQ(ParseDType("f32"), DType::kF32);
  EXPECT_EQ(ParseDType("i32"), DType::kI32);
  for (const char* name : {"", "F32", "f64", "i64", "f32 "}) EXPECT_EQ(ParseDType(name), std::nullopt) << name;
}

TEST(Tensor, StartsAsZeros) {
  const Tensor tensor(DType::kI32, Shape{2, 3});
  EXPECT_EQ(tensor.num_elements(), 6);
  for (int32_t element : tensor.data<int32_t>()) EXPECT_EQ(element, 0);
}

TEST(Tensor, DefaultIsEmpty) {
  const Tensor tensor;
  EXPECT_EQ(tensor.num_elements(), 0);
  EXPECT_EQ(tensor.capacity_bytes(), 0);
}

TEST(Tensor, ResizeKeepsTheBufferWhenItIsLargeEnough) {
  Tensor tensor(DType::kF32, Shape{4, 4});
  const void* const data = tensor.raw();
  tensor.Resize(DType::kI32, Shape{2, 3});
  EXPECT_EQ(tensor.raw(), data);
  EXPECT_EQ(tensor.dtype(), DType::kI32);
  EXPECT_EQ(tensor.data<int32_t>().size(), 6u);
  EXPECT_EQ(tensor.capacity_bytes(), 64);
  tensor.Resize(DType::kF32, Shape{17});
  EXPECT_EQ(tensor.capacity_bytes(), 68);
}

TEST(Tensor, CopiesAreIndependent) {
  Tensor tensor(DType::kF32, Shape{2});
  tensor.data<float>()[1] = 5;
  Tensor copy = tensor.Clone();
  tensor.data<float>()[1] = 6;
  EXPECT_EQ(copy.shape(), Shape{2});
  EXPECT_EQ(copy.data<float>()[1], 5);
  const Tensor empty = Tensor::Copy({DType::kF32, Shape{0, 5}, nullptr});
  EXPECT_EQ(empty.shape(), (Shape{0, 5}));
}

TEST(Tensor, ViewsAreOfTheTensorsThemselves) {
  EXPECT_TRUE(Views({}).empty());
  std::vector<Tensor> tensors;
  tensors.emplace_back(DType::kI32, Shape{2});
  tensors.emplace_back(DType::kF32, Shape{0, 3});
  const std::vector<ConstTensorView> views = Views(tensors);
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].dtype, DType::kI32);
  EXPECT_EQ(views[0].data, tensors[0].raw());
  EXPECT_EQ(views[1].shape, (Shape{0, 3}));
}

TEST(Tensor, BuffersGoOutAndIn) {
  Tensor tensor(DType::kF32, Shape{8});
  const void* const data = tensor.raw();
  Buffer buffer = tensor.ReleaseBuffer();
  EXPECT_EQ(buffer.data(), data);
  EXPECT_EQ(tensor.num_elements(), 0);
  EXPECT_EQ(tensor.capacity_bytes(), 0);
  tensor.Adopt(DType::kI32, Shape{3}, std::move(buffer));
  EXPECT_EQ(tensor.raw(), data);
  EXPECT_EQ(tensor.view().data, data);
  EXPECT_EQ(tensor.view().shape, Shape{3});
  EXPECT_EQ(tensor.capacity_bytes(), 32);
}

}  // namespace
}  // namespace rml
