#include "engine/base/out_of_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rml {
namespace {

TEST(CatchOutOfMemory, GivesWhatTheBodyGives) {
  EXPECT_EQ(CatchOutOfMemory("testing", [] { return absl::OkStatus(); }), absl::OkStatus());
  EXPECT_EQ(CatchOutOfMemory("testing", [] { return absl::NotFoundError("x"); }), absl::NotFoundError("x"));
  EXPECT_EQ(*CatchOutOfMemory("testing", []() -> absl::StatusOr<int> { return 3; }), 3);
}

TEST(CatchOutOfMemory, TurnsExceptionsIntoAStatus) {
  const absl::Status expected = absl::ResourceExhaustedError("testing: out of memory");
  EXPECT_EQ(CatchOutOfMemory("testing", []() -> absl::Status { throw std::bad_alloc(); }), expected);
  EXPECT_EQ(CatchOutOfMemory("testing", []() -> absl::StatusOr<std::string> { throw std::bad_alloc(); }).status(),
            expected);
  const size_t most = std::vector<int>().max_size();
  EXPECT_EQ(
      CatchOutOfMemory("testing", [most]() -> absl::StatusOr<std::vector<int>> { return std::vector<int>(most + 1); })
          .status(),
      expected);
}

TEST(CatchOutOfMemory, OtherExceptionsGoOn) {
  EXPECT_THROW(CatchOutOfMemory("testing", []() -> absl::Status { throw std::runtime_error("bug"); }).IgnoreError(),
               std::runtime_error);
}

}  // namespace
}  // namespace rml
