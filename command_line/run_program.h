// What every program of this project does around its work.
#pragma once

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace rml {

// The whole of a main(): runs `body` and returns its exit code, or `failure_code` where that is 0 but what was printed did
// not get out, or where memory ran out; "NAME: writing to standard output: No space left on device" on standard error
// then says so.
//   Before the body: descriptors 0 to 2 that are closed are taken by something that can be neither read nor written, as
//   otherwise the next file or socket would get their number and what is printed. SIGPIPE and SIGXFSZ are ignored, so
//   that a closed pipe and a file beyond the size limit are errors of the write.
int RunProgram(const char* name, int failure_code, absl::FunctionRef<int()> body);

// Prints past the C library's buffer, for a line that a waiting program reads. The error names standard output.
absl::Status PrintNow(std::string_view text);

}  // namespace rml
