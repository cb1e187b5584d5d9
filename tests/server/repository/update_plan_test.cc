#include "server/repository/update_plan.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace rml {
namespace {

using std::chrono::seconds;
using State = ModelState;
using Why = UnusableModel::Why;

const Time kStart{seconds(1000)};

constexpr const char* kStateNames[] = {"loading", "ready", "unloading", "unloaded", "failed"};

// "2:ready:a" is version 2 in state ready, tried with stamp a; a fourth field is the reason.
KnownVersions Known(const std::vector<std::string>& versions) {
  KnownVersions known;
  for (const std::string& text : versions) {
    const std::vector<std::string> fields = absl::StrSplit(text, ':');
    KnownVersion version{.tried = fields.at(2), .reason = fields.size() > 3 ? fields[3] : ""};
    for (int state = 0; state < 5; ++state) {
      if (fields[1] == kStateNames[state]) version.state = static_cast<State>(state);
    }
    known[{"m", std::stoll(fields[0])}] = version;
  }
  return known;
}

// "2:a" is version 2 with stamp a; "?2:why" one that is missing; "!:why" a model of which nothing can be told.
ScanResult Seen(const std::vector<std::string>& versions) {
  ScanResult seen;
  for (const std::string& text : versions) {
    const std::vector<std::string> fields = absl::StrSplit(text, ':');
    if (text[0] == '!') {
      seen.unusable.push_back({"m", 0, fields.at(1), Why::kCannotTell});
    } else if (text[0] == '?') {
      seen.unusable.push_back({"m", std::stoll(fields[0].substr(1)), fields.at(1), Why::kMissing});
    } else {
      seen.models.push_back({.name = "m", .version = std::stoll(fields[0]), .directory = "", .stamp = fields.at(1)});
    }
  }
  return seen;
}

std::string Text(const UpdatePlan& plan) {
  std::vector<std::string> parts;
  for (const Announcement& a : plan.announce) {
    parts.push_back(absl::StrCat(a.version, " is ", kStateNames[static_cast<int>(a.state)],
                                 a.state == State::kFailed ? ": " + a.reason : ""));
  }
  for (const ModelSource& source : plan.load) parts.push_back(absl::StrCat("load ", source.version));
  for (const VersionKey& key : plan.unload) parts.push_back(absl::StrCat("unload ", key.second));
  for (const VersionKey& key : plan.forget) parts.push_back(absl::StrCat("forget ", key.second));
  std::string text;
  for (const std::string& part : parts) absl::StrAppend(&text, text.empty() ? "" : ", ", part);
  return text;
}

struct PlanCase {
  const char* name;
  std::vector<std::string> seen;
  std::vector<std::string> known;
  const char* plan;
};

// All that is seen has been as it is for long.
std::string PlanOf(const PlanCase& c, UpdateRules rules = {.now = kStart}) {
  const KnownVersions known = Known(c.known);
  rules.now = kStart + seconds(60);
  rules.settle = seconds(1);
  return Text(PlanUpdate(Seen(c.seen), Observe({}, Seen(c.seen), known, kStart), known, rules));
}

TEST(UpdatePlanTest, WhatIsThereIsServed) {
  const PlanCase kCases[] = {
      {"nothing", {}, {}, ""},
      {"new", {"1:a"}, {}, "1 is loading, load 1"},
      {"announced", {"1:a"}, {"1:loading:"}, "load 1"},
      {"serving", {"1:a"}, {"1:ready:a"}, ""},
      {"changed while serving", {"1:b"}, {"1:ready:a"}, "load 1"},
      {"refused and still there", {"1:b"}, {"1:ready:b:refused"}, ""},
      {"refused, then changed", {"1:c"}, {"1:ready:b:refused"}, "load 1"},
      {"failed and still there", {"1:a"}, {"1:failed:a:broken"}, ""},
      {"failed, then changed", {"1:b"}, {"1:failed:a:broken"}, "load 1"},
      {"unloaded and there again", {"1:a"}, {"1:unloaded:"}, "load 1"},
      {"there again before it was gone", {"1:a"}, {"1:unloading:"}, "load 1"},
      {"gone while it fails", {}, {"1:failed:a:broken"}, "forget 1"},
      {"gone before it was loaded", {}, {"1:loading:"}, "forget 1"},
      {"gone and unloaded", {}, {"1:unloaded:"}, "forget 1"},
      {"gone and not yet unloaded", {}, {"1:unloading:"}, ""},
  };
  for (const PlanCase& c : kCases) EXPECT_EQ(PlanOf(c), c.plan) << c.name;
}

TEST(UpdatePlanTest, WhatServesGoesOnUntilItsSuccessorIsReady) {
  const PlanCase kCases[] = {
      {"the successor is new", {"2:a"}, {"1:ready:a"}, "2 is loading, load 2"},
      {"it has failed", {"2:a"}, {"1:ready:a", "2:failed:a:broken"}, ""},
      {"it is ready", {"2:a"}, {"1:ready:a", "2:ready:a"}, "unload 1"},
      {"it serves from older files", {"2:b"}, {"1:ready:a", "2:ready:b:refused"}, "unload 1"},
      {"one of two is ready", {"3:a", "2:a"}, {"1:ready:a", "2:ready:a", "3:failed:a:broken"}, ""},
      {"deleted, with an older one to go back to", {"1:a"}, {"2:ready:a"}, "1 is loading, load 1"},
      {"and that is ready", {"1:a"}, {"1:ready:a", "2:ready:a"}, "unload 2"},
      {"deleted for good", {}, {"1:ready:a"}, "unload 1"},
      {"no version folder left", {"?0:none"}, {"1:ready:a"}, "0 is failed: none, unload 1"},
      {"the config is broken", {"!:config"}, {"1:ready:a", "2:ready:a"}, "0 is failed: config"},
      {"still broken", {"!:config"}, {"0:failed::config", "1:ready:a"}, ""},
      {"broken otherwise", {"!:else"}, {"0:failed::config", "1:ready:a"}, "0 is failed: else"},
      {"the config is right again", {"1:a"}, {"0:failed::config", "1:ready:a"}, "forget 0"},
      {"the config asks for one that is missing", {"?9:none"}, {"1:ready:a"}, "9 is failed: none"},
      {"and that one was deleted while it served", {"?1:none"}, {"1:ready:a"}, "unload 1"},
      {"then it is gone", {"?1:none"}, {"1:unloaded:"}, "1 is failed: none"},
  };
  for (const PlanCase& c : kCases) EXPECT_EQ(PlanOf(c), c.plan) << c.name;
}

TEST(UpdatePlanTest, OnRequestTheSameFilesAreTriedAgain) {
  const UpdateRules again{.now = kStart, .retry = UpdateRules::Retry::kFailed};
  EXPECT_EQ(PlanOf({"", {"1:a"}, {"1:failed:a:broken"}, ""}, again), "load 1");
  EXPECT_EQ(PlanOf({"", {"1:b"}, {"1:ready:b:refused"}, ""}, again), "load 1");
  EXPECT_EQ(PlanOf({"", {"1:a"}, {"1:ready:a"}, ""}, again), "");
}

TEST(UpdatePlanTest, InExplicitModeOnlyWhatIsAskedFor) {
  const PlanCase kNotAsked[] = {
      {"offered", {"1:a"}, {}, "1 is unloaded"},
      {"known", {"1:a"}, {"1:unloaded:"}, ""},
      {"serving", {"1:a"}, {"1:ready:a"}, "unload 1"},
      {"failed", {"1:a"}, {"1:failed:a:broken"}, "1 is unloaded"},
      {"not loaded yet", {"1:a"}, {"1:loading:"}, "1 is unloaded"},
      {"being unloaded", {"1:a"}, {"1:unloading:"}, ""},
      {"gone", {}, {"1:unloaded:"}, "forget 1"},
      {"serving with a broken config", {"!:config"}, {"1:ready:a"}, "0 is failed: config, unload 1"},
      {"serving, not selected", {"2:a"}, {"1:ready:a"}, "2 is unloaded, unload 1"},
  };
  for (const PlanCase& c : kNotAsked) {
    EXPECT_EQ(PlanOf(c, {.now = kStart, .asked = std::set<std::string>{"other"}}), c.plan) << c.name;
  }
  EXPECT_EQ(PlanOf({"", {"1:a"}, {"1:unloaded:"}, ""}, {.now = kStart, .asked = std::set<std::string>{"m"}}), "load 1");
}

TEST(UpdatePlanTest, APlanForOneModelLeavesTheOthers) {
  EXPECT_EQ(PlanOf({"", {"1:b"}, {"1:ready:a"}, ""}, {.now = kStart, .only = "other"}), "");
  EXPECT_EQ(PlanOf({"", {"1:b"}, {"1:ready:a"}, ""}, {.now = kStart, .only = "m"}), "load 1");
}

// A copy as it comes in, looked at every half second; what is loaded is then known as ready, what is unloaded as gone.
TEST(UpdatePlanTest, FilesAreTakenWhenTheyHaveSettled) {
  const struct {
    const char* name;
    std::vector<std::string> seen;
    const char* plan;
  } kLooks[] = {
      {"at the start", {"1:a"}, ""},
      {"an empty folder", {"2:-"}, "2 is loading"},
      {"a part", {"2:p"}, ""},
      {"more of it", {"2:q"}, ""},
      {"whole", {"2:w"}, ""},
      {"half a second old", {"2:w"}, ""},
      {"a second old", {"2:w"}, "load 2"},
      {"taken; the old one has not been wanted for long", {"2:w"}, "unload 1"},
      {"written to", {"2:x"}, ""},
      {"and again", {"2:y"}, ""},
      {"deleted", {}, ""},
      {"not for long", {"2:z"}, ""},
      {"half a second", {"2:z"}, ""},
      {"settled", {"2:z"}, "load 2"},
      {"deleted again", {}, ""},
      {"half a second ago", {}, ""},
      {"a second ago", {}, "unload 2"},
  };
  KnownVersions known = Known({"1:ready:a"});
  Sightings sightings;
  Time now = kStart;
  for (const auto& look : kLooks) {
    now += std::chrono::milliseconds(500);
    sightings = Observe(sightings, Seen(look.seen), known, now);
    const UpdatePlan plan = PlanUpdate(Seen(look.seen), sightings, known, {.now = now, .settle = seconds(1)});
    EXPECT_EQ(Text(plan), look.plan) << look.name;
    for (const Announcement& a : plan.announce) known[{a.name, a.version}] = {.state = a.state};
    for (const ModelSource& s : plan.load) known[{s.name, s.version}] = {.state = State::kReady, .tried = s.stamp};
    for (const VersionKey& key : plan.unload) known.erase(key);
  }
}

TEST(UpdatePlanTest, ASightingLastsAsLongAsTheStamp) {
  const KnownVersions known = Known({"1:ready:a"});
  const Sightings first = Observe({}, Seen({"1:a"}), known, kStart);
  EXPECT_EQ(Observe(first, Seen({"1:a"}), known, kStart + seconds(5)).at({"m", 1}).since, kStart);
  EXPECT_EQ(Observe(first, Seen({"1:b"}), known, kStart + seconds(5)).at({"m", 1}).since, kStart + seconds(5));
  const Sightings gone = Observe(first, Seen({}), known, kStart + seconds(5));
  EXPECT_EQ(gone.at({"m", 1}).stamp, "");
  EXPECT_TRUE(Observe(gone, Seen({}), {}, kStart + seconds(6)).empty()) << "neither seen nor known";
}

}  // namespace
}  // namespace rml
