#include "server/repository/version_policy.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

using Kind = VersionPolicy::Kind;
using Versions = std::vector<int64_t>;

TEST(VersionPolicyTest, Selects) {
  const struct {
    const char* name;
    VersionPolicy policy;
    Versions there;
    Versions serve;
    Versions missing;
  } kCases[] = {
      {"the highest by default", {}, {2, 10, 9}, {10}, {}},
      {"the highest two", {.num_versions = 2}, {2, 10, 9}, {10, 9}, {}},
      {"no more than there are", {.num_versions = 1000}, {2, 10}, {10, 2}, {}},
      {"all", {.kind = Kind::kAll}, {2, 10, 9}, {10, 9, 2}, {}},
      {"some", {.kind = Kind::kSpecific, .versions = {{2, ""}, {9, ""}}}, {2, 10, 9}, {9, 2}, {}},
      {"one that is gone", {.kind = Kind::kSpecific, .versions = {{2, ""}, {3, ""}}}, {2, 10}, {2}, {3}},
      {"none of them", {.kind = Kind::kSpecific, .versions = {{3, ""}}}, {2, 10}, {}, {3}},
      {"of nothing", {.kind = Kind::kAll}, {}, {}, {}},
  };
  for (const auto& c : kCases) {
    const SelectedVersions selected = SelectVersions(c.policy, c.there);
    EXPECT_EQ(selected.serve, c.serve) << c.name;
    Versions missing;
    for (const Placed<int64_t>& version : selected.missing) missing.push_back(version.value);
    EXPECT_EQ(missing, c.missing) << c.name;
  }
}

}  // namespace
}  // namespace rml
