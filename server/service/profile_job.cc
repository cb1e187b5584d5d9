#include "server/service/profile_job.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/base/thread_pool.h"
#include "engine/exec/step_profile.h"
#include "server/service/problems.h"
#include "server/service/run_messages.h"

namespace rml {
namespace {

v1::ProfileSource ChooseSource(const v1::ProfileRequest& request, const ServedModel& model) {
  if (request.source() != v1::PROFILE_SOURCE_UNSPECIFIED) return request.source();
  if (request.inputs_size() > 0) return v1::REQUEST;
  return model.loaded().golden ? v1::GOLDEN : v1::ZEROS;
}

void CheckNumbers(const v1::ProfileRequest& request, const ServedModel& model, v1::ProfileSource source,
                  Problems& problems) {
  const Program& program = model.program();
  if (request.iterations() < 0 || request.iterations() > kMaxProfileIterations) {
    problems.Add("iterations",
                 absl::StrFormat("iterations is %d; expected 1 to %d", request.iterations(), kMaxProfileIterations));
  }
  if (const int most = ThreadPool::Process().num_threads(); request.threads() < 0 || request.threads() > most) {
    problems.Add("threads", absl::StrFormat("threads is %d; expected 1 to %d", request.threads(), most));
  }
  if (request.rows() != 0 && source != v1::ZEROS) {
    problems.Add("rows",
                 absl::StrFormat("rows is %d; expected none beside inputs that have their own", request.rows()));
  } else if (request.rows() != 0 && !program.symbolic()) {
    problems.Add("rows",
                 absl::StrFormat("rows is %d; expected none, since the model's shapes are fixed", request.rows()));
  } else if (request.rows() != 0 && (request.rows() < program.min_rows() || request.rows() > model.loaded().max_rows)) {
    problems.Add("rows", absl::StrFormat("rows is %d; expected %d to %d", request.rows(), program.min_rows(),
                                         model.loaded().max_rows));
  }
  if (!v1::ProfileSource_IsValid(source)) {
    problems.Add("source",
                 absl::StrFormat("source is number %d; expected REQUEST, GOLDEN or ZEROS", static_cast<int>(source)));
  }
  if (source != v1::REQUEST && request.inputs_size() > 0) {
    problems.Add("source",
                 absl::StrFormat("source is not REQUEST, but the request has %d inputs", request.inputs_size()));
  }
}

void FillRow(const ProfileRow& row, v1::ProfileRow& message) {
  message.set_label(row.label);
  message.set_nodes(row.nodes);
  message.set_calls(row.calls);
  message.set_seconds(row.seconds);
  message.set_share(row.share);
  message.set_gflops(row.gflops);
  message.set_gbytes(row.gbytes);
  message.set_kernel(row.kernel);
  message.set_width(row.width);
  message.set_peak_share(row.peak_share);
}

}  // namespace

absl::StatusOr<ProfilePlan> PlanProfile(const v1::ProfileRequest& request, const ServedModel& model) {
  ProfilePlan plan;
  plan.source = ChooseSource(request, model);
  Problems problems;
  CheckNumbers(request, model, plan.source, problems);
  RETURN_IF_ERROR(problems.ToStatus(model.label()));
  if (request.iterations() > 0) plan.iterations = request.iterations();
  plan.threads = request.threads() > 0 ? request.threads() : model.loaded().options.threads;
  if (plan.source == v1::REQUEST) {
    ASSIGN_OR_RETURN(plan.checked,
                     CheckRequest(request.inputs(), {}, {model.program(), model.loaded().max_rows, model.label()}));
    plan.inputs = plan.checked.inputs;
    plan.rows = plan.checked.rows;
  } else if (plan.source == v1::GOLDEN) {
    if (!model.loaded().golden) {
      return absl::FailedPreconditionError(model.label() + ": there is no golden file whose inputs could be used");
    }
    plan.inputs = Views(model.loaded().golden->inputs);
    ASSIGN_OR_RETURN(plan.rows, model.program().CheckInputs(plan.inputs));
  } else {
    plan.rows = request.rows() > 0 ? request.rows() : model.program().min_rows();
    ASSIGN_OR_RETURN(plan.zeros, model.program().ZeroInputs(plan.rows));
    plan.inputs = Views(plan.zeros);
  }
  return plan;
}

ProfileJob::ProfileJob(ServedModel& model, ProfilePlan plan, v1::ProfileResponse& response, Done done,
                       SteadyTime deadline)
    : Job(deadline), model_(model), plan_(std::move(plan)), response_(response), done_(std::move(done)) {}

void ProfileJob::Run(int instance, std::chrono::nanoseconds /*queued*/) {
  const auto start = std::chrono::steady_clock::now();
  const absl::Status status = CatchOutOfMemory(
      model_.label().c_str(), [&] { return Annotate(ProfileOn(model_.instance(instance)), model_.label()); });
  model_.CountMemory(instance);
  if (absl::IsCancelled(status) || absl::IsDeadlineExceeded(status)) {
    const std::chrono::nanoseconds wasted = std::chrono::steady_clock::now() - start;
    model_.metrics().wasted_compute_ns.Add(wasted.count());
  }
  done_(status);
}

absl::Status ProfileJob::ProfileOn(ModelInstance& own) {
  if (plan_.threads == model_.loaded().options.threads) return Profile(*own.executor, own.outputs);
  // Another width than the model is served with: an executor of its own, for this call.
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                   Executor::Create(model_.loaded().program, {.num_threads = plan_.threads}));
  std::vector<Tensor> outputs;
  return Profile(*executor, outputs);
}

absl::Status ProfileJob::Profile(Executor& executor, std::vector<Tensor>& outputs) {
  const RunControl control{.deadline = deadline(), .cancelled = &cancelled()};
  ASSIGN_OR_RETURN(const RunProfile profile, ProfileRuns(executor, plan_.inputs, plan_.iterations, outputs, control));
  response_.set_model(model_.name());
  response_.set_version(model_.version());
  response_.set_wall_seconds(profile.wall_seconds);
  response_.set_iterations(plan_.iterations);
  response_.set_source(plan_.source);
  if (model_.program().symbolic()) response_.set_row_count(plan_.rows);
  for (const ProfileRow& row : profile.rows) FillRow(row, *response_.add_rows());
  return absl::OkStatus();
}

}  // namespace rml
