#include "engine/base/status_macros.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"

namespace rml {
namespace {

absl::StatusOr<std::unique_ptr<int>> Make(int value) {
  if (value < 0) return absl::NotFoundError("negative");
  return std::make_unique<int>(value);
}

absl::Status CheckTwice(int& calls, const absl::Status& status) {
  const auto call = [&] {
    ++calls;
    return status;
  };
  RETURN_IF_ERROR(call());
  RETURN_IF_ERROR(call());
  return absl::OkStatus();
}

absl::StatusOr<int> Sum(int a, int b) {
  ASSIGN_OR_RETURN(std::unique_ptr<int> first, Make(a));
  ASSIGN_OR_RETURN(const auto second, Make(b));
  ASSIGN_OR_RETURN(first, Make(*first + *second));
  return *first;
}

TEST(ReturnIfError, EvaluatesOnceAndStopsAtTheFirstError) {
  int calls = 0;
  EXPECT_TRUE(CheckTwice(calls, absl::OkStatus()).ok());
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(CheckTwice(calls, absl::InternalError("x")), absl::InternalError("x"));
  EXPECT_EQ(calls, 1);
}

TEST(AssignOrReturn, MovesOrReturns) {
  EXPECT_EQ(*Sum(2, 3), 5);
  EXPECT_EQ(Sum(2, -3).status(), absl::NotFoundError("negative"));
  EXPECT_EQ(Sum(-2, 3).status(), absl::NotFoundError("negative"));
}

TEST(Annotate, KeepsOkCodeAndPayload) {
  EXPECT_TRUE(Annotate(absl::OkStatus(), "model 'm'").ok());
  absl::Status status = absl::UnimplementedError("no op");
  status.SetPayload("url", absl::Cord("bytes"));
  const absl::Status annotated = Annotate(Annotate(status, "node 3"), "model 'm'");
  EXPECT_TRUE(absl::IsUnimplemented(annotated));
  EXPECT_EQ(annotated.message(), "model 'm': node 3: no op");
  EXPECT_EQ(annotated.GetPayload("url").value(), "bytes");
  EXPECT_EQ(Annotate(Make(-1), "here").status(), absl::NotFoundError("here: negative"));
  EXPECT_EQ(**Annotate(Make(4), "here"), 4);
}

}  // namespace
}  // namespace rml
