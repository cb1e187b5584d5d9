#include "server/config/model_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace rml {
namespace {

using testing::ElementsAre;

ModelConfig Parse(std::string_view text) {
  const absl::StatusOr<ModelConfig> config = ParseModelConfig(text);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *config : ModelConfig();
}

// The error, after checking that protobuf wrote nothing of its own.
std::string Error(std::string_view text) {
  testing::internal::CaptureStderr();
  const absl::Status status = ParseModelConfig(text).status();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
  return std::string(status.message());
}

std::vector<int64_t> Values(const std::vector<Placed<int64_t>>& placed) {
  std::vector<int64_t> values;
  for (const auto& one : placed) values.push_back(one.value);
  return values;
}

TEST(ModelConfigTest, NothingSaid) {
  for (const char* text : {"", "\n", "# only a comment\n"}) {
    const ModelConfig config = Parse(text);
    EXPECT_EQ(config.version_policy.kind, VersionPolicy::Kind::kLatest);
    EXPECT_EQ(config.version_policy.num_versions, 1);
    EXPECT_FALSE(config.instances || config.threads || config.queue_limit || config.default_timeout_seconds ||
                 config.max_rows || !config.warm_up_rows.empty());
  }
}

TEST(ModelConfigTest, AllFields) {
  const ModelConfig config = Parse(
      "instances: 2\n"
      "threads: 3 # of them\n"
      "queue_limit: 4; default_timeout_seconds: 0.5,\n"
      "\tmax_rows: 64\n"
      "warm_up_rows: [1, 8]\n"
      "warm_up_rows: 64\n"
      "version_policy { latest { num_versions: 5 } }");
  EXPECT_EQ(config.instances, 2);
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.queue_limit, 4u);
  EXPECT_EQ(config.default_timeout_seconds, 0.5);
  EXPECT_EQ(config.max_rows->value, 64);
  EXPECT_EQ(config.max_rows->place, "config.textproto:4:9");
  EXPECT_THAT(Values(config.warm_up_rows), ElementsAre(1, 8, 64));
  EXPECT_EQ(config.version_policy.num_versions, 5);
}

TEST(ModelConfigTest, VersionPolicies) {
  EXPECT_EQ(Parse("version_policy { latest {} }").version_policy.num_versions, 1);
  EXPECT_EQ(Parse("version_policy: < all: {} >").version_policy.kind, VersionPolicy::Kind::kAll);
  const VersionPolicy specific = Parse("version_policy { specific { versions: 7\nversions: 3 } }").version_policy;
  EXPECT_EQ(specific.kind, VersionPolicy::Kind::kSpecific);
  EXPECT_THAT(Values(specific.versions), ElementsAre(7, 3));
  EXPECT_EQ(specific.versions[1].place, "config.textproto:2:1");
}

TEST(ModelConfigTest, Bounds) {
  Parse("instances: 1 threads: 1 queue_limit: 1 default_timeout_seconds: 0 max_rows: 1 warm_up_rows: 1");
  Parse("instances: 1024 threads: 1024 queue_limit: 1000000 default_timeout_seconds: 1e6");
  Parse("max_rows: 9223372036854775807 warm_up_rows: 9223372036854775807");
  Parse("warm_up_rows: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]");
  Parse("version_policy { latest { num_versions: 1000 } }");
  Parse(std::string(kMaxModelConfigBytes, ' '));
}

constexpr char kFields[] =
    "version_policy, instances, threads, queue_limit, default_timeout_seconds, max_rows, warm_up_rows";

struct Case {
  const char* text;
  std::string error;  // after "config.textproto:"
};

class ModelConfigErrorTest : public testing::TestWithParam<Case> {};

