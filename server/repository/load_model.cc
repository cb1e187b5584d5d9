#include "server/repository/load_model.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/base/usable_memory.h"
#include "server/repository/golden_check.h"
#include "server/repository/golden_rows.h"

namespace rml {
namespace {

// Callers see this message; where the files lie on this host is no business of theirs.
absl::Status WithoutFolder(const absl::Status& status, const std::string& directory) {
  const std::string message(status.message());
  return absl::Status(status.code(), absl::StrReplaceAll(message, {{directory + "/", ""}, {directory, "."}}));
}

absl::StatusOr<std::optional<Golden>> ReadGoldenIfThere(const std::string& directory) {
  absl::StatusOr<Golden> golden = ReadGolden(directory + "/golden.safetensors");
  if (absl::IsNotFound(golden.status())) return std::nullopt;
  if (!golden.ok()) return golden.status();
  return *std::move(golden);
}

// field_is: "max_rows is", "warm_up_rows has".
absl::Status CheckRows(const char* field_is, const Placed<int64_t>& rows, const Program& program, int64_t max_rows) {
  if (!program.symbolic()) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: %s %d; expected none, since this model's shapes are fixed",
                                                      rows.place, field_is, rows.value));
  }
  if (rows.value >= program.min_rows() && rows.value <= max_rows) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat("%s: %s %d; expected %d to %d, as many rows as this model takes",
                                                    rows.place, field_is, rows.value, program.min_rows(), max_rows));
}

// The rows that one request may have.
absl::StatusOr<int64_t> MaxRows(const ServeOptions& options, const Program& program) {
  int64_t max_rows = program.max_rows();
  if (options.max_rows) {
    RETURN_IF_ERROR(CheckRows("max_rows is", *options.max_rows, program, max_rows));
    max_rows = options.max_rows->value;
  }
  for (const Placed<int64_t>& rows : options.warm_up_rows) {
    RETURN_IF_ERROR(CheckRows("warm_up_rows has", rows, program, max_rows));
  }
  return max_rows;
}

// "besides 1000 bytes of constants and 2000 of packed weights": what the model holds already.
std::string Bill(const LoadedModel& model) {
  const MemoryBill& memory = model.program->memory();
  return absl::StrFormat("besides %d bytes of constants and %d of packed weights", memory.constants, memory.prepared);
}

// Arenas are mapped at once and fill up in the warm-up: what the system would give one by one it may not have for all.
absl::Status CheckArenasFit(const LoadedModel& model, int more_instances) {
  const int64_t arena = model.instances[0].executor->arena_bytes();
  const std::optional<int64_t> usable = UsableMemory();
  if (!usable || *usable / (more_instances + 1) >= arena) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "out of memory: %d instances need %d bytes of working memory each and %d can be had; serve it with fewer",
      more_instances + 1, arena, *usable));
}

// What the model holds once it serves; more when requests of more rows come.
int64_t MemoryOf(const LoadedModel& model) {
  int64_t bytes = model.program->memory().constants + model.program->memory().prepared;
  for (const ModelInstance& instance : model.instances) bytes += instance.executor->arena_bytes();
  return bytes;
}

absl::Status CheckMemoryLeft(const LoadedModel& model) {
  const std::optional<int64_t> left = model.options.memory_left;
  const int64_t needed = MemoryOf(model);
  if (!left || needed <= *left) return absl::OkStatus();
  const MemoryBill& memory = model.program->memory();
  return absl::ResourceExhaustedError(
      absl::StrFormat("it needs %d bytes: %d of constants, %d of packed weights and %d of working memory for %d "
                      "instances; %d are left of "
                      "the server's memory limit",
                      needed, memory.constants, memory.prepared, needed - memory.constants - memory.prepared,
                      model.instances.size(), std::max(*left, int64_t{0})));
}

