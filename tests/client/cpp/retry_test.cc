#include "client/cpp/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rml {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

// Time that passes only by waiting; attempts take none.
class RetryTest : public testing::Test {
 protected:
  // Makes the attempts give `statuses` in turn, the last one for ever.
  absl::Status Call(const RetryPolicy& policy, milliseconds timeout, const std::vector<absl::Status>& statuses) {
    const RetryClock clock{.now = [this] { return now_; },
                           .wait =
                               [this](milliseconds time) {
                                 now_ += time;
                                 waits_.push_back(time.count());
                               }};
    return CallWithRetries(policy, now_ + timeout, clock, [&] {
      const size_t index = std::min(static_cast<size_t>(attempts_++), statuses.size() - 1);
      return statuses[index];
    });
  }

  std::chrono::steady_clock::time_point now_{};
  std::vector<int64_t> waits_;
  int attempts_ = 0;
};

constexpr RetryPolicy kPolicy{.max_attempts = 5, .first_wait = milliseconds(10), .longest_wait = milliseconds(30)};

TEST_F(RetryTest, SuccessIsNotRepeated) {
  EXPECT_TRUE(Call(kPolicy, milliseconds(1000), {absl::OkStatus()}).ok());
  EXPECT_EQ(attempts_, 1);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(RetryTest, UnavailableIsTriedAgainUntilItWorks) {
  const absl::Status down = absl::UnavailableError("down");
  EXPECT_TRUE(Call(kPolicy, milliseconds(1000), {down, down, absl::OkStatus()}).ok());
  EXPECT_EQ(attempts_, 3);
  EXPECT_THAT(waits_, ElementsAre(10, 20));
}

TEST_F(RetryTest, WaitsDoubleUpToTheLongestAndAttemptsAreBounded) {
  EXPECT_EQ(Call(kPolicy, milliseconds(1000), {absl::UnavailableError("down")}), absl::UnavailableError("down"));
  EXPECT_EQ(attempts_, 5);
  EXPECT_THAT(waits_, ElementsAre(10, 20, 30, 30));
}

TEST_F(RetryTest, NothingElseIsTriedAgain) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kInvalidArgument, absl::StatusCode::kNotFound, absl::StatusCode::kDeadlineExceeded,
        absl::StatusCode::kResourceExhausted, absl::StatusCode::kInternal, absl::StatusCode::kCancelled}) {
    attempts_ = 0;
    EXPECT_EQ(Call(kPolicy, milliseconds(1000), {absl::Status(code, "no")}).code(), code);
    EXPECT_EQ(attempts_, 1) << absl::StatusCodeToString(code);
  }
}

TEST_F(RetryTest, AnotherErrorAfterUnavailableEndsIt) {
  EXPECT_EQ(Call(kPolicy, milliseconds(1000), {absl::UnavailableError("down"), absl::NotFoundError("no model")}),
            absl::NotFoundError("no model"));
}

TEST_F(RetryTest, NoWaitReachesTheDeadline) {
  EXPECT_TRUE(absl::IsUnavailable(Call(kPolicy, milliseconds(30), {absl::UnavailableError("down")})));
  EXPECT_THAT(waits_, ElementsAre(10));  // 20 more would end at the deadline
}

TEST_F(RetryTest, OneAttemptMeansNoRetries) {
  EXPECT_FALSE(Call({.max_attempts = 1}, milliseconds(1000), {absl::UnavailableError("down")}).ok());
  EXPECT_EQ(attempts_, 1);
}

}  // namespace
}  // namespace rml
