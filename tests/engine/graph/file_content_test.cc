#include "engine/graph/file_content.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/engine/no_descriptors_left.h"
#include "tests/engine/system_calls.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kMaxBytes = int64_t{1} << 48;

std::string Text(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

TEST(FileContent, HoldsTheBytes) {
  const TemporaryFolder folder;
  for (size_t size : {0, 1, 7, 4096, (64 << 10) - 1, 64 << 10, 256 << 10, 300'001}) {
    const auto content = FileContent::Read(folder.Write("f", Text(size)), kMaxBytes);
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_TRUE((*content)->bytes() == Text(size)) << size;
    EXPECT_EQ((*content)->crc32(), crc32_z(0, reinterpret_cast<const Bytef*>(Text(size).data()), size));
    EXPECT_EQ((*FileContent::Copy(Text(size)))->crc32(), (*content)->crc32());
    if (size > 0) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>((*content)->bytes().data()) % 64, 0u);
    }
  }
}

// With the file mapped the last loop would end the process.
TEST(FileContent, OutlivesWhatHappensToTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", Text(1 << 20));
  const auto content = FileContent::Read(path, kMaxBytes);
  ASSERT_TRUE(content.ok()) << content.status();
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_TRUE((*content)->bytes() == Text(1 << 20));
}

// What lies at a path, and what reading it says.
struct PathCase {
  const char* name;
  std::function<void(const TemporaryFolder& folder, const std::string& path)> make;
  StatusCode code;
  const char* message;
};

class PathTest : public testing::TestWithParam<PathCase> {};

TEST_P(PathTest, IsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string path = folder.Path("f");
  GetParam().make(folder, path);
  const absl::Status status = FileContent::Read(path, 1000).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_EQ(status.message(), GetParam().message);
}

void MakeSocket(const TemporaryFolder&, const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::strcpy(address.sun_path, path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  close(fd);
}

void LinkTo(const std::string& path, const std::string& target) { std::filesystem::create_symlink(target, path); }

INSTANTIATE_TEST_SUITE_P(
    FileContent, PathTest,
    testing::Values(PathCase{"Missing", [](const auto&, const auto&) {}, StatusCode::kNotFound,
                             "opening file 'f': No such file or directory"},
                    PathCase{"DanglingLink", [](const auto&, const auto& path) { LinkTo(path, "none"); },
                             StatusCode::kNotFound, "opening file 'f': No such file or directory"},
                    PathCase{"LinkToItself", [](const auto&, const auto& path) { LinkTo(path, "f"); },
                             StatusCode::kInvalidArgument, "opening file 'f': Too many levels of symbolic links"},
                    PathCase{"LinksInACircle",
                             [](const auto& folder, const auto& path) {
                               LinkTo(path, "g");
                               LinkTo(folder.Path("g"), "f");
                             },
                             StatusCode::kInvalidArgument, "opening file 'f': Too many levels of symbolic links"},
                    PathCase{"Folder", [](const auto&, const auto& path) { std::filesystem::create_directory(path); },
                             StatusCode::kInvalidArgument, "'f' is no regular file"},
                    PathCase{"Pipe", [](const auto&, const auto& path) { ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); },
                             StatusCode::kInvalidArgument, "'f' is no regular file"},
                    PathCase{"Socket", MakeSocket, StatusCode::kInvalidArgument,
                             "opening file 'f': No such device or address"},
                    PathCase{"EndlessDevice", [](const auto&, const auto& path) { LinkTo(path, "/dev/zero"); },
                             StatusCode::kInvalidArgument, "'f' is no regular file"},
                    PathCase{"TooLarge", [](const auto& folder, const auto&) { folder.Write("f", Text(1001)); },
                             StatusCode::kInvalidArgument, "file 'f' has 1001 bytes; expected at most 1000"}),
    [](const auto& test) { return test.param.name; });

TEST(FileContent, AFileInAFoldersPlace) {
  const TemporaryFolder folder;
  folder.Write("f", "");
  EXPECT_EQ(FileContent::Read(folder.Path("f/g"), 1000).status(),
            absl::NotFoundError("opening file 'g': Not a directory"));
}

// Regular by its type, but reading fails.
TEST(FileContent, AFileThatCannotBeRead) {
  const absl::Status status = FileContent::Read("/proc/self/mem", 1000).status();
  EXPECT_EQ(status, absl::DataLossError("reading file 'mem': Input/output error"));
}

TEST(FileContent, MoreThanTheMemoryIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", "");
  // A file larger than any memory takes a file system with holes: the largest file of some ends below 8 TiB.
  if (truncate(path.c_str(), int64_t{1} << 43) != 0) GTEST_SKIP() << "no sparse files here: " << std::strerror(errno);
  const absl::Status status = FileContent::Read(path, kMaxBytes).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              StartsWith("reading file 'f': out of memory: 8796093022208 bytes are needed and "));
}

TEST(FileContent, NoDescriptorsLeft) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("f", "text");
  {
    const NoDescriptorsLeft none;
    EXPECT_EQ(FileContent::Read(path, 1000).status(),
              absl::ResourceExhaustedError("opening file 'f': Too many open files"));
  }
  EXPECT_TRUE(FileContent::Read(path, 1000).ok());
}

