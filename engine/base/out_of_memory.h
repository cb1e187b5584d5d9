// Where running out of memory becomes a Status.
//
// Large blocks are errors of Buffer::Allocate(); its callers say what they were for. Containers throw std::bad_alloc, as
// anywhere, which is caught at the public entry points (reading a file, Program::Load, Executor::Create and Run, a request)
// by CatchOutOfMemory(). Code between may assume that memory is there, if it keeps its objects usable when an exception
// passes through.
#pragma once

#include <new>
#include <stdexcept>

#include "absl/status/status.h"

namespace rml {

// ResourceExhausted "DOING: out of memory"; without a message if there is no memory for one.
absl::Status OutOfMemoryError(const char* doing) noexcept;

// What `body` returns, a Status or a StatusOr; OutOfMemoryError(doing) if memory runs out in it. `doing` is what the caller
// asked for: "loading the model".
template <typename Body>
auto CatchOutOfMemory(const char* doing, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError(doing);
  } catch (const std::length_error&) {  // a container that would be larger than any memory
    return OutOfMemoryError(doing);
  }
}

}  // namespace rml
