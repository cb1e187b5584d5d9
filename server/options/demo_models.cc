#include "server/options/demo_models.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rml {

absl::StatusOr<std::string> DemoModels() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::vector<fs::path> candidates = {folder / "../share/rml/models", folder / "../../../models",
                                            fs::path(RML_SOURCE_DIR) / "models"};
  std::vector<std::string> looked;
  for (const fs::path& candidate : candidates) {
    const fs::path path = candidate.lexically_normal();
    if (fs::is_directory(path, error)) return path.string();
    looked.push_back(path.string());
  }
  return absl::NotFoundError(
      absl::StrFormat("the bundled models are not there; looked in %s", absl::StrJoin(looked, ", ")));
}

}  // namespace rml
