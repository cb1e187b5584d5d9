#include "engine/graph/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFour(4, '\0');

std::string Entry(const char* dtype, const char* shape, const char* offsets) {
  return absl::StrCat(R"({"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)", offsets, "}");
}

std::string Header(const std::vector<std::pair<std::string, std::string>>& tensors) {
  std::string header = "{";
  for (const auto& [name, tensor] : tensors) {
    absl::StrAppend(&header, header.size() > 1 ? "," : "", "\"", name, "\":", tensor);
  }
  return header.append("}");
}

std::string A(const std::string& tensor) { return Header({{"a", tensor}}); }

struct Case {
  const char* name;  // the rule
  std::string file;
  const char* message;  // part of the error; nullptr: accepted
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RuleTest : public testing::TestWithParam<Case> {};

TEST_P(RuleTest, IsKept) {
  const auto file = SafetensorsFile::Parse(GetParam().file);
  if (GetParam().message == nullptr) {
    EXPECT_TRUE(file.ok()) << file.status();
  } else {
    ASSERT_FALSE(file.ok());
    EXPECT_TRUE(absl::IsInvalidArgument(file.status()));
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(GetParam().message));
  }
}

std::string WithLength(uint64_t length, const std::string& rest) {
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + rest;
}

// N nested lists as the value of an extra key.
std::string Nested(int levels) {
  return R"({"a":{"x":)" + std::string(levels, '[') + std::string(levels, ']') +
         R"(,"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
}

std::string TenOnOneRange() {
  std::string header = "{";
  for (int i = 0; i < 10; ++i) absl::StrAppend(&header, "\"t", i, "\":", Entry("F32", "[1]", "[0,4]"), ",");
  header.back() = '}';
  return header;
}

const Case kHeader[] = {
    {"FileEmpty", "", "has 0 bytes; expected at least 8"},
    {"FileOfSevenBytes", std::string(7, '\0'), "has 7 bytes; expected at least 8"},
    {"HeaderOfNoBytes", WithLength(0, ""), "header: not valid JSON"},
    {"HeaderTooLarge", WithLength(100'000'001, std::string(64, ' ')),
     "header length is 100000001; expected at most 100000000"},
    {"HeaderBeyondFile", WithLength(3, "{}"), "header length is 3; expected at most 2, the bytes after it"},
    {"HeaderLengthWraps", WithLength(UINT64_MAX, "{}"), "header length is 18446744073709551615"},
    {"HeaderLengthWrapsPlusEight", WithLength(UINT64_MAX - 7, "{}"), "header length is 18446744073709551608"},
    {"NotUtf8", SafetensorsBytes("{\"\xff\":1}"), "header: not valid JSON"},
    {"NotJson", SafetensorsBytes("{x}"), "header: not valid JSON"},
    {"List", SafetensorsBytes("[]"), "header is no JSON object"},
    {"Null", SafetensorsBytes("null"), "header is no JSON object"},
    {"ByteOrderMark", SafetensorsBytes("\xef\xbb\xbf{}"), "a byte order mark"},
    {"NulAfterJson", SafetensorsBytes(std::string("{}\0", 3)), "a NUL"},
    {"Empty", SafetensorsBytes("{}"), nullptr},
    {"WhitespaceAround", SafetensorsBytes(" \t\r\n{} \t\r\n"), nullptr},
    {"FormFeed", SafetensorsBytes("{}\f"), "header: not valid JSON"},
    {"DepthOf127", SafetensorsBytes(Nested(125), kFour), nullptr},
    {"DepthOf128", SafetensorsBytes(Nested(126), kFour), "nested deeper than 127 levels"},
    {"NumberTooLarge", SafetensorsBytes(R"({"a":{"x":1e999}})"), "number '1e999' is out of range"},
    {"NumberBeyondTheReadersRange", SafetensorsBytes(R"({"a":{"x":1e9999}})"), "header: not valid JSON"},
    {"NumberTooLargeInTheReferencesArithmetic", SafetensorsBytes(R"({"a":{"x":1.7976931348623158e308}})"),
     "number '1.7976931348623158e308' is out of range"},
};
INSTANTIATE_TEST_SUITE_P(Header, RuleTest, testing::ValuesIn(kHeader), testing::PrintToStringParamName());