TEST_P(ModelConfigErrorTest, SaysWhereWhatCameAndWhatWasExpected) {
  EXPECT_EQ(Error(GetParam().text), "config.textproto:" + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Names, ModelConfigErrorTest,
    testing::Values(Case{"instnces: 2", std::string("1:1: there is no field 'instnces'; expected one of ") + kFields},
                    Case{"threads: 1\n\tInstances: 2",
                         std::string("2:9: there is no field 'Instances'; expected one of ") + kFields},
                    Case{"version_policy { latest { num_version: 2 } }",
                         "1:27: there is no field 'num_version'; expected one of num_versions"},
                    Case{"version_policy { all { x: 2 } }", "1:24: there is no field 'x'; expected none"},
                    Case{"[foo.bar]: 3",
                         std::string("1:2: there is no extension 'foo.bar'; expected one of ") + kFields},
                    Case{"2: 3", "1:1: got '2'; expected identifier"},
                    Case{"instances: 2 instances: 3", "1:14: field 'instances' is given twice; expected it once"},
                    Case{"version_policy { all {} }\nversion_policy { all {} }",
                         "2:1: field 'version_policy' is given twice; expected it once"},
                    Case{"version_policy { latest {} all {} }",
                         "1:28: field 'all' is given beside 'latest'; expected one of them"}));

INSTANTIATE_TEST_SUITE_P(
    Values, ModelConfigErrorTest,
    testing::Values(Case{"instances: 2.0", "1:12: got '2.0'; expected integer"},
                    Case{"instances: \"2\"", "1:12: got '\"2\"'; expected integer"},
                    Case{"instances: true", "1:12: got 'true'; expected integer"},
                    Case{"instances: [2]", "1:12: got '['; expected integer"},
                    Case{"instances: 99999999999999999999",
                         "1:12: 99999999999999999999 does not fit in 64 bits; expected a smaller integer"},
                    Case{"instances\"\x1e, got: \"", "1:10: got '\"\\x1e, got: \"'; expected \":\""},
                    Case{"default_timeout_seconds: abc", "1:26: got 'abc'; expected double"},
                    Case{"version_policy: 3", "1:17: got '3'; expected \"{\""},
                    Case{"warm_up_rows: [1 2]", "1:18: got '2'; expected \",\""},
                    Case{"warm_up_rows: [1, ]", "1:19: got ']'; expected integer"}));

INSTANTIATE_TEST_SUITE_P(
    Bounds, ModelConfigErrorTest,
    testing::Values(
        Case{"instances: 0", "1:1: instances is 0; expected 1 to 1024"},
        Case{"\n  instances: 1025", "2:3: instances is 1025; expected 1 to 1024"},
        Case{"threads: -1", "1:1: threads is -1; expected 1 to 1024"},
        Case{"queue_limit: 1000001", "1:1: queue_limit is 1000001; expected 1 to 1000000"},
        Case{"default_timeout_seconds: -0.5", "1:1: default_timeout_seconds is -0.5; expected 0 to 1e+06"},
        Case{"default_timeout_seconds: nan", "1:1: default_timeout_seconds is nan; expected 0 to 1e+06"},
        Case{"default_timeout_seconds: inf", "1:1: default_timeout_seconds is inf; expected 0 to 1e+06"},
        Case{"max_rows: 0", "1:1: max_rows is 0; expected at least 1"},
        Case{"warm_up_rows: 4\nwarm_up_rows: 0", "2:1: warm_up_rows has 0; expected at least 1"},
        Case{"warm_up_rows: [4, 0, 4]",
             "1:1: warm_up_rows has 0; expected at least 1; "
             "config.textproto:1:1: warm_up_rows has 4 twice; expected it once"},
        Case{"warm_up_rows: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]",
             "1:1: warm_up_rows has 17 elements; expected at most 16"},
        Case{"version_policy {}", "1:1: version_policy is empty; expected latest, all or specific"},
        Case{"version_policy { latest { num_versions: 0 } }", "1:27: num_versions is 0; expected 1 to 1000"},
        Case{"version_policy { specific { } }", "1:1: specific has no versions; expected at least one"},
        Case{"version_policy { specific { versions: [] } }", "1:1: specific has no versions; expected at least one"},
        Case{"version_policy { specific { versions: -1 } }", "1:29: versions has -1; expected at least 1"},
        Case{"instances: 0\nthreads: 0",
             "1:1: instances is 0; expected 1 to 1024; config.textproto:2:1: threads is 0; expected 1 to 1024"}));

INSTANTIATE_TEST_SUITE_P(
    Text, ModelConfigErrorTest,
    testing::Values(Case{"instances:", "1:11: the text ends; expected integer"},
                    Case{"instances", "1:10: the text ends; expected \":\""},
                    Case{"version_policy { all {}", "1:24: the text ends; expected identifier"},
                    Case{"instances: 2 }", "1:14: got '}'; expected identifier"},
                    Case{"{\"instances\": 2}", "1:1: got '{'; expected identifier"},
                    Case{"<xml/>", "1:1: got '<'; expected identifier"},
                    Case{"instances: 'two", "1:16: Unexpected end of string."},
                    Case{"instances: 'two\n'", "1:16: String literals cannot cross line boundaries."},
                    Case{"instances: 2x", "1:13: Need space between number and identifier."},
                    Case{"instances:\x01 2", "1:11: Invalid control characters encountered in text."},
                    Case{"instances: \xc3\xa4",
                         "1:12: a character that is not ASCII; expected the name or the value of a field"},
                    Case{"\xef\xbb\xbfinstances: 2",
                         "1:1: a character that is not ASCII; expected the name or the value of a field"},
                    Case{"instances: 2 # f\xfcr", "1:17: byte 0xfc; expected text in UTF-8"},
                    Case{"# \xc3\xa4\n\xff", "2:1: byte 0xff; expected text in UTF-8"}));

TEST(ModelConfigTest, CommentsMayHoldAnyCharacter) { EXPECT_EQ(Parse("instances: 2  # f\xc3\xbcr B").instances, 2); }

TEST(ModelConfigTest, ZeroBytes) {
  EXPECT_EQ(Error(std::string_view("instances: 2\0", 13)),
            "config.textproto:1:13: Invalid control characters encountered in text.");
}

TEST(ModelConfigTest, TooLarge) {
  EXPECT_EQ(Error(std::string(kMaxModelConfigBytes + 1, ' ')),
            "config.textproto has more than 65536 bytes; expected no more");
}

TEST(ModelConfigTest, LongWordsAreCutAndDeepNestingEnds) {
  EXPECT_LT(Error("instances: " + std::string(60000, 'x')).size(), 200);
  EXPECT_LT(Error(std::string(60000, 'x') + ": 2").size(), 300);
  std::string zeros = "version_policy { specific { versions: [0";
  for (int i = 0; i < 100; ++i) zeros += ", 0";
  EXPECT_THAT(Error(zeros + "] } }"), testing::EndsWith("; and 93 more"));
  std::string deep;
  while (deep.size() < 60000) deep += "version_policy { ";
  EXPECT_LT(Error(deep).size(), 300);
}

}  // namespace
}  // namespace rml
