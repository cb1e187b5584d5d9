#include "server/service/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/cord.h"
#include "google/rpc/error_details.pb.h"

namespace rml {
namespace {

google::rpc::BadRequest Details(const absl::Status& status) {
  google::rpc::BadRequest details;
  EXPECT_TRUE(details.ParseFromString(std::string(*status.GetPayload(kBadRequestType))));
  return details;
}

TEST(CutTest, BetweenCharacters) {
  EXPECT_EQ(Cut("ab", 2), "ab");
  EXPECT_EQ(Cut("abcdef", 5), "ab...");
  EXPECT_EQ(Cut("a\xC3\xA9\xC3\xA9\xC3\xA9", 6), "a\xC3\xA9...");  // three bytes fit: a, e-acute
  EXPECT_EQ(Cut("aa\xC3\xA9\xC3\xA9\xC3\xA9", 6), "aa...");        // the third byte would halve a character
}

TEST(ProblemsTest, NoneIsOk) { EXPECT_TRUE(Problems().ToStatus("model 'm' version 1").ok()); }

TEST(ProblemsTest, AllInOne) {
  Problems problems;
  problems.Add("inputs[0].shape", "one");
  problems.Add("inputs", "two");
  const absl::Status status = problems.ToStatus("model 'm' version 1");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), "model 'm' version 1: one; two");
  const google::rpc::BadRequest details = Details(status);
  ASSERT_EQ(details.field_violations_size(), 2);
  EXPECT_EQ(details.field_violations(0).field(), "inputs[0].shape");
  EXPECT_EQ(details.field_violations(0).description(), "one");
}

TEST(ProblemsTest, AllAreCounted) {
  Problems problems;
  for (int i = 0; i < 100000; ++i) problems.Add("inputs", "input '' is unknown; the model's inputs are 'x'");
  EXPECT_THAT(std::string(problems.ToStatus("m").message()),
              testing::MatchesRegex("m: (input '' is unknown; the model's inputs are 'x'; ){20}and 99980 more"));
}

TEST(ProblemsTest, ManyStayBelowOneKib) {
  Problems problems;
  for (int i = 0; i < 1000; ++i) problems.Add("inputs", std::string(i % 300, 'x'));
  const absl::Status status = problems.ToStatus("model 'm' version 1");
  EXPECT_LT(status.message().size(), 1024);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("more"));
  EXPECT_LE(Details(status).field_violations_size(), 8);
  EXPECT_LT(Details(status).ByteSizeLong(), 2500);
}

}  // namespace
}  // namespace rml
