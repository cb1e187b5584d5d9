// Work that gives way to everybody else.
#pragma once

#include "absl/functional/function_ref.h"

namespace rml {

// Runs `body` on a thread of its own at the lowest priority and waits for it: what that thread starts has that priority
// too, and a thread cannot get out of it again. Runs it on this thread if none can be started.
void RunAtLowPriority(absl::FunctionRef<void()> body);

// Gives memory that was freed back to the system: the allocator keeps up to a gigabyte of it otherwise (main.cc).
void GiveBackFreeMemory();

}  // namespace rml
