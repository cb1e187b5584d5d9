#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rml {

// While it lives, this process cannot open anything. Not for tests that run beside others in the same process.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    // UBSan reads the type of an object that it has not met through a pipe, and takes the object for damaged where none
    // can be opened: let it meet the one that describes the error.
    for (const std::error_category* category : {&std::system_category(), &std::generic_category()}) {
      const std::error_code error(EMFILE, *category);
      EXPECT_FALSE(error.message().empty());
      EXPECT_TRUE(error == std::errc::too_many_files_open);
    }
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = dup(STDERR_FILENO);
    EXPECT_GE(next, 0);
    close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptorsLeft() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

}  // namespace rml
