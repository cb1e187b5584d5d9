#include "loadtest/server_process.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace rml {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Words(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
}

// The number after "KEY:" in /proc/PID/status; 0 without.
int64_t StatusNumber(std::string_view status, std::string_view key) {
  const size_t at = status.find(key);
  if (at == std::string_view::npos) return 0;
  const std::vector<std::string> words = Words(status.substr(at + key.size(), 64));
  int64_t number = 0;
  return !words.empty() && absl::SimpleAtoi(words[0], &number) ? number : 0;
}

bool HoldsSocket(const std::filesystem::path& process, const std::string& link) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(process / "fd", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (std::filesystem::read_symlink(it->path(), gone) == link) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ProcessUsage> ParseProcessUsage(std::string_view stat, std::string_view status,
                                               double ticks_per_second) {
  // The second field is the program's name in brackets, which may hold spaces and brackets.
  const size_t name_end = stat.rfind(')');
  const std::vector<std::string> fields =
      Words(name_end == std::string_view::npos ? std::string_view() : stat.substr(name_end + 1));
  int64_t user = 0;
  int64_t system = 0;
  if (fields.size() < 13 || !absl::SimpleAtoi(fields[11], &user) || !absl::SimpleAtoi(fields[12], &system)) {
    return absl::NotFoundError("there is no such process");
  }
  return ProcessUsage{.cpu_seconds = static_cast<double>(user + system) / ticks_per_second,
                      .rss_bytes = StatusNumber(status, "\nVmRSS:") * 1024,
                      .threads = StatusNumber(status, "\nThreads:")};
}

absl::StatusOr<ProcessUsage> ReadProcessUsage(int pid) {
  const std::string folder = absl::StrCat("/proc/", pid);
  return ParseProcessUsage(ReadText(folder + "/stat"), ReadText(folder + "/status"),
                           static_cast<double>(sysconf(_SC_CLK_TCK)));
}

int64_t ParseListener(std::string_view table, int port) {
  const std::string local_end = absl::StrFormat(":%04X", port);
  for (const auto line : absl::StrSplit(absl::string_view(table.data(), table.size()), '\n')) {
    const std::vector<std::string> fields = Words({line.data(), line.size()});
    // sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
    int64_t inode = 0;
    if (fields.size() >= 10 && fields[3] == "0A" && fields[1].ends_with(local_end) &&
        absl::SimpleAtoi(fields[9], &inode)) {
      return inode;
    }
  }
  return 0;
}

std::optional<int> FindListener(int port) {
  int64_t inode = ParseListener(ReadText("/proc/net/tcp"), port);
  if (inode == 0) inode = ParseListener(ReadText("/proc/net/tcp6"), port);
  if (inode == 0) return std::nullopt;
  const std::string link = absl::StrFormat("socket:[%d]", inode);
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    int pid = 0;
    if (absl::SimpleAtoi(it->path().filename().string(), &pid) && HoldsSocket(it->path(), link)) return pid;
  }
  return std::nullopt;
}

}  // namespace rml