// Before anything is read: the weights are held at least once, as they are or packed.
absl::Status CheckFileFits(const std::string& directory, const std::optional<int64_t>& left) {
  std::error_code none;  // without a file the loader says what is wrong
  const std::uintmax_t size = std::filesystem::file_size(directory + "/model.safetensors", none);
  if (none || !left || size <= static_cast<std::uintmax_t>(std::max(*left, int64_t{0}))) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "its weights alone are %d bytes; %d are left of the server's memory limit", size, std::max(*left, int64_t{0})));
}

absl::Status CheckAgainstGolden(const Golden& golden, LoadedModel& model, const RunControl& control) {
  ASSIGN_OR_RETURN(model.golden_max_error, CheckGolden(golden, *model.instances[0].executor, control));
  // An executor for this alone: those that serve keep the memory that their largest batch took.
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                   Executor::Create(model.program, {.num_threads = model.options.threads}));
  ASSIGN_OR_RETURN(model.golden_sizes, CheckGoldenRows(golden, *executor, control));
  return absl::OkStatus();
}

absl::Status WarmUpOn(const std::vector<Tensor>& inputs, LoadedModel& model, const RunControl& control) {
  for (ModelInstance& instance : model.instances) {
    RETURN_IF_ERROR(Annotate(instance.executor->Run(Views(inputs), instance.outputs, control), "warm-up"));
  }
  return absl::OkStatus();
}

absl::Status WarmUpOnZeros(int64_t rows, LoadedModel& model, const RunControl& control) {
  ASSIGN_OR_RETURN(const std::vector<Tensor> zeros, model.program->ZeroInputs(rows));
  return WarmUpOn(zeros, model, control);
}

// Every executor runs, so that the first request finds plans, arenas and pages in place.
absl::Status WarmUp(LoadedModel& model, const RunControl& control) {
  const Program& program = *model.program;
  if (model.golden) {
    RETURN_IF_ERROR(WarmUpOn(model.golden->inputs, model, control));
  } else {
    RETURN_IF_ERROR(WarmUpOnZeros(program.min_rows(), model, control));
  }
  for (const Placed<int64_t>& rows : model.options.warm_up_rows) {
    RETURN_IF_ERROR(WarmUpOnZeros(rows.value, model, control));
  }
  return absl::OkStatus();
}

absl::StatusOr<LoadedModel> Load(const std::string& directory, const ServeOptions& options,
                                 const std::atomic<bool>& stop) {
  const RunControl control{.cancelled = &stop};
  LoadedModel model;
  model.options = options;
  RETURN_IF_ERROR(CheckFileFits(directory, options.memory_left));
  ASSIGN_OR_RETURN(model.program, Program::Load(directory + "/model.json", options.program));
  ASSIGN_OR_RETURN(model.max_rows, MaxRows(options, *model.program));
  for (int i = 0; i < options.instances; ++i) {
    if (stop) return absl::CancelledError("loading was stopped");
    absl::StatusOr<std::unique_ptr<Executor>> executor =
        Executor::Create(model.program, {.num_threads = options.threads});
    if (!executor.ok()) return Annotate(executor.status(), Bill(model));
    model.instances.push_back({.executor = *std::move(executor)});
    if (i == 0) RETURN_IF_ERROR(Annotate(CheckArenasFit(model, options.instances - 1), Bill(model)));
  }
  RETURN_IF_ERROR(CheckMemoryLeft(model));
  ASSIGN_OR_RETURN(model.golden, ReadGoldenIfThere(directory));
  if (model.golden) RETURN_IF_ERROR(CheckAgainstGolden(*model.golden, model, control));
  RETURN_IF_ERROR(WarmUp(model, control));
  RETURN_IF_ERROR(CheckMemoryLeft(model));  // warming up on more rows may have taken more
  return model;
}

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(const ModelSource& source, const ServeOptions& options,
                                      const std::atomic<bool>& stop) {
  return CatchOutOfMemory("loading the model", [&]() -> absl::StatusOr<LoadedModel> {
    absl::StatusOr<LoadedModel> model = Load(source.directory, options, stop);
    if (!model.ok()) return WithoutFolder(model.status(), source.directory);
    return model;
  });
}

}  // namespace rml
