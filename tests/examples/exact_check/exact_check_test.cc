#include "examples/exact_check/exact_check.h"

#include <gtest/gtest.h>

#include "examples/tiny_net/tiny_net.h"

namespace rml {
namespace {

TEST(ExactCheck, CountsTheElementsThatDiffer) {
  ExactModel net = TinyNet();
  net.expected[1] += 0x1p-20f;
  net.expected[4] = -net.expected[4];
  const auto runs = RunExports(RML_TINY_NET_EXPORTS, net);
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_FALSE(runs->empty());
  for (const ExactRun& run : *runs) EXPECT_EQ(run.different, 2) << run.name;
}

TEST(ExactCheck, AnOutputOfAnotherSizeIsAnError) {
  ExactModel net = TinyNet();
  net.expected.pop_back();
  const auto runs = RunExports(RML_TINY_NET_EXPORTS, net);
  EXPECT_EQ(runs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(runs.status().message().find("expected one f32 output of 5 elements"), std::string::npos) << runs.status();
}

TEST(ExactCheck, NoExportsAreAnError) {
  ExactModel net = TinyNet();
  net.suffix = "_other";
  EXPECT_EQ(RunExports(RML_TINY_NET_EXPORTS, net).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(RunExports("no/such/folder", TinyNet()).status().code(), absl::StatusCode::kNotFound);
}

TEST(ExactCheck, ExitCodes) {
  auto run = [](const ExactModel& model, std::vector<const char*> arguments = {}) {
    arguments.insert(arguments.begin(), "tiny_net");
    return ExactMain(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()), "test",
                     RML_TINY_NET_EXPORTS, {model});
  };
  EXPECT_EQ(run(TinyNet()), 0);
  ExactModel other = TinyNet();
  other.expected[0] = 0;
  EXPECT_EQ(run(other), 1);
  EXPECT_EQ(run(TinyNet(), {"no/such/folder"}), 2);
  EXPECT_EQ(run(TinyNet(), {"--no-such-option"}), 2);
}

}  // namespace
}  // namespace rml
