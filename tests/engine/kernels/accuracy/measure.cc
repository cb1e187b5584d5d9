#include "tests/engine/kernels/accuracy/measure.h"

#include <cmath>
#include <utility>

#include "absl/base/casts.h"
#include "absl/strings/str_format.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/kernels/accuracy/ulp.h"

namespace rml {
namespace {

constexpr size_t kMaxViolationTexts = 5;

std::vector<float> Run(UnaryFn kernel, absl::Span<const float> x) {
  std::vector<float> y(x.size());
  const ScopedFlushDenormals flush;
  kernel(x.data(), static_cast<int64_t>(x.size()), y.data());
  return y;
}

std::string ResultText(const Function& function, float x, float y) {
  return absl::StrFormat("%s(%s) gave %s", function.name, NumberText(x), NumberText(y));
}

// The results of the best instruction set; the others are compared with them.
std::vector<float> RunOnAll(const Function& function, absl::Span<const float> x, Accuracy& accuracy) {
  const KernelTable& best = *AvailableKernels().back();
  const std::vector<float> y = Run(best.*function.kernel, x);
  for (const KernelTable* kernels : AvailableKernels().first(AvailableKernels().size() - 1)) {
    const std::vector<float> other = Run(kernels->*function.kernel, x);
    for (size_t i = 0; i < x.size(); ++i) {
      if (SameBitsOrNan(y[i], other[i])) continue;
      accuracy.Violation(absl::StrFormat("%s on %s; %s on %s", ResultText(function, x[i], y[i]), best.isa,
                                         NumberText(other[i]), kernels->isa));
    }
  }
  return y;
}

double Error(const Function& function, float got, double exact) {
  return function.unit == ErrorUnit::kUlp ? UlpError(got, exact) : RelativeError(got, exact);
}

void CheckResult(const Function& function, float x, float y, double exact, Accuracy& accuracy) {
  if (std::isnan(y) != std::isnan(exact)) {
    accuracy.Violation(absl::StrFormat("%s, exactly %g", ResultText(function, x, y), exact));
    return;
  }
  if (y == 0 && std::signbit(y) != std::signbit(exact)) {
    accuracy.Violation(ResultText(function, x, y) + ", a zero of the wrong sign");
  }
  if (IsSubnormal(y)) accuracy.Violation(ResultText(function, x, y) + ", a subnormal number");
  if (y < function.lowest || y > function.highest) {
    accuracy.Violation(
        absl::StrFormat("%s, outside [%g, %g]", ResultText(function, x, y), function.lowest, function.highest));
  }
  for (const Limit& limit : function.limits) {
    const bool beyond = limit.x > 0 ? x >= limit.x : x <= limit.x;
    if (beyond && std::isfinite(x) && y != limit.value) {
      accuracy.Violation(
          absl::StrFormat("%s; expected %g from %s on", ResultText(function, x, y), limit.value, NumberText(limit.x)));
    }
  }
}

// One argument that is not subnormal, as a subnormal one has become a zero.
void Observe(const Function& function, float x, float y, Accuracy& accuracy) {
  const double exact = function.exact(x);
  ++accuracy.num_arguments;
  CheckResult(function, x, y, exact, accuracy);
  const double error = Error(function, y, exact);
  if (error > accuracy.worst && x >= function.bounded_from) {
    accuracy.worst = error;
    accuracy.worst_x = x;
  }
  const float magnitude = std::abs(x);
  if (magnitude < function.work_from || magnitude > function.work_to || x < function.bounded_from) return;
  if (std::abs(exact) >= kMinNormal && std::abs(exact) < kOverflow) {
    ++accuracy.num_worked;
    accuracy.num_correct += y == RoundAndFlush(exact) ? 1 : 0;
    accuracy.error_sum += error;
  }
}

void CheckSymmetry(const Function& function, float x, float y, float y_of_minus_x, Accuracy& accuracy) {
  if (function.symmetry == Symmetry::kNone) return;
  if (SameBitsOrNan(function.symmetry == Symmetry::kOdd ? -y : y, y_of_minus_x)) return;
  accuracy.Violation(absl::StrFormat("%s, and %s at -x", ResultText(function, x, y), NumberText(y_of_minus_x)));
}

// y follows `before` in the order of ascending magnitudes.
bool GoesBackward(const Function& function, bool negative, float before, float y) {
  if (function.monotone == Monotone::kNone) return false;
  const bool rises = (function.monotone == Monotone::kRising) != negative;
  return rises ? y < before : y > before;
}

}  // namespace

void Accuracy::Violation(std::string text) {
  ++num_violations;
  if (violations.size() < kMaxViolationTexts) violations.push_back(std::move(text));
}

void Accuracy::Merge(const Accuracy& other) {
  // Of equal errors the smaller argument: the outcome does not depend on the order of merging.
  if (other.worst > worst || (other.worst == worst && other.worst_x < worst_x)) {
    worst = other.worst;
    worst_x = other.worst_x;
  }
  num_worked += other.num_worked;
  num_correct += other.num_correct;
  error_sum += other.error_sum;
  num_arguments += other.num_arguments;
  num_backward += other.num_backward;
  num_violations += other.num_violations;
  for (const std::string& text : other.violations) {
    if (violations.size() < kMaxViolationTexts) violations.push_back(text);
  }
}

Accuracy Measure(const Function& function, absl::Span<const float> magnitudes, int64_t num_before) {
  Accuracy accuracy;
  std::vector<float> negative(magnitudes.size());
  for (size_t i = 0; i < magnitudes.size(); ++i) negative[i] = -magnitudes[i];
  const std::vector<float> y = RunOnAll(function, magnitudes, accuracy);
  const std::vector<float> y_of_negative = RunOnAll(function, negative, accuracy);
  for (size_t i = num_before; i < magnitudes.size(); ++i) {
    CheckSymmetry(function, magnitudes[i], y[i], y_of_negative[i], accuracy);
    Observe(function, Flush(magnitudes[i]), y[i], accuracy);
    Observe(function, Flush(negative[i]), y_of_negative[i], accuracy);
    if (i == 0) continue;
    accuracy.num_backward += GoesBackward(function, false, y[i - 1], y[i]) ? 1 : 0;
    accuracy.num_backward += GoesBackward(function, true, y_of_negative[i - 1], y_of_negative[i]) ? 1 : 0;
  }
  return accuracy;
}

double ErrorAt(const Function& function, float x) {
  return Error(function, Run(ActiveKernels().*function.kernel, {&x, 1})[0], function.exact(Flush(x)));
}

std::string NumberText(float x) { return absl::StrFormat("%.9g (0x%08x)", x, absl::bit_cast<uint32_t>(x)); }

}  // namespace rml
