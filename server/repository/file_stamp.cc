#include "server/repository/file_stamp.h"

#include <sys/stat.h>

#include <cstdint>

#include "absl/strings/str_format.h"
#include "server/config/model_config.h"

namespace rml {
namespace {

// "-" for no file. Links are followed: what they point at is what is loaded.
std::string StampOf(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return "-;";
  const auto nanoseconds = [](const timespec& time) { return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec; };
  return absl::StrFormat("%x.%x.%x.%x;", info.st_ino, info.st_size, nanoseconds(info.st_mtim),
                         nanoseconds(info.st_ctim));
}

}  // namespace

std::string StampOfVersion(const std::string& directory) {
  return StampOf(directory + "/model.json") + StampOf(directory + "/model.safetensors") +
         StampOf(directory + "/golden.safetensors");
}

std::string StampOfConfig(const std::string& directory) { return StampOf(directory + "/" + kModelConfigFile); }

}  // namespace rml
