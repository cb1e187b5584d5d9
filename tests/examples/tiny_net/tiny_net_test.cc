#include "examples/tiny_net/tiny_net.h"

#include <gtest/gtest.h>

#include "tests/examples/exact_check/expect_exact.h"

namespace rml {
namespace {

TEST(TinyNet, EveryExportHasTheExactBits) { ExpectExact(RML_TINY_NET_EXPORTS, TinyNet()); }

TEST(TinyNet, PlainLoopsGiveTheSame) {
  const ExactModel net = TinyNet();
  EXPECT_EQ(TinyNetReferenceForward(net.input), net.expected);
}

}  // namespace
}  // namespace rml
