// Whether an answer is the golden one: within the golden file's tolerance of its outputs. The first answer that is becomes
// the model's known answer; the same bytes again are taken without a look at the numbers.
#pragma once

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "engine/graph/golden.h"
#include "loadtest/protocol.h"

namespace rml {

enum class AnswerKind {
  kKnown,  // the bits of the model's first right answer
  kOther,  // other bits, within the tolerance
  kWrong,
};

struct Checked {
  AnswerKind kind = AnswerKind::kKnown;
  std::string why{};  // only of kWrong
};

// Thread-safe.
class GoldenCheck {
 public:
  explicit GoldenCheck(Golden golden) : golden_(std::move(golden)) {}

  Checked Check(const Answer& answer);

  const Golden& golden() const { return golden_; }

 private:
  // OK within the tolerance; otherwise which output is off by how much.
  absl::Status Compare(const Answer& answer) const;

  const Golden golden_;
  absl::Mutex mutex_;
  std::string known_ ABSL_GUARDED_BY(mutex_);  // fingerprint; empty until there is one
};

}  // namespace rml
