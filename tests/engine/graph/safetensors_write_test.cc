#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/graph/safetensors.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

TEST(SerializeSafetensors, AlignsEveryTensorAndReadsBack) {
  const float a[] = {1, 2, 3};
  const int32_t b[17] = {4, 5};
  const std::string bytes = SerializeSafetensors({{"a", {DType::kF32, Shape{3}, a}},
                                                  {"none", {DType::kF32, Shape{0, 2}, nullptr}},
                                                  {"b", {DType::kI32, Shape{17, 1}, b}},
                                                  {"c", {DType::kF32, Shape{}, a}}},
                                                 {{"atol", "0.1"}});
  const auto file = SafetensorsFile::Parse(bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  const char* data = bytes.data() + bytes.size() - (64 + 128 + 4);
  EXPECT_EQ((data - bytes.data()) % 64, 0);
  std::vector<std::string> names;
  const char* begin = (*file)->entries()[0].data;
  for (const SafetensorsEntry& entry : (*file)->entries()) {
    names.push_back(entry.name);
    EXPECT_TRUE(entry.dtype == "U8" || (entry.data - begin) % 64 == 0) << entry.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "__pad.0", "none", "b", "__pad.1", "c"}));
  const auto read = ToTensor(*(*file)->Find("b"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->shape(), (Shape{17, 1}));
  EXPECT_EQ(read->data<int32_t>()[1], 5);
  EXPECT_EQ((*file)->metadata(), (std::map<std::string, std::string>{{"atol", "0.1"}}));
}

TEST(SerializeSafetensors, NothingIsAFileToo) {
  const std::string bytes = SerializeSafetensors({});
  EXPECT_EQ(bytes.size(), 64u);
  EXPECT_TRUE(SafetensorsFile::Parse(bytes).ok());
}

TEST(WriteSafetensors, FileIsWhatSerializeGives) {
  const TemporaryFolder folder;
  const float a[] = {1};
  const std::vector<NamedTensor> tensors = {{"a", {DType::kF32, Shape{1}, a}}};
  ASSERT_TRUE(WriteSafetensors(folder.Path("t.safetensors"), tensors).ok());
  EXPECT_EQ(FileBytes(folder.Path("t.safetensors")), SerializeSafetensors(tensors));
}

}  // namespace
}  // namespace rml
