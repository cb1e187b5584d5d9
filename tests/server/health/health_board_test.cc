#include "server/health/health_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rml {
namespace {

using testing::ElementsAre;

class HealthBoardTest : public testing::Test {
 protected:
  int64_t Watch(const std::string& name) {
    return board_.Watch(name, [this](Serving status) { seen_.push_back(status); });
  }

  HealthBoard board_;
  std::vector<Serving> seen_;
};

TEST_F(HealthBoardTest, StartsNotServing) {
  EXPECT_EQ(board_.Get(""), Serving::kNotServing);
  EXPECT_EQ(board_.Get("mlp"), Serving::kServiceUnknown);
}

TEST_F(HealthBoardTest, WatchSeesThePresentAndEveryChangeOnce) {
  Watch("mlp");
  board_.Set("mlp", Serving::kNotServing);
  board_.Set("mlp", Serving::kNotServing);
  board_.Set("other", Serving::kServing);
  board_.Set("mlp", Serving::kServing);
  board_.StopServing();
  EXPECT_THAT(seen_,
              ElementsAre(Serving::kServiceUnknown, Serving::kNotServing, Serving::kServing, Serving::kNotServing));
}

TEST_F(HealthBoardTest, NothingServesAfterStopServing) {
  board_.Set("mlp", Serving::kServing);
  board_.StopServing();
  board_.Set("", Serving::kServing);
  EXPECT_EQ(board_.Get(""), Serving::kNotServing);
  EXPECT_EQ(board_.Get("mlp"), Serving::kNotServing);
  EXPECT_EQ(board_.Get("unknown"), Serving::kServiceUnknown);
}

TEST_F(HealthBoardTest, UnwatchedIsNotCalled) {
  board_.Unwatch(Watch(""));
  board_.Set("", Serving::kServing);
  EXPECT_THAT(seen_, ElementsAre(Serving::kNotServing));
}

TEST_F(HealthBoardTest, ARemovedNameIsUnknown) {
  board_.Set("mlp", Serving::kServing);
  Watch("mlp");
  board_.Remove("mlp");
  EXPECT_THAT(seen_, ElementsAre(Serving::kServing, Serving::kServiceUnknown));
  EXPECT_EQ(board_.Get("mlp"), Serving::kServiceUnknown);
}

}  // namespace
}  // namespace rml