class SystemCallTest : public testing::Test {
 protected:
  absl::Status Read(SystemCalls calls) {
    const ScopedSystemCalls scope(std::move(calls));
    return FileContent::Read(path_, kMaxBytes).status();
  }
  // An action in front of the first pread.
  SystemCalls BeforeTheFirstRead(std::function<void()> action) {
    return {.pread = [action, first = true](int fd, void* to, size_t count, off_t offset) mutable {
      if (std::exchange(first, false)) action();
      return RealPread(fd, to, count, offset);
    }};
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.Write("f", Text(1000));
};

TEST_F(SystemCallTest, ShortAndInterruptedReadsGoOn) {
  int calls = 0;
  const ScopedSystemCalls scope({.open =
                                     [&](const char*, int) {
                                       errno = EINTR;
                                       return ++calls % 2 == 1 ? -1 : 0;
                                     },
                                 .pread = [&](int fd, void* to, size_t count, off_t offset) -> ssize_t {
                                   errno = EINTR;
                                   return ++calls % 3 == 0 ? -1 : RealPread(fd, to, std::min<size_t>(count, 7), offset);
                                 }});
  const auto content = FileContent::Read(path_, kMaxBytes);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_TRUE((*content)->bytes() == Text(1000));
  EXPECT_GT(calls, 143);
}

TEST_F(SystemCallTest, ADeviceThatFailsHalfWay) {
  int calls = 0;
  EXPECT_EQ(Read({.pread = [&](int fd, void* to, size_t, off_t offset) -> ssize_t {
              errno = EIO;
              return ++calls == 3 ? -1 : RealPread(fd, to, 100, offset);
            }}),
            absl::DataLossError("reading file 'f': Input/output error"));
}

TEST_F(SystemCallTest, NotAllowed) {
  EXPECT_EQ(Read({.open =
                      [](const char*, int) {
                        errno = EACCES;
                        return -1;
                      }}),
            absl::PermissionDeniedError("opening file 'f': Permission denied"));
}

constexpr char kChanged[] = "file 'f' changed while it was read: it ";
constexpr char kAdvice[] = "; write a new file and rename it instead";

TEST_F(SystemCallTest, AFileThatShrinks) {
  EXPECT_EQ(Read(BeforeTheFirstRead([&] { ASSERT_EQ(truncate(path_.c_str(), 3), 0); })),
            absl::AbortedError(std::string(kChanged) + "had 1000 bytes, then 3" + kAdvice));
}

TEST_F(SystemCallTest, AFileThatGrows) {
  EXPECT_EQ(Read(BeforeTheFirstRead([&] { ASSERT_EQ(truncate(path_.c_str(), 1001), 0); })),
            absl::AbortedError(std::string(kChanged) + "had 1000 bytes, then more" + kAdvice));
}

TEST_F(SystemCallTest, AFileThatIsWrittenTo) {
  EXPECT_EQ(Read(BeforeTheFirstRead([&] {
              folder_.Write("f", Text(1000));
              const timespec times[2] = {{1, 0}, {1, 0}};  // the clock of a file system may not have moved
              ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
            })),
            absl::AbortedError(std::string(kChanged) + "was written to" + kAdvice));
}

TEST_F(SystemCallTest, AFileThatIsRemovedOrReplacedIsReadAsItWas) {
  EXPECT_TRUE(Read(BeforeTheFirstRead([&] { std::filesystem::remove(path_); })).ok());
  folder_.Write("f", Text(1000));
  EXPECT_TRUE(Read(BeforeTheFirstRead([&] { std::filesystem::rename(folder_.Write("g", "other"), path_); })).ok());
}

TEST(HoldPart, KeepsTheContentAndDropsThePartsPages) {
  const TemporaryFolder folder;
  const int64_t page = sysconf(_SC_PAGESIZE);
  const std::string text = Text(40 * page);
  auto content = FileContent::Read(folder.Write("f", text), kMaxBytes);
  ASSERT_TRUE(content.ok()) << content.status();
  const std::string_view bytes = (*content)->bytes();
  const auto part = [&](int64_t begin, int64_t end) { return bytes.substr(begin, end - begin); };
  auto first = FileContent::HoldPart(*content, part(0, 3 * page + 5));
  auto second = FileContent::HoldPart(*content, part(3 * page + 5, 10 * page));
  auto copy = second;
  content->reset();
  second.reset();
  EXPECT_TRUE(bytes == text) << "a copy is held";
  copy.reset();
  EXPECT_TRUE(part(0, 4 * page) == std::string_view(text).substr(0, 4 * page)) << "the page that both share stays";
  const std::string_view dropped = part(4 * page, 10 * page);
  EXPECT_TRUE(std::all_of(dropped.begin(), dropped.end(), [](char byte) { return byte == 0; }));
  EXPECT_TRUE(part(10 * page, 40 * page) == std::string_view(text).substr(10 * page));
}

}  // namespace
}  // namespace rml
