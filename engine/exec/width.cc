#include "engine/exec/width.h"

#include <algorithm>

namespace rml {
namespace {

// A modest core of today: an estimate only has to place a step within a factor of two of the threshold.
constexpr double kFlopsPerSecond = 60e9;
constexpr double kBytesPerSecond = 20e9;
// Each further thread must bring at least this much work: a spinning hand-off costs 0.4 us and a fork-join about 1 us.
constexpr double kSecondsPerThread = 5e-6;

}  // namespace

int ChooseWidth(const StepCost& cost, int max_width) {
  const double seconds = std::max(cost.flops / kFlopsPerSecond, cost.bytes / kBytesPerSecond);
  return static_cast<int>(std::clamp(seconds / kSecondsPerThread, 1.0, static_cast<double>(max_width)));
}

}  // namespace rml
