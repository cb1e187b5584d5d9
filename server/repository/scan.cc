#include "server/repository/scan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"
#include "server/config/model_config_file.h"
#include "server/repository/file_stamp.h"
#include "server/repository/version_policy.h"

namespace rml {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameLength = 128;
constexpr char kNameRule[] = "letters, digits, '.', '_' and '-', at most 128, not starting with '.'";

bool IsModelName(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kMaxNameLength && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), allowed);
}

// A positive integer as people write it; "01" and "+1" are not, lest two folders mean one version.
std::optional<int64_t> ParseVersion(const std::string& text) {
  int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version <= 0 || text[0] == '0') return std::nullopt;
  return version;
}

// The folders in `directory`, sorted; hidden ones are left out. Links to folders count.
absl::StatusOr<std::vector<std::string>> Folders(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (name[0] != '.' && it->is_directory(ignored)) names.push_back(name);
  }
  if (error == std::errc::permission_denied) return absl::PermissionDeniedError("the folder cannot be read");
  if (error == std::errc::not_a_directory) return absl::NotFoundError("it is no folder");
  if (error == std::errc::no_such_file_or_directory) return absl::NotFoundError("there is no such folder");
  if (error) {
    return absl::ResourceExhaustedError(absl::StrFormat("the folder cannot be read: %s", error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Those of the folder names that are versions; else the reason why there are none.
absl::StatusOr<std::vector<int64_t>> Versions(const fs::path& directory, const std::vector<std::string>& folders) {
  std::vector<int64_t> versions;
  for (const std::string& folder : folders) {
    if (const std::optional<int64_t> version = ParseVersion(folder)) versions.push_back(*version);
  }
  if (!versions.empty()) return versions;
  std::error_code ignored;
  if (fs::exists(directory / "model.json",
                 ignored)) {  // one level too high: in the model's folder, or the root's above it
    return absl::NotFoundError(
        "there is no version folder; model.json stands in the model's own folder, expected in a folder such as 1 in "
        "it");
  }
  if (folders.empty()) {
    return absl::NotFoundError("there is no version folder; expected a folder named by a positive integer, such as 1");
  }
  return absl::NotFoundError(
      absl::StrCat("there is no version folder; expected a positive integer such as 1, got ", QuotedList(folders)));
}

absl::Status ScanModel(const fs::path& directory, const std::string& name, ScanResult& result) {
  if (!IsModelName(name)) {
    return absl::InvalidArgumentError(absl::StrFormat("the folder's name is not a model name; expected %s", kNameRule));
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> folders, Folders(directory));
  const std::string config_stamp = StampOfConfig(directory.string());  // before it is read: a change meanwhile shows
  ASSIGN_OR_RETURN(const ModelConfig config, ReadModelConfig(directory.string()));
  absl::StatusOr<std::vector<int64_t>> versions = Versions(directory, folders);
  if (!versions.ok()) {
    result.unusable.push_back({name, 0, std::string(versions.status().message()), UnusableModel::Why::kMissing});
    return absl::OkStatus();
  }
  const SelectedVersions selected = SelectVersions(config.version_policy, *std::move(versions));
  for (int64_t version : selected.serve) {
    const std::string folder = (directory / std::to_string(version)).string();
    result.models.push_back({name, version, folder, config, StampOfVersion(folder) + config_stamp});
  }
  for (const Placed<int64_t>& version : selected.missing) {
    result.unusable.push_back(
        {name, version.value,
         absl::StrFormat("%s: version %d is asked for; there is no folder of that name", version.place, version.value),
         UnusableModel::Why::kMissing});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ScanResult> ScanRepository(const std::string& root) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Folders(root));
  ScanResult result;
  for (const std::string& name : names) {
    const absl::Status status = ScanModel(fs::path(root) / name, name, result);
    if (!status.ok())
      result.unusable.push_back({IsModelName(name) ? name : Excerpt(name), 0, std::string(status.message())});
  }
  return result;
}

absl::StatusOr<ModelSource> ParseModelFlag(const std::string& flag) {
  const size_t equals = flag.find('=');
  if (equals == std::string::npos || equals + 1 == flag.size()) {
    return absl::InvalidArgumentError(absl::StrFormat("--model expects NAME=DIR, got '%s'", flag));
  }
  ModelSource source{.name = flag.substr(0, equals), .directory = flag.substr(equals + 1)};
  if (!IsModelName(source.name)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--model: '%s' is not a model name; expected %s", source.name, kNameRule));
  }
  return source;
}

}  // namespace rml
