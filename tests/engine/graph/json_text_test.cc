#include "engine/graph/json_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace rml {
namespace {

TEST(JsonNumber, SpelledAsPythonDoes) {
  const std::pair<double, const char*> doubles[] = {{0.0, "0.0"},
                                                    {-0.0, "-0.0"},
                                                    {1, "1.0"},
                                                    {-1.5, "-1.5"},
                                                    {100000, "100000.0"},
                                                    {0.0001, "0.0001"},
                                                    {0.00001, "1e-05"},
                                                    {0.1, "0.1"},
                                                    {1e15, "1000000000000000.0"},
                                                    {1e16, "1e+16"},
                                                    {1e-300, "1e-300"},
                                                    {1e300, "1e+300"},
                                                    {12.5e20, "1.25e+21"},
                                                    {123456.789, "123456.789"}};
  for (const auto& [number, text] : doubles) EXPECT_EQ(JsonNumber(number), text);
  EXPECT_EQ(JsonNumber(0.1f), "0.1");
  EXPECT_EQ(JsonNumber(1e-6f), "1e-06");
  EXPECT_EQ(JsonNumber(16777216.0f), "16777216.0");
  EXPECT_EQ(JsonNumber(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(JsonNumber(std::numeric_limits<float>::max()), "3.4028235e+38");
}

TEST(JsonNumber, ReadsBackExactly) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint32_t bits = random();
    float number;
    std::memcpy(&number, &bits, 4);
    if (number - number != 0) continue;
    EXPECT_EQ(std::strtof(JsonNumber(number).c_str(), nullptr), number) << JsonNumber(number);
    EXPECT_EQ(static_cast<float>(std::strtod(JsonNumber(number).c_str(), nullptr)), number) << JsonNumber(number);
    EXPECT_EQ(std::strtod(JsonNumber(double{number} / 3).c_str(), nullptr), double{number} / 3);
  }
}

// The one float whose shortest text, 7.038531e-26, becomes its neighbour when it is read as a double first.
TEST(JsonNumber, ReadsBackExactlyThroughDouble) {
  for (const float number : {0x1.5c87fap-84F, -0x1.5c87fap-84F}) {
    EXPECT_EQ(static_cast<float>(std::strtod(JsonNumber(number).c_str(), nullptr)), number) << JsonNumber(number);
  }
  EXPECT_EQ(JsonNumber(0x1.5c87fap-84F), "7.038530691851209e-26");
}

TEST(JsonString, EscapesWhatJsonMust) {
  EXPECT_EQ(JsonString("a\"\\\n\x01 \xc3\xa9"), "\"a\\\"\\\\\\n\\u0001 \xc3\xa9\"");
}

TEST(JsonAttr, EveryType) {
  EXPECT_EQ(JsonAttr(Dim(-3)), "-3");
  EXPECT_EQ(JsonAttr(Dim::TimesB(1)), "\"B\"");
  EXPECT_EQ(JsonAttr(2.0), "2.0");
  EXPECT_EQ(JsonAttr(true), "true");
  EXPECT_EQ(JsonAttr(std::string("tanh")), "\"tanh\"");
  EXPECT_EQ(JsonAttr(std::vector<Dim>{Dim::TimesB(64), -1}), "[\"64*B\",-1]");
}

}  // namespace
}  // namespace rml
