// RETURN_IF_ERROR and ASSIGN_OR_RETURN: hand a failed absl::Status to the caller. Annotate() adds who and where on the
// way up and keeps the code.
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rml {

// `status` with "context: " before its message; OK stays OK.
absl::Status Annotate(const absl::Status& status, const std::string& context);

template <typename T>
absl::StatusOr<T> Annotate(absl::StatusOr<T> result, const std::string& context) {
  if (!result.ok()) return Annotate(result.status(), context);
  return result;
}

}  // namespace rml

#define RML_CONCAT_INNER(a, b) a##b
#define RML_CONCAT(a, b) RML_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)          \
  do {                                       \
    absl::Status rml_status_ = (expression); \
    if (!rml_status_.ok()) [[unlikely]] {    \
      return rml_status_;                    \
    }                                        \
  } while (false)

#define ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                              \
  if (!result.ok()) [[unlikely]] {                         \
    return std::move(result).status();                     \
  }                                                        \
  target = *std::move(result)
#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_INNER(RML_CONCAT(rml_result_, __LINE__), target, expression)
