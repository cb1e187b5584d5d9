#include "server/service/profile_job.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "tests/server/service/answer.h"
#include "tests/server/service/served_models.h"

namespace rml {
namespace {

class ProfileTest : public ServedModels {
 protected:
  absl::Status Profile(const std::string& text) {
    v1::ProfileRequest request;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString("model: 'relu' " + text, &request));
    response_.Clear();
    return AnswerOf([&](const auto& done) { api_.Profile(request, response_, SteadyTime::max(), done); });
  }

  v1::ProfileResponse response_;
};

TEST_F(ProfileTest, GoldenInputsByDefault) {
  ASSERT_TRUE(Profile("").ok());
  EXPECT_EQ(response_.source(), v1::GOLDEN);
  EXPECT_EQ(response_.iterations(), kDefaultProfileIterations);
  EXPECT_EQ(response_.row_count(), 1);
  EXPECT_GT(response_.wall_seconds(), 0);
  ASSERT_EQ(response_.rows_size(), 1);
  EXPECT_THAT(response_.rows(0).label(), testing::HasSubstr("relu"));
  EXPECT_GT(response_.rows(0).peak_share(), 0);
  EXPECT_LE(response_.rows(0).seconds(), response_.wall_seconds());
}

TEST_F(ProfileTest, ZerosOfAnyRowCount) {
  ASSERT_TRUE(Profile("source: ZEROS rows: 7 iterations: 3").ok());
  EXPECT_EQ(response_.source(), v1::ZEROS);
  EXPECT_EQ(response_.row_count(), 7);
  EXPECT_EQ(response_.iterations(), 3);
}

TEST_F(ProfileTest, InputsOfTheRequest) {
  ASSERT_TRUE(Profile("inputs { name: 'x' shape: [2, 3] f32: [1, 2, 3, 4, 5, 6] }").ok());
  EXPECT_EQ(response_.source(), v1::REQUEST);
  EXPECT_EQ(response_.row_count(), 2);
}

TEST_F(ProfileTest, BadRequests) {
  const struct {
    const char* request;
    const char* message;
  } kCases[] = {
      {"iterations: 10001", "iterations is 10001; expected 1 to 10000"},
      {"iterations: -1", "iterations is -1; expected 1 to 10000"},
      {"threads: 100000", "threads is 100000; expected 1 to "},
      {"source: ZEROS rows: 8", "rows is 8; expected 1 to 7"},
      {"rows: 2", "rows is 2; expected none beside inputs that have their own"},
      {"source: 9", "source is number 9; expected REQUEST, GOLDEN or ZEROS"},
      {"source: ZEROS inputs { name: 'x' }", "source is not REQUEST, but the request has 1 inputs"},
      {"source: REQUEST", "input 'x' is missing; expected f32[B, 3]"},
      {"iterations: -1 source: ZEROS rows: -4", "iterations is -1; expected 1 to 10000; rows is -4; expected 1 to 7"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = Profile(c.request);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.request;
    EXPECT_THAT(std::string(status.message()),
                testing::StartsWith(std::string("model 'relu' version 1: ") + c.message));
  }
}

}  // namespace
}  // namespace rml
