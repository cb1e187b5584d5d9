// A loaded model as Python sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/engine_binding/arrays.h"
#include "engine/exec/executor.h"
#include "engine/exec/program.h"
#include "engine/exec/step_profile.h"
#include "nanobind/nanobind.h"

namespace rml {

// Methods are called with the GIL, which guards idle_; a run gives it up. Any number of threads may call run() at once:
// each call has an executor of its own, taken from those idle or made.
class Model {
 public:
  // threads: of one run; none, or more than the process may use: as many as that. Raises what Program::Load and
  // Executor::Create return.
  static std::unique_ptr<Model> Load(const std::string& path, std::optional<int> threads,
                                     const ProgramOptions& options);

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const Program& program() const { return *program_; }
  int threads() const { return options_.num_threads; }

  // Outputs by name from inputs by name, and in order from those in order. `out`: None, or arrays to fill, as a dict or a
  // sequence.
  nanobind::dict RunNamed(const nanobind::dict& inputs, nanobind::handle out);
  nanobind::tuple RunInOrder(const nanobind::args& inputs, nanobind::handle out);

  // inputs: None for zeros of `rows` rows, or a dict or sequence.
  RunProfile Profile(nanobind::handle inputs, int runs, int64_t rows);
  std::vector<StepInfo> StepInfos(int64_t rows);

 private:
  class Lease;
  // Each keeps its arena. More calls than this at once are rare, and those past it make their executor anew.
  static constexpr size_t kMaxIdle = 16;

  Model(std::shared_ptr<const Program> program, const ExecutorOptions& options);
  std::vector<nanobind::object> Run(nanobind::handle inputs, nanobind::handle out);
  void CheckRows(int64_t rows) const;

  std::shared_ptr<const Program> program_;
  ExecutorOptions options_;
  Numpy numpy_;
  std::vector<std::unique_ptr<Executor>> idle_;  // at most kMaxIdle
};

}  // namespace rml
