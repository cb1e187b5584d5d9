#include "loadtest/golden_check.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {

absl::Status GoldenCheck::Compare(const Answer& answer) const {
  ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, answer.Outputs());
  if (outputs.size() != golden_.outputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("has %d outputs; expected %d, as the golden file", outputs.size(), golden_.outputs.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& want = golden_.outputs[i];
    if (outputs[i].dtype() != want.dtype() || !(outputs[i].shape() == want.shape())) {
      return absl::InvalidArgumentError(absl::StrFormat("output.%d is %s%s; expected %s%s, as in the golden file", i,
                                                        DTypeName(outputs[i].dtype()), ToString(outputs[i].shape()),
                                                        DTypeName(want.dtype()), ToString(want.shape())));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<OutputError> errors, CompareOutputs(Views(outputs), golden_));
  for (size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].within()) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("output.%d is off by %.3g; the tolerance is %.3g", i, errors[i].error, errors[i].allowed));
  }
  return absl::OkStatus();
}

Checked GoldenCheck::Check(const Answer& answer) {
  std::string fingerprint = answer.Fingerprint();
  {
    const absl::ReaderMutexLock lock(&mutex_);
    if (!known_.empty() && fingerprint == known_) return {AnswerKind::kKnown, ""};
  }
  if (const absl::Status status = Compare(answer); !status.ok()) {
    return {AnswerKind::kWrong, std::string(status.message())};
  }
  const absl::MutexLock lock(&mutex_);
  if (known_.empty()) {
    known_ = std::move(fingerprint);
    return {AnswerKind::kKnown, ""};
  }
  return {fingerprint == known_ ? AnswerKind::kKnown : AnswerKind::kOther, ""};
}

}  // namespace rml
