#include "loadtest/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rml {
namespace {

std::optional<int> ParseWords(std::vector<const char*> words, CommandLine& line) {
  words.insert(words.begin(), "rml-loadtest");
  return ParseCommandLine(static_cast<int>(words.size()), words.data(), line);
}

TEST(OptionsTest, ModelsWithAndWithoutWeights) {
  CommandLine line;
  ASSERT_EQ(ParseWords({"--model", "a=x/y=z", "--model", "b:2.5=f", "--workers", "3", "--json"}, line), std::nullopt);
  ASSERT_EQ(line.options.models.size(), 2u);
  EXPECT_EQ(line.options.models[0].name, "a");
  EXPECT_EQ(line.options.models[0].golden, "x/y=z");
  EXPECT_EQ(line.options.models[0].weight, 1);
  EXPECT_EQ(line.options.models[1].name, "b");
  EXPECT_EQ(line.options.models[1].weight, 2.5);
  EXPECT_EQ(line.options.workers, 3);
  EXPECT_TRUE(line.json);
}

TEST(OptionsTest, WhatMakesNoSenseIsAUsageError) {
  const std::vector<std::vector<const char*>> cases = {
      {},
      {"--model", "a=f"},                                   // no load
      {"--workers", "1"},                                   // no model
      {"--model", "a=f", "--workers", "1", "--rate", "1"},  // two loads
      {"--model", "a", "--workers", "1"},
      {"--model", "a=", "--workers", "1"},
      {"--model", "=f", "--workers", "1"},
      {"--model", "a:0=f", "--workers", "1"},
      {"--model", "a:x=f", "--workers", "1"},
      {"--model", "a:nan=f", "--workers", "1"},
      {"--model", "a=f", "--workers", "0"},
      {"--model", "a=f", "--rate", "-1"},
      {"--model", "a=f", "--workers", "1", "--ramp-to", "5"},  // a ramp of workers
      {"--model", "a=f", "--rate", "1", "--steps", "5"},       // steps of nothing
  };
  for (const auto& words : cases) {
    CommandLine line;
    EXPECT_EQ(ParseWords(words, line), 2) << testing::PrintToString(words);
  }
}

TEST(OptionsTest, HelpIsFine) {
  CommandLine line;
  EXPECT_EQ(ParseWords({"--help"}, line), 0);
}

}  // namespace
}  // namespace rml
