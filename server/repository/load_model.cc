#include "server/repository/load_model.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "engine/base/status_macros.h"
#include "server/repository/golden_check.h"

namespace rml {
namespace {

constexpr char kGoldenFile[] = "golden.safetensors";

// Callers see this message; where the files lie on this host is no business of theirs.
absl::Status WithoutFolder(const absl::Status& status, const std::string& directory) {
  const std::string message(status.message());
  return absl::Status(status.code(), absl::StrReplaceAll(message, {{directory + "/", ""}, {directory, "."}}));
}

absl::StatusOr<std::optional<Golden>> ReadGoldenIfThere(const std::string& directory) {
  absl::StatusOr<Golden> golden = ReadGolden(directory + "/" + kGoldenFile);
  if (absl::IsNotFound(golden.status())) return std::nullopt;
  if (!golden.ok()) return Annotate(golden.status(), kGoldenFile);
  return *std::move(golden);
}

// Every executor runs once, so that the first request finds plans, arenas and pages in place.
absl::Status WarmUp(LoadedModel& model) {
  const Program& program = *model.program;
  const std::vector<Tensor> zeros = model.golden ? std::vector<Tensor>() : ZeroInputs(program, program.min_rows());
  const std::vector<ConstTensorView> inputs = Views(model.golden ? model.golden->inputs : zeros);
  for (ModelInstance& instance : model.instances) {
    RETURN_IF_ERROR(Annotate(instance.executor->Run(inputs, instance.outputs), "warm-up"));
  }
  return absl::OkStatus();
}

absl::StatusOr<LoadedModel> Load(const std::string& directory, const LoadOptions& options) {
  LoadedModel model;
  model.threads = options.threads;
  ASSIGN_OR_RETURN(model.program, Program::Load(directory + "/model.json", options.program));
  for (int i = 0; i < options.instances; ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                     Executor::Create(model.program, {.num_threads = options.threads}));
    model.instances.push_back({std::move(executor), {}});
  }
  ASSIGN_OR_RETURN(model.golden, ReadGoldenIfThere(directory));
  if (model.golden) {
    ASSIGN_OR_RETURN(model.golden_max_error, CheckGolden(*model.golden, *model.instances[0].executor));
  }
  RETURN_IF_ERROR(WarmUp(model));
  return model;
}

}  // namespace

int64_t LoadedModel::arena_bytes() const {
  int64_t bytes = 0;
  for (const ModelInstance& instance : instances) bytes += instance.executor->arena_bytes();
  return bytes;
}

absl::StatusOr<LoadedModel> LoadModel(const ModelSource& source, const LoadOptions& options) {
  absl::StatusOr<LoadedModel> model = Load(source.directory, options);
  if (!model.ok()) return WithoutFolder(model.status(), source.directory);
  return model;
}

std::vector<Tensor> ZeroInputs(const Program& program, int64_t rows) {
  std::vector<Tensor> inputs;
  for (const TensorInfo& info : program.inputs()) {
    Shape shape;
    for (const Dim& dim : info.shape) shape.push_back(dim.At(rows));
    inputs.emplace_back(info.dtype, shape);
  }
  return inputs;
}

}  // namespace rml
