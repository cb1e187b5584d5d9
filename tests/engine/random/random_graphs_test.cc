// The sweep: 800 random graphs, 20,000 with RML_TEST_FULL=1. Sanitized builds, some fifteen times slower, take a share
// and say so. RML_RANDOM_SEED=N moves the seeds, to meet other graphs than every run does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/engine/random/check_case.h"
#include "tests/engine/random/generate.h"
#include "tests/engine/random/report.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

constexpr int kShards = 8;
constexpr int kMaxReported = 2;  // failures that a shard shrinks before it stops

#ifdef RML_SANITIZED
constexpr int64_t kGraphs = 120, kGraphsFull = 1600;
constexpr const char* kWhy = " (a share of the sweep, as this is a sanitized build)";
#else
constexpr int64_t kGraphs = 800, kGraphsFull = 20'000;
constexpr const char* kWhy = "";
#endif

bool IsFull() { return std::getenv("RML_TEST_FULL") != nullptr; }
int64_t SweepSize() { return IsFull() ? kGraphsFull : kGraphs; }

uint64_t FirstSeed() {
  const char* text = std::getenv("RML_RANDOM_SEED");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

// Stays, as what failed is to be replayed; of this process alone, as another run may fail on the same seed.
std::string FailuresDir() {
  const std::filesystem::path dir =
      std::filesystem::temp_directory_path() / absl::StrCat("rml-random-graphs-failures-", getpid());
  std::filesystem::create_directories(dir);
  return dir;
}

// A crash says which graph it was.
std::atomic<uint64_t> g_seed{0};

extern "C" void SayTheSeed(int signal_number) {
  char line[100];
  const int length =
      std::snprintf(line, sizeof(line), "\ncrashed on seed %llu; shrink it: rml-random-graphs --seed %llu\n",
                    static_cast<unsigned long long>(g_seed.load()), static_cast<unsigned long long>(g_seed.load()));
  std::fwrite(line, 1, static_cast<size_t>(length), stderr);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

class Sweep : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
#ifndef RML_SANITIZED  // the sanitizers have handlers of their own, which say more
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(number, &SayTheSeed);
#endif
  }
};

TEST_P(Sweep, HoldsForEveryGraph) {
  const uint64_t first = FirstSeed() + SweepSize() * GetParam() / kShards;
  const uint64_t end = FirstSeed() + SweepSize() * (GetParam() + 1) / kShards;
  std::printf("seeds %llu to %llu%s\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(end - 1), kWhy);
  const TemporaryFolder scratch;
  const CheckFn check = [&](const RandomCase& one) { return CheckCase(one, {.scratch_dir = scratch.path()}); };
  CaseStream stream(first);
  int failures = 0;
  for (uint64_t seed = first; seed < end && failures < kMaxReported; ++seed) {
    g_seed = seed;
#ifdef RML_SANITIZED
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
#endif
    const RandomCase made = stream.Next();
    const auto failure = check(made);
    if (!failure) continue;
    ++failures;
    ADD_FAILURE() << ReportFailure(made, *failure, check, FailuresDir());
  }
}

INSTANTIATE_TEST_SUITE_P(RandomGraphs, Sweep, testing::Range(0, kShards));

// What the sweep meets is a matter of seeds and generator alone, whatever the build; only the sanitized builds' share of
// the sweep is too small for it.
#ifndef RML_SANITIZED
TEST(Coverage, MeetsEveryOpDTypeAndOption) {
  CaseStream stream(FirstSeed());
  for (int64_t i = 0; i < SweepSize(); ++i) stream.Next();
  std::printf("%s", stream.coverage().Table().c_str());
  // 800 graphs have some 18,000 nodes: 50 of each op and dtype, but not 50 of each of some 1,800 options.
  for (const Coverage::Entry& entry : stream.coverage().Entries()) {
    if (!entry.feature.empty() && !IsFull()) continue;
    EXPECT_GE(entry.hits, 50) << entry.op << " " << DTypeName(entry.dtype) << " " << entry.feature << ": "
                              << entry.option;
  }
}
#endif

}  // namespace
}  // namespace rml
