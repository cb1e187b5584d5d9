#include "tests/engine/random/check_case.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/graph_file.h"
#include "tests/engine/random/base_run.h"
#include "tests/engine/random/check_bits.h"

namespace rml {
namespace {

// Outputs of some rows, from an executor that has run others.
class RowsChecker {
 public:
  RowsChecker(const RandomCase& random_case, const Graph& graph) : case_(random_case), graph_(graph) {}

  std::optional<CheckFailure> Run(bool fuse) {
    const std::string name = fuse ? "fused" : "unfused";
    const auto program = Program::Compile(graph_, {.fuse = fuse});
    if (!program.ok()) return CheckFailure{"rows", absl::StrCat(name, ": ", program.status().ToString())};
    const auto executor = Executor::Create(*program);
    if (!executor.ok()) return CheckFailure{"rows", absl::StrCat(name, ": ", executor.status().ToString())};
    const int64_t rows = case_.max_rows();
    std::vector<Tensor> batch, alone;
    absl::Status status = (*executor)->Run(ViewsOf(InputsAt(case_, rows)), batch);
    for (int64_t row : std::set<int64_t>{0, rows / 2, rows - 1}) {
      if (status.ok()) status = (*executor)->Run(ViewsOf(InputsOfRow(case_, row)), alone);
      if (!status.ok()) return CheckFailure{"rows", absl::StrCat(name, ": ", status.ToString())};
      for (size_t i = 0; i < batch.size(); ++i) {
        if (!graph_.outputs[i].row_independent) continue;
        const std::string differs = BitDifference(alone[i], RowOf(batch[i], row, rows));
        if (!differs.empty()) {
          return CheckFailure{"rows", absl::StrFormat("%s: output '%s', row %d alone %s as in a batch of %d", name,
                                                      graph_.outputs[i].name, row, differs, rows)};
        }
      }
    }
    return std::nullopt;
  }

 private:
  const RandomCase& case_;
  const Graph& graph_;
};

std::string FileBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

CheckFailure FilesFailure(const std::string& what) { return {"files", what}; }

}  // namespace

std::optional<CheckFailure> CheckRows(const RandomCase& random_case) {
  if (random_case.graph.min_rows != 1 || random_case.max_rows() == 1) return std::nullopt;
  const Graph all = WithAllOutputs(random_case.graph);
  if (auto failure = RowsChecker(random_case, all).Run(false)) return failure;
  return RowsChecker(random_case, random_case.graph).Run(true);
}

std::optional<CheckFailure> CheckFiles(const RandomCase& random_case, const BaseRuns& base, const std::string& dir) {
  const std::filesystem::path first = std::filesystem::path(dir) / "first.json", second = dir + "/second.json";
  if (const absl::Status status = WriteGraphFile(random_case.graph, first); !status.ok()) {
    return FilesFailure(absl::StrCat("writing: ", status.ToString()));
  }
  const auto read = ReadGraphFile(first);
  if (!read.ok()) return FilesFailure(absl::StrCat("reading: ", read.status().ToString()));
  const std::string before = PrintGraph(random_case.graph), after = PrintGraph(*read);
  if (before != after) return FilesFailure(absl::StrCat("printed before\n", before, "and after\n", after));
  if (const absl::Status status = WriteGraphFile(*read, second); !status.ok()) {
    return FilesFailure(absl::StrCat("writing again: ", status.ToString()));
  }
  for (const char* extension : {".json", ".safetensors"}) {
    if (FileBytes(std::filesystem::path(first).replace_extension(extension)) !=
        FileBytes(std::filesystem::path(second).replace_extension(extension))) {
      return FilesFailure(absl::StrCat("the second ", extension, " file has other bytes"));
    }
  }
  const auto program = Program::Load(first);
  if (!program.ok()) return FilesFailure(absl::StrCat("loading: ", program.status().ToString()));
  const auto executor = Executor::Create(*program);
  if (!executor.ok()) return FilesFailure(executor.status().ToString());
  const BaseRun& run = base.begin()->second;
  std::vector<Tensor> outputs;
  if (const absl::Status status = (*executor)->Run(ViewsOf(run.inputs), outputs); !status.ok()) {
    return FilesFailure(status.ToString());
  }
  const std::string differs = DifferenceFromBase(random_case.graph, outputs, run);
  if (!differs.empty()) return FilesFailure(absl::StrCat("as read: ", differs));
  return std::nullopt;
}

std::optional<CheckFailure> CheckCase(const RandomCase& random_case, const CheckOptions& options) {
  const auto runner = BaseRunner::Make(random_case);
  if (!runner.ok()) return CheckFailure{"nodes", runner.status().ToString()};
  BaseRuns base;
  for (int64_t rows : std::set<int64_t>(random_case.row_counts.begin(), random_case.row_counts.end())) {
    auto run = runner->Run(InputsAt(random_case, rows));
    const std::string at = random_case.graph.symbolic ? absl::StrFormat("B = %d: ", rows) : "";
    if (!run.ok()) return CheckFailure{"nodes", absl::StrCat(at, run.status().ToString())};
    const std::string wrong = CheckNodes(random_case.graph, rows, *run);
    if (!wrong.empty()) return CheckFailure{"nodes", absl::StrCat(at, wrong)};
    base[rows] = *std::move(run);
  }
  const auto& [rows, first] = *base.begin();
  const std::string wrong = CheckReferenceChain(runner->graph(), rows, first);
  if (!wrong.empty()) return CheckFailure{"nodes", wrong};
  if (auto failure = CheckBits(random_case, base)) return failure;
  if (auto failure = CheckRows(random_case)) return failure;
  if (options.scratch_dir.empty()) return std::nullopt;
  return CheckFiles(random_case, base, options.scratch_dir);
}

}  // namespace rml
