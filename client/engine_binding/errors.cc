#include "client/engine_binding/errors.h"

#include <string>

#include "nanobind/nanobind.h"

namespace rml {
namespace {

namespace nb = nanobind;

// Of rml/errors.py; what the engine does not use is an RmlError without a class of its own.
const char* ClassOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return "InvalidArgument";
    case absl::StatusCode::kNotFound:
      return "NotFound";
    case absl::StatusCode::kFailedPrecondition:
      return "FailedPrecondition";
    case absl::StatusCode::kResourceExhausted:
      return "ResourceExhausted";
    case absl::StatusCode::kUnimplemented:
      return "Unimplemented";
    case absl::StatusCode::kInternal:
      return "Internal";
    default:
      return "RmlError";
  }
}

}  // namespace

void Raise(const absl::Status& error) {
  const nb::object type = nb::module_::import_("rml.errors").attr(ClassOf(error.code()));
  const std::string message(error.message());
  PyErr_SetObject(type.ptr(), nb::str(message.c_str(), message.size()).ptr());
  throw nb::python_error();
}

}  // namespace rml
