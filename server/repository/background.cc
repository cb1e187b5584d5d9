#include "server/repository/background.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>
#include <thread>

namespace rml {

void RunAtLowPriority(absl::FunctionRef<void()> body) {
  std::thread thread;
  try {
    thread = std::thread([body] {
      // Of this thread alone, on Linux. 19 gives it a sixty-eighth of a normal thread's time where both want the same CPU.
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
      body();
    });
  } catch (const std::system_error&) {
    return body();
  }
  thread.join();
}

void GiveBackFreeMemory() { malloc_trim(0); }

}  // namespace rml
