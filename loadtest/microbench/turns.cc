#include "loadtest/microbench/turns.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace rml {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kTurnSeconds = 1e-3;
constexpr int kFewestTurns = 9;

double Seconds(const std::function<void()>& run, int64_t runs) {
  const Clock::time_point start = Clock::now();
  for (int64_t i = 0; i < runs; ++i) run();
  return std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(runs);
}

// How many runs make a turn: the clock is read once a turn.
int64_t RunsPerTurn(const std::function<void()>& run) {
  for (int64_t runs = 1;; runs *= 2) {
    const double seconds = Seconds(run, runs) * static_cast<double>(runs);
    if (seconds > kTurnSeconds / 2) return runs;
  }
}

}  // namespace

double Median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<int64_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

double MedianRatio(const Contender& a, const Contender& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i < a.seconds.size(); ++i) ratios.push_back(a.seconds[i] / b.seconds[i]);
  return Median(std::move(ratios));
}

void TakeTurns(std::vector<Contender>& contenders, double seconds) {
  std::vector<int64_t> runs;
  for (Contender& c : contenders) runs.push_back(RunsPerTurn(c.run));
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double> budget(seconds * static_cast<double>(contenders.size()));
  for (int turn = 0; turn < kFewestTurns || Clock::now() - start < budget; ++turn) {
    for (size_t i = 0; i < contenders.size(); ++i) contenders[i].seconds.push_back(Seconds(contenders[i].run, runs[i]));
  }
}

}  // namespace rml
