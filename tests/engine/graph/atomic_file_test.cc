#include "engine/graph/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/engine/system_calls.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

using absl::StatusCode;

TEST(WriteFileAtomically, ReplacesTheWholeFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", "a longer old text");
  ASSERT_TRUE(WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(FileBytes(path), "new");
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_EQ(FileBytes(path), "");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(WriteFileAtomically, WhereThereIsNoFolder) {
  const TemporaryFolder folder;
  EXPECT_EQ(WriteFileAtomically(folder.Path("none/f"), "x"),
            absl::NotFoundError("creating file 'f': No such file or directory"));
  folder.Write("file", "");
  EXPECT_EQ(WriteFileAtomically(folder.Path("file/f"), "x"), absl::NotFoundError("creating file 'f': Not a directory"));
  EXPECT_EQ(folder.NumFiles(), 1u);
}

// As root, replacing a device by a file would be allowed.
TEST(WriteFileAtomically, ReplacesNothingButFiles) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("folder"));
  ASSERT_EQ(mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/full", folder.Path("device"));
  for (const std::string name : {"folder", "pipe", "device"}) {
    EXPECT_EQ(WriteFileAtomically(folder.Path(name), "x"),
              absl::InvalidArgumentError("'" + name + "' is no regular file; expected one to replace, or none"));
  }
  EXPECT_EQ(folder.NumFiles(), 3u);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  std::filesystem::create_symlink("loop", folder.Path("loop"));
  EXPECT_EQ(WriteFileAtomically(folder.Path("loop"), "x"),
            absl::InvalidArgumentError("creating file 'loop': Too many levels of symbolic links"));
}

TEST(WriteFileAtomically, FollowsLinks) {
  const TemporaryFolder folder;
  folder.Write("data/f", "old");
  std::filesystem::create_symlink("data/f", folder.Path("link"));
  ASSERT_TRUE(WriteFileAtomically(folder.Path("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.Path("link")));
  EXPECT_EQ(FileBytes(folder.Path("data/f")), "new");
}

TEST(WriteFileAtomically, ConcurrentWritersLeaveOneOfTheTexts) {
  const TemporaryFolder folder;
  const std::string texts[] = {std::string(100'000, 'a'), std::string(200'000, 'b')};
  std::vector<std::thread> writers;
  for (const std::string& text : texts) {
    writers.emplace_back([&] { EXPECT_TRUE(WriteFileAtomically(folder.Path("f"), text).ok()); });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string got = FileBytes(folder.Path("f"));
  EXPECT_TRUE(got == texts[0] || got == texts[1]);
  EXPECT_EQ(folder.NumFiles(), 1u);
}

// Two files of which a call for the second fails.
struct FaultCase {
  const char* name;
  SystemCalls (*calls)(int error);
  const char* doing;
};

struct ErrorCase {
  int error;
  StatusCode code;
};

// `fail` on the `at`-th call.
template <typename R, typename... A>
std::function<R(A...)> FailAt(int at, int error, R (*real)(A...)) {
  return [at, error, real, calls = 0](A... arguments) mutable {
    if (++calls != at) return real(arguments...);
    errno = error;
    return R{-1};
  };
}

int NoFlush(int) { return 0; }

const FaultCase kFaults[] = {
    {"Write", [](int error) { return SystemCalls{.write = FailAt(2, error, &RealWrite)}; }, "writing"},
    // Room for half of it.
    {"ShortWrite",
     [](int error) {
       return SystemCalls{.write = [error, calls = 0](int fd, const void* from, size_t count) mutable -> ssize_t {
         if (++calls < 3) return RealWrite(fd, from, std::min<size_t>(count, 3));
         errno = error;
         return -1;
       }};
     },
     "writing"},
    {"Flush", [](int error) { return SystemCalls{.fsync = FailAt(2, error, &NoFlush)}; }, "flushing"},
};

const ErrorCase kErrors[] = {{ENOSPC, StatusCode::kResourceExhausted},
                             {EDQUOT, StatusCode::kResourceExhausted},
                             {EFBIG, StatusCode::kResourceExhausted},
                             {EIO, StatusCode::kDataLoss},
                             {EROFS, StatusCode::kPermissionDenied}};

class FaultTest : public testing::TestWithParam<std::tuple<FaultCase, ErrorCase>> {};

TEST_P(FaultTest, LeavesTheOldFilesAndNoOther) {
  const auto& [fault, error] = GetParam();
  const TemporaryFolder folder;
  const std::string a = folder.Write("a", "old a"), b = folder.Write("b", "old b");
  const FileToWrite files[] = {{a, "new"}, {b, "new text of b"}};
  absl::Status status;
  {
    const ScopedSystemCalls scope(fault.calls(error.error));
    status = WriteFilesAtomically(files);
  }
  EXPECT_EQ(status.code(), error.code) << status;
  EXPECT_EQ(status.message(), std::string(fault.doing) + " file 'b': " + std::strerror(error.error));
  EXPECT_EQ(FileBytes(a), "old a");
  EXPECT_EQ(FileBytes(b), "old b");
  EXPECT_EQ(folder.NumFiles(), 2u);
  ASSERT_TRUE(WriteFilesAtomically(files).ok()) << "a second try with room";
  EXPECT_EQ(FileBytes(a) + FileBytes(b), "newnew text of b");
}

INSTANTIATE_TEST_SUITE_P(WriteFiles, FaultTest,
                         testing::Combine(testing::ValuesIn(kFaults), testing::ValuesIn(kErrors)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + std::to_string(std::get<1>(test.param).error);
                         });

TEST(WriteFiles, ShortAndInterruptedWritesGoOn) {
  const TemporaryFolder folder;
  const std::string text(1000, 'x');
  int calls = 0;
  {
    const ScopedSystemCalls scope({.write = [&](int fd, const void* from, size_t count) -> ssize_t {
      errno = EINTR;
      return ++calls % 2 == 0 ? -1 : RealWrite(fd, from, std::min<size_t>(count, 7));
    }});
    ASSERT_TRUE(WriteFileAtomically(folder.Path("f"), text).ok());
  }
  EXPECT_EQ(FileBytes(folder.Path("f")), text);
  EXPECT_GT(calls, 143);
}

TEST(WriteFiles, ARenameThatFailsLeavesNoTemporaryFile) {
  const TemporaryFolder folder;
  const ScopedSystemCalls scope({.rename = [](const char*, const char*) {
    errno = EIO;
    return -1;
  }});
  EXPECT_EQ(WriteFileAtomically(folder.Write("f", "old"), "new"),
            absl::DataLossError("renaming file 'f': Input/output error"));
  EXPECT_EQ(FileBytes(folder.Path("f")), "old");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

TEST(WriteFiles, BeyondTheLimitOfFileSizes) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", "old");
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{1000, limit.rlim_max};
  auto* const handler = signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFileAtomically(path, std::string(1001, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(status, absl::ResourceExhaustedError("writing file 'f': File too large"));
  EXPECT_EQ(FileBytes(path), "old");
  EXPECT_EQ(folder.NumFiles(), 1u);
}

// A real full disk, where mounting one is allowed.
TEST(WriteFiles, OnAFullDisk) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("disk"));
  // Mounting takes root; without it BeyondTheLimitOfFileSizes and the injected errors stand for a full disk.
  if (mount("tmpfs", folder.Path("disk").c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "no file system can be mounted here: " << std::strerror(errno);
  }
  const std::string path = folder.Write("disk/f", "old");
  const absl::Status status = WriteFileAtomically(path, std::string(1 << 20, 'x'));
  const std::string left = FileBytes(path);
  const auto files = std::distance(std::filesystem::directory_iterator(folder.Path("disk")), {});
  ASSERT_EQ(umount(folder.Path("disk").c_str()), 0);
  EXPECT_EQ(status, absl::ResourceExhaustedError("writing file 'f': No space left on device"));
  EXPECT_EQ(left, "old");
  EXPECT_EQ(files, 1);
}

}  // namespace
}  // namespace rml
