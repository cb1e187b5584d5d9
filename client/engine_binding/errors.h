// The engine's errors as Python exceptions. This folder throws, as the rest of the project does not: an exception is how
// Python hears of an error, and nanobind carries it there.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rml {

// Throws the class of rml/errors.py that is named after the status's code, with its message. Requires an error and the GIL.
[[noreturn]] void Raise(const absl::Status& error);

inline void RaiseIfError(const absl::Status& status) {
  if (!status.ok()) Raise(status);
}

template <typename T>
T ValueOrRaise(absl::StatusOr<T> result) {
  if (!result.ok()) Raise(result.status());
  return *std::move(result);
}

}  // namespace rml