const Case kTensors[] = {
    {"One", SafetensorsBytes(A(Entry("F32", "[1]", "[0,4]")), kFour), nullptr},
    {"RankZero", SafetensorsBytes(A(Entry("F32", "[]", "[0,4]")), kFour), nullptr},
    {"ZeroSize", SafetensorsBytes(A(Entry("F32", "[2,0]", "[0,0]"))), nullptr},
    {"ZeroSizeOfHugeDims", SafetensorsBytes(A(Entry("F32", "[0,18446744073709551615]", "[0,0]"))), nullptr},
    {"ExtraKey", SafetensorsBytes(R"({"a":{"note":{"by":[1]},"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", kFour),
     nullptr},
    {"HeaderOrderIsFree",
     SafetensorsBytes(Header({{"b", Entry("U8", "[2]", "[2,4]")}, {"a", Entry("U8", "[2]", "[0,2]")}}), kFour),
     nullptr},
    {"EmptyName", SafetensorsBytes(Header({{"", Entry("F32", "[1]", "[0,4]")}}), kFour), nullptr},
    {"NoObject", SafetensorsBytes(R"({"a":null})"), "tensor 'a': is neither an object nor a list of dtype, shape and"},
    {"ListForm", SafetensorsBytes(R"({"a":["F32",[1],[0,4]]})", kFour), nullptr},
    {"ListTooShort", SafetensorsBytes(R"({"a":["F32",[1]]})", kFour), "tensor 'a': is neither an object nor a list"},
    {"ListTooLong", SafetensorsBytes(R"({"a":["F32",[1],[0,4],0]})", kFour), "is neither an object nor a list"},
    {"NoDtype", SafetensorsBytes(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", kFour), "has no 'dtype'"},
    {"DtypeTwice", SafetensorsBytes(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", kFour),
     "'dtype' is given twice"},
    {"OtherKeyTwice",
     SafetensorsBytes(R"({"a":{"x":0,"x":{"y":1,"y":2},"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", kFour),
     nullptr},
    {"DtypeNumber", SafetensorsBytes(R"({"a":{"dtype":0,"shape":[1],"data_offsets":[0,4]}})", kFour),
     "has no string 'dtype'"},
    {"DtypeAsObject", SafetensorsBytes(R"({"a":{"dtype":{"F32":null},"shape":[1],"data_offsets":[0,4]}})", kFour),
     nullptr},
    {"DtypeAsObjectOfNoNull", SafetensorsBytes(R"({"a":{"dtype":{"F32":{}},"shape":[1],"data_offsets":[0,4]}})", kFour),
     "has no string 'dtype'"},
    {"DtypeAsObjectOfTwo",
     SafetensorsBytes(R"({"a":{"dtype":{"F32":null,"F32":null},"shape":[1],"data_offsets":[0,4]}})", kFour),
     "has no string 'dtype'"},
    {"UnknownDtype", SafetensorsBytes(A(Entry("F33", "[1]", "[0,4]")), kFour), "dtype 'F33' is none"},
    {"NoShape", SafetensorsBytes(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", kFour), "has no 'shape'"},
    {"ShapeNoList", SafetensorsBytes(A(Entry("F32", "1", "[0,4]")), kFour), "'shape' is no list"},
    {"NegativeDim", SafetensorsBytes(A(Entry("F32", "[-1]", "[0,4]")), kFour), "'shape' holds '-1'"},
    {"MinusZeroDim", SafetensorsBytes(A(Entry("F32", "[-0]", "[0,0]"))), "'shape' holds"},
    {"FractionalDim", SafetensorsBytes(A(Entry("F32", "[1.0]", "[0,4]")), kFour), "'shape' holds '1.0'"},
    {"DimBeyond64Bits", SafetensorsBytes(A(Entry("F32", "[18446744073709551616,0]", "[0,0]"))), "'shape' holds"},
    {"OneOffset", SafetensorsBytes(A(Entry("F32", "[1]", "[4]")), kFour), "'data_offsets' has 1 numbers; expected 2"},
    {"ThreeOffsets", SafetensorsBytes(A(Entry("F32", "[1]", "[0,4,4]")), kFour), "has 3 numbers"},
    {"OffsetsReversed", SafetensorsBytes(A(Entry("F32", "[0]", "[4,0]")), kFour), "data_offsets are [4, 0]"},
    {"EndBeforeBegin",
     SafetensorsBytes(Header({{"a", Entry("F32", "[1]", "[0,4]")}, {"b", Entry("F32", "[0]", "[4,3]")}}), kFour),
     "data_offsets are [4, 3]"},
    {"FirstNotAtZero", SafetensorsBytes(A(Entry("F32", "[1]", "[4,8]")), kFour + kFour), "expected to begin at 0"},
    {"Gap", SafetensorsBytes(Header({{"a", Entry("U8", "[1]", "[0,1]")}, {"b", Entry("U8", "[1]", "[3,4]")}}), kFour),
     "tensor 'b': data_offsets are [3, 4]; expected to begin at 1"},
    {"Overlap",
     SafetensorsBytes(Header({{"a", Entry("U8", "[3]", "[0,3]")}, {"b", Entry("U8", "[2]", "[2,4]")}}), kFour),
     "expected to begin at 3"},
    {"TenOnOneRange", SafetensorsBytes(TenOnOneRange(), kFour), "expected to begin at 4"},
    {"SpanTooShort", SafetensorsBytes(A(Entry("F32", "[2]", "[0,4]")), kFour), "span 4 bytes; expected 8 for F32[2]"},
    {"SpanTooLong", SafetensorsBytes(A(Entry("U8", "[2]", "[0,4]")), kFour), "span 4 bytes; expected 2"},
    {"CountWrapsToZero", SafetensorsBytes(A(Entry("F32", "[4294967296,4294967296]", "[0,0]"))), "64 bits can count"},
    {"CountWraps", SafetensorsBytes(A(Entry("F32", "[2,18446744073709551614]", "[0,4]")), kFour), "64 bits can count"},
    {"BitsWrap", SafetensorsBytes(A(Entry("F32", "[576460752303423488]", "[0,0]"))), "64 bits can count"},
    {"OffsetsBeyondFile", SafetensorsBytes(A(Entry("F32", "[2]", "[0,8]")), kFour),
     "tensors end at byte 8 of the data; expected 4"},
    {"TrailingBytes", SafetensorsBytes(A(Entry("F32", "[1]", "[0,4]")), kFour + "x"),
     "tensors end at byte 4 of the data; expected 5"},
    {"BytesWithoutTensors", SafetensorsBytes("{}", "x"), "tensors end at byte 0"},
    {"HalfAByte", SafetensorsBytes(A(Entry("F4", "[1]", "[0,1]")), "x"), "do not end on a byte"},
    {"TwoHalfBytes", SafetensorsBytes(A(Entry("F4", "[2]", "[0,1]")), "x"), nullptr},
    {"NameTwice",
     SafetensorsBytes(Header({{"a", Entry("F64", "[7]", "[3,1]")}, {"a", Entry("F32", "[1]", "[0,4]")}}), kFour),
     nullptr},
    {"NameTwiceLastWrong",
     SafetensorsBytes(Header({{"a", Entry("F32", "[1]", "[0,4]")}, {"a", Entry("F64", "[7]", "[3,1]")}}), kFour),
     "tensor 'a': data_offsets are [3, 1]"},
    {"NameTwiceFirstMalformed", SafetensorsBytes(Header({{"a", "1"}, {"a", Entry("F32", "[1]", "[0,4]")}}), kFour),
     "tensor 'a': is neither an object nor a list"},
    {"NameTwiceFirstOfUnknownDtype",
     SafetensorsBytes(Header({{"a", Entry("F33", "[1]", "[0,4]")}, {"a", Entry("F32", "[1]", "[0,4]")}}), kFour),
     "dtype 'F33' is none"},
};
INSTANTIATE_TEST_SUITE_P(Tensors, RuleTest, testing::ValuesIn(kTensors), testing::PrintToStringParamName());

const Case kMetadata[] = {
    {"Strings", SafetensorsBytes(R"({"__metadata__":{"a":"b"}})"), nullptr},
    {"Null", SafetensorsBytes(R"({"__metadata__":null})"), nullptr},
    {"List", SafetensorsBytes(R"({"__metadata__":[]})"), "'__metadata__' is no object"},
    {"Number", SafetensorsBytes(R"({"__metadata__":{"a":1}})"), "key 'a' holds no string"},
    {"NullInside", SafetensorsBytes(R"({"__metadata__":{"a":null}})"), "key 'a' holds no string"},
    {"KeyTwice", SafetensorsBytes(R"({"__metadata__":{"a":"b","a":"c"}})"), nullptr},
    {"KeyTwiceFirstNumber", SafetensorsBytes(R"({"__metadata__":{"a":1,"a":"c"}})"), "key 'a' holds no string"},
    {"Twice", SafetensorsBytes(R"({"__metadata__":{},"__metadata__":{}})"), "'__metadata__' is given twice"},
    {"TwiceNull", SafetensorsBytes(R"({"__metadata__":null,"__metadata__":null})"), "'__metadata__' is given twice"},
};
INSTANTIATE_TEST_SUITE_P(Metadata, RuleTest, testing::ValuesIn(kMetadata), testing::PrintToStringParamName());

TEST(Safetensors, KnowsEveryDtypeOfTheFormat) {
  const std::pair<const char*, int> bytes_of_eight[] = {
      {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
      {"F8_E5M2", 8},     {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F8_E4M3FNUZ", 8},
      {"F8_E5M2FNUZ", 8}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32}, {"F32", 32},
      {"C64", 64},        {"F64", 64},    {"I64", 64},    {"U64", 64}};
  for (const auto& [dtype, bytes] : bytes_of_eight) {
    const std::string offsets = absl::StrCat("[0,", bytes, "]");
    const auto file = SafetensorsFile::Parse(
        SafetensorsBytes(Header({{"a", Entry(dtype, "[8]", offsets.c_str())}}), std::string(bytes, 'x')));
    ASSERT_TRUE(file.ok()) << dtype << ": " << file.status();
    EXPECT_EQ((*file)->entries()[0].size_bytes, bytes);
    EXPECT_EQ(ToTensor((*file)->entries()[0]).ok(), std::string(dtype) == "F32" || std::string(dtype) == "I32");
  }
}

TEST(Safetensors, EntriesAreInOffsetOrderAndFoundByName) {
  const std::string header = Header(
      {{"b", Entry("U8", "[1,3]", "[1,4]")}, {"a", Entry("U8", "[1]", "[0,1]")}, {"__metadata__", R"({"k":"v"})"}});
  const auto file = SafetensorsFile::Parse(SafetensorsBytes(header, "wxyz"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ((*file)->entries().size(), 2u);
  EXPECT_EQ((*file)->entries()[0].name, "a");
  const SafetensorsEntry* b = (*file)->Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(std::string(b->data, b->size_bytes), "xyz");
  EXPECT_THAT(b->shape, ElementsAre(1, 3));
  EXPECT_EQ((*file)->Find("__metadata__"), nullptr);
  EXPECT_EQ((*file)->metadata().at("k"), "v");
}

TEST(Safetensors, TheLastOfSeveralCounts) {
  const std::string header = R"({"__metadata__":{"k":"1","k":"2"},)"
                             R"("a":{"dtype":"I32","shape":[9],"data_offsets":[7,8]},"b":["U8",[2],[0,2]],)"
                             R"("a":{"dtype":{"I16":null},"shape":[1],"data_offsets":[2,4]}})";
  const auto file = SafetensorsFile::Parse(SafetensorsBytes(header, "wxyz"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->metadata().at("k"), "2");
  ASSERT_EQ((*file)->entries().size(), 2u);
  EXPECT_EQ((*file)->entries()[0].name, "b");
  const SafetensorsEntry& a = (*file)->entries()[1];
  EXPECT_EQ(a.dtype, "I16");
  EXPECT_EQ(std::string(a.data, a.size_bytes), "yz");
  EXPECT_EQ((*file)->Find("a"), &a);
}

TEST(Safetensors, ToTensorRefusesWhatTheEngineCannotHold) {
  const auto parse = [](const char* shape) {
    return *SafetensorsFile::Parse(SafetensorsBytes(A(Entry("F32", shape, "[0,0]"))));
  };
  EXPECT_THAT(std::string(ToTensor(parse("[1,1,1,1,1,1,1,1,0]")->entries()[0]).status().message()),
              HasSubstr("has rank 9; expected at most 8"));
  EXPECT_FALSE(ToTensor(parse("[0,18446744073709551615]")->entries()[0]).ok());
  const auto tensor = ToTensor(parse("[3,0]")->entries()[0]);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->shape(), (Shape{3, 0}));
}

TEST(Safetensors, ErrorsOfFilesNameTheLastPathComponent) {
  const TemporaryFolder folder;
  const auto missing = SafetensorsFile::Open(folder.Path("w.safetensors"));
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(missing.status().message(), "opening file 'w.safetensors': No such file or directory");
  const auto bad = SafetensorsFile::Open(folder.Write("w.safetensors", "short"));
  EXPECT_EQ(bad.status().message(), "file 'w.safetensors': has 5 bytes; expected at least 8");
}

// Every cut and every changed byte is answered, never a crash or a read outside; sanitizers watch.
TEST(Safetensors, AnyDamageIsAnswered) {
  const std::string good =
      SafetensorsBytes(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"I32","shape":[],"data_offsets":[8,12]}})",
                       std::string(12, 'd'));
  ASSERT_TRUE(SafetensorsFile::Parse(good).ok());
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(SafetensorsFile::Parse(good.substr(0, size)).ok());
  for (size_t at = 0; at < good.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(value);
      const auto file = SafetensorsFile::Parse(damaged);
      if (!file.ok()) continue;
      for (const SafetensorsEntry& entry : (*file)->entries()) (void)ToTensor(entry);
    }
  }
}

}  // namespace
}  // namespace rml
