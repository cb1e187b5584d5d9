#include "client/cpp/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/graph/safetensors.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

// factors: of the dims that are -1, else 0.
v1::TensorInfo Info(const std::string& name, v1::DType dtype, std::vector<int64_t> shape,
                    std::vector<int64_t> factors = {}) {
  v1::TensorInfo info;
  info.set_name(name);
  info.set_dtype(dtype);
  info.mutable_shape()->Assign(shape.begin(), shape.end());
  info.mutable_row_factors()->Assign(factors.begin(), factors.end());
  return info;
}

TEST(InputFilesTest, RandomInputsFollowTheSeedAndTheRows) {
  const std::vector<v1::TensorInfo> infos = {Info("x", v1::F32, {-1, 3}, {1, 0}), Info("i", v1::I32, {-1}, {64}),
                                             Info("s", v1::F32, {}), Info("f", v1::F32, {3})};
  const auto one = RandomInputs(infos, 2, 7), same = RandomInputs(infos, 2, 7), other = RandomInputs(infos, 2, 8);
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ((*one)[0].tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ((*one)[1].tensor.shape(), (Shape{128}));
  EXPECT_EQ((*one)[2].tensor.shape(), Shape{});
  EXPECT_EQ((*one)[3].tensor.shape(), Shape{3}) << "an older server gives no factors, and none are needed";
  EXPECT_EQ(std::as_const((*one)[0].tensor).data<float>(), std::as_const((*same)[0].tensor).data<float>());
  EXPECT_NE(std::as_const((*one)[0].tensor).data<float>(), std::as_const((*other)[0].tensor).data<float>());
  EXPECT_THAT((*one)[0].tensor.data<float>(), testing::Each(testing::AllOf(testing::Ge(-1), testing::Lt(1))));
  EXPECT_THAT((*one)[1].tensor.data<int32_t>(), testing::Each(testing::AnyOf(0, 1)));
}

TEST(InputFilesTest, DescriptionsThatCannotBe) {
  const int64_t huge = int64_t{1} << 62;
  const struct {
    v1::TensorInfo info;
    const char* error;
  } kCases[] = {
      {Info("x", v1::F32, {-1}), "has no factor for dim 0"},
      {Info("x", v1::F32, {3, -1}, {0, 0}), "has no factor for dim 1"},
      {Info("x", v1::F32, {-1}, {-5}), "has no factor for dim 0"},
      {Info("x", v1::F32, {-1}, {huge}), "too large for 4 rows"},
      {Info("x", v1::F32, {-2}), "has the shape [-2]: "},
      {Info("x", v1::F32, {huge, 4}), "has the shape ["},
      {Info("x", v1::F32, std::vector<int64_t>(9, 1)), "has 9 dims; expected at most 8"},
      {Info("x", v1::I64, {3}), "has type number 3; expected F32 or I32"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = RandomInputs(std::vector{c.info}, 4, 0).status();
    EXPECT_TRUE(absl::IsInternal(status)) << c.error;
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("the server's description of input 'x' "));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(c.error));
  }
}

TEST(InputFilesTest, NumberedTensorsTakeTheModelsNames) {
  const std::vector<v1::TensorInfo> infos = {Info("x", v1::F32, {1}), Info("mask", v1::F32, {1})};
  std::vector<NamedArray> arrays;
  for (const char* name : {"input.1", "x", "other"}) arrays.push_back({name, Tensor()});
  ASSERT_TRUE(UseModelNames(infos, arrays).ok());
  EXPECT_EQ(arrays[0].name, "mask");
  EXPECT_EQ(arrays[1].name, "x");
  EXPECT_EQ(arrays[2].name, "other");  // the server says that the model has no such input
  arrays.clear();
  arrays.push_back({"input.2", Tensor()});
  EXPECT_EQ(UseModelNames(infos, arrays).message(),
            "tensor 'input.2' is one too many; the model's inputs are 'x', 'mask'");
}

TEST(InputFilesTest, GoldenFilesGiveTheirInputsOnly) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("golden.safetensors");
  const Tensor tensor(DType::kF32, {2});
  ASSERT_TRUE(WriteSafetensors(path, {{"input.0", tensor.view()}, {"output.0", tensor.view()}}).ok());
  const auto arrays = ReadInputFile(path);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 1);
  EXPECT_EQ((*arrays)[0].name, "input.0");
}

TEST(InputFilesTest, WhatIsNoFileIsRefusedAtOnce) {
  for (const char* extension : {".npz", ".safetensors"}) {
    const TemporaryFolder temporary;
    const std::string pipe = temporary.Path("pipe") + extension;
    const std::string folder = temporary.Path("folder") + extension;
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    for (const std::string& path : {pipe, folder}) {
      const absl::Status status = ReadInputFile(path).status();
      EXPECT_THAT(std::string(status.message()), testing::EndsWith(std::string(extension) + "' is no regular file"));
    }
  }
}

TEST(InputFilesTest, MissingFilesAreNamed) {
  for (const char* path : {"no/such.npz", "no/such.safetensors"}) {
    const absl::Status status = ReadInputFile(path).status();
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("such."));
  }
}

}  // namespace
}  // namespace rml
