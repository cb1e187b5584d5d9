#include "client/engine_binding/model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/engine_binding/errors.h"
#include "engine/base/usable_cpus.h"
#include "engine/kernels/dispatch.h"

namespace rml {

namespace nb = nanobind;

// An executor for one call, given back at its end. Made and destroyed with the GIL.
class Model::Lease {
 public:
  explicit Lease(Model& model) : model_(model) {
    if (!model.idle_.empty()) {
      executor_ = std::move(model.idle_.back());
      model.idle_.pop_back();
      return;
    }
    absl::StatusOr<std::unique_ptr<Executor>> made = [&] {
      const nb::gil_scoped_release released;
      return Executor::Create(model.program_, model.options_);
    }();
    executor_ = ValueOrRaise(std::move(made));
  }
  ~Lease() {
    if (model_.idle_.size() < kMaxIdle) model_.idle_.push_back(std::move(executor_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Executor& operator*() { return *executor_; }
  Executor* operator->() { return executor_.get(); }

 private:
  Model& model_;
  std::unique_ptr<Executor> executor_;
};

Model::Model(std::shared_ptr<const Program> program, const ExecutorOptions& options)
    : program_(std::move(program)), options_(options) {
  idle_.reserve(kMaxIdle);
}

std::unique_ptr<Model> Model::Load(const std::string& path, std::optional<int> threads, const ProgramOptions& options) {
  RaiseIfError(SelectKernels());
  if (threads && *threads < 1) {
    Raise(absl::InvalidArgumentError(absl::StrFormat("threads is %d; expected at least 1", *threads)));
  }
  absl::StatusOr<std::shared_ptr<const Program>> program = [&] {
    const nb::gil_scoped_release released;
    return Program::Load(path, options);
  }();
  const int usable = UsableCpus();
  std::unique_ptr<Model> model(
      new Model(ValueOrRaise(std::move(program)), {.num_threads = std::min(threads.value_or(usable), usable)}));
  const Lease first(*model);  // so that what cannot be planned fails here, and the first run finds it made
  return model;
}

nb::dict Model::RunNamed(const nb::dict& inputs, nb::handle out) {
  const std::vector<nb::object> outputs = Run(inputs, out);
  nb::dict named;
  for (size_t i = 0; i < outputs.size(); ++i) named[program_->outputs()[i].name.c_str()] = outputs[i];
  return named;
}

nb::tuple Model::RunInOrder(const nb::args& inputs, nb::handle out) {
  nb::list outputs;
  for (const nb::object& output : Run(inputs, out)) outputs.append(output);
  return nb::tuple(outputs);
}

std::vector<nb::object> Model::Run(nb::handle inputs, nb::handle out) {
  const InputArrays given(*program_, numpy_, InModelOrder("input", program_->inputs(), inputs));
  const int64_t rows = ValueOrRaise(program_->CheckInputs(given.views()));
  const OutputArrays filled = out.is_none() ? OutputArrays(*program_, numpy_, rows)
                                            : OutputArrays(*program_, InModelOrder("output", program_->outputs(), out));
  Lease executor(*this);
  const absl::Status status = [&] {
    const nb::gil_scoped_release released;
    return executor->RunInto(given.views(), filled.views());
  }();
  RaiseIfError(status);
  return filled.objects();
}

RunProfile Model::Profile(nb::handle inputs, int runs, int64_t rows) {
  if (runs < 1) Raise(absl::InvalidArgumentError(absl::StrFormat("runs is %d; expected at least 1", runs)));
  std::vector<Tensor> zeros;
  std::optional<InputArrays> given;
  std::vector<ConstTensorView> views;
  if (inputs.is_none()) {
    CheckRows(rows);
    zeros = ValueOrRaise(program_->ZeroInputs(rows));
    views = Views(zeros);
  } else {
    given.emplace(*program_, numpy_, InModelOrder("input", program_->inputs(), inputs));
    views.assign(given->views().begin(), given->views().end());
  }
  Lease executor(*this);
  absl::StatusOr<RunProfile> profile = [&] {
    const nb::gil_scoped_release released;
    std::vector<Tensor> outputs;
    return ProfileRuns(*executor, views, runs, outputs);
  }();
  return ValueOrRaise(std::move(profile));
}

std::vector<StepInfo> Model::StepInfos(int64_t rows) {
  CheckRows(rows);
  Lease executor(*this);
  return ValueOrRaise(executor->step_info(rows));
}

void Model::CheckRows(int64_t rows) const {
  if (!program_->symbolic() || (rows >= program_->min_rows() && rows <= program_->max_rows())) return;
  Raise(absl::InvalidArgumentError(
      absl::StrFormat("rows is %d; this model takes %d to %d", rows, program_->min_rows(), program_->max_rows())));
}

}  // namespace rml
