#include "client/cpp/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <string>

#include "tests/client/cpp/zip_bytes.h"

namespace rml {
namespace {

using testing::ElementsAre;

template <typename T>
std::string Bytes(std::initializer_list<T> elements) {
  std::string bytes(elements.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), std::data(elements), bytes.size());
  return bytes;
}

TEST(NpyTest, ReadsFloatsIntegersAndWideIntegersThatFit) {
  const auto f =
      ParseNpy(MakeNpy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }  \n", Bytes({0.5f, -2.0f})));
  ASSERT_TRUE(f.ok()) << f.status();
  EXPECT_EQ(f->shape(), (Shape{1, 2}));
  EXPECT_THAT(f->data<float>(), ElementsAre(0.5f, -2.0f));
  EXPECT_THAT(
      ParseNpy(MakeNpy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", Bytes({1, -1}), 2))->data<int32_t>(),
      ElementsAre(1, -1));
  EXPECT_THAT(
      ParseNpy(MakeNpy("{'shape': (), 'fortran_order': True, 'descr': '<i8'}", Bytes({int64_t{-5}})))->data<int32_t>(),
      ElementsAre(-5));
  EXPECT_EQ(ParseNpy(MakeNpy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}", ""))->num_elements(), 0);
}

TEST(NpzTest, NamesComeFromTheMembers) {
  const std::string npy = MakeNpy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", Bytes({1.0f}));
  const auto arrays = ParseNpz(MakeZip({{"x.npy", npy}, {"y.npy", npy, true}}));
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 2);
  EXPECT_EQ((*arrays)[0].name, "x");
  EXPECT_EQ((*arrays)[1].name, "y");
}

struct BadNpy {
  const char* name;
  std::string bytes;
  const char* message;
};

class BadNpyTest : public testing::TestWithParam<BadNpy> {};

TEST_P(BadNpyTest, NamesTheArrayAndWhatIsWrong) {
  const auto arrays = ParseNpz(MakeZip({{"x.npy", GetParam().bytes}}));
  ASSERT_FALSE(arrays.ok());
  EXPECT_THAT(std::string(arrays.status().message()),
              testing::HasSubstr(std::string("array 'x' ") + GetParam().message));
}

std::string WithHeader(const std::string& dictionary) { return MakeNpy(dictionary, "1234"); }
std::string WithShape(const std::string& shape) {
  return WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}");
}
std::string WithType(const std::string& type, const std::string& elements = "1234") {
  return MakeNpy("{'descr': " + type + ", 'fortran_order': False, 'shape': (1,)}", elements);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadNpyTest,
    testing::Values(
        BadNpy{"empty", "", "is not an .npy array"}, BadNpy{"magic", "\x93NUMPX\1\0v\0", "is not an .npy array"},
        BadNpy{"version", MakeNpy("{}", "", 3), "has format version 3; expected 1 or 2"},
        BadNpy{"cut_header", MakeNpy("{'descr'", "").substr(0, 14), "is cut short in its header"},
        BadNpy{"cut_length", MakeNpy("", "", 2).substr(0, 11), "is cut short in its header"},
        BadNpy{"no_dictionary", WithHeader("[]"), "header is damaged"},
        BadNpy{"open_dictionary", WithHeader("{'descr': '<f4'"), "header is damaged"},
        BadNpy{"open_string", WithHeader("{'descr"), "header is damaged"},
        BadNpy{"missing_key", WithHeader("{'descr': '<f4'}"), "header lacks one of"},
        BadNpy{"unknown_key", WithHeader("{'colour': 1}"), "header has the unknown key 'colour'"},
        BadNpy{"order", WithHeader("{'fortran_order': 1}"), "header is damaged"},
        BadNpy{"structured", WithType("[('a', '<f4')]"), "has a structured type"},
        BadNpy{"double", WithType("'<f8'"), "has type '<f8'; expected '<f4', '<i4' or '<i8'"},
        BadNpy{"big_endian", WithType("'>f4'"), "has type '>f4'"}, BadNpy{"object", WithType("'|O'"), "has type '|O'"},
        BadNpy{"too_wide", WithType("'<i8'", Bytes({int64_t{1} << 31})),
               "element 0 is 2147483648; it does not fit in i32"},
        BadNpy{"wide_odd", WithType("'<i8'", "123456789"), "has 9 bytes of elements"},
        BadNpy{"column_major", MakeNpy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234"),
               "is in column-major"},
        BadNpy{"negative_dim", WithShape("(-1,)"), "header is damaged"},
        BadNpy{"open_shape", WithShape("(1, "), "header is damaged"},
        BadNpy{"long_dim", WithShape("(99999999999999999999,)"), "header is damaged"},
        BadNpy{"overflow", WithShape("(4611686018427387904, 4)"), ""},
        BadNpy{"rank", WithShape("(1,1,1,1,1,1,1,1,1)"), "has rank 9; expected at most 8"},
        BadNpy{"few_bytes", WithShape("(2,)"), "has 4 bytes of elements; shape [2] of type '<f4' needs 8"},
        BadNpy{"many_bytes", WithShape("(0,)"), "has 4 bytes of elements; shape [0] of type '<f4' needs 0"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace rml
