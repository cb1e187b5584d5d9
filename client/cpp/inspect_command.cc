#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cpp/commands.h"
#include "client/cpp/text_table.h"
#include "engine/base/status_macros.h"
#include "engine/exec/executor.h"
#include "engine/graph/graph_file.h"

namespace rml {
namespace {

// A model compiled here, and what its steps are for one row count.
struct Inspection {
  std::shared_ptr<const Program> program;
  std::vector<StepInfo> steps;
  int64_t rows = 1;  // nothing to show where the shapes are fixed
  int64_t rows_at_a_time = 1;
  int64_t arena_bytes = 0;
};

absl::StatusOr<Inspection> Inspect(const InspectOptions& options) {
  Inspection result;
  const char* isa = std::getenv("RML_ISA");  // given by name, so that a wrong one is an error of Load
  ASSIGN_OR_RETURN(result.program, Program::Load(options.file, {.fuse = options.fuse,
                                                                .disabled_passes = options.disabled_passes,
                                                                .isa = isa != nullptr ? isa : ""}));
  const Program& program = *result.program;
  if (options.batch > 0 && !program.symbolic()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("--batch is %d, but this model's shapes are fixed", options.batch));
  }
  result.rows = options.batch > 0 ? options.batch : program.min_rows();
  if (result.rows < program.min_rows() || result.rows > program.max_rows()) {
    return absl::InvalidArgumentError(absl::StrFormat("--batch is %d; this model takes %d to %d rows", result.rows,
                                                      program.min_rows(), program.max_rows()));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                   Executor::Create(result.program, {.num_threads = options.threads}));
  ASSIGN_OR_RETURN(result.steps, executor->step_info(result.rows));
  result.rows_at_a_time = executor->rows_at_a_time(result.rows);
  result.arena_bytes = executor->arena_bytes();
  return result;
}

std::string Shapes(const StepInfo& step) {
  return absl::StrJoin(step.outputs, ", ", [](std::string* out, const Shape& shape) { out->append(ToString(shape)); });
}

void PrintText(const Inspection& inspection) {
  const Program& program = *inspection.program;
  std::printf("Graph\n%s\nPasses\n", PrintGraph(program.graph()).c_str());
  for (const PassReport& pass : program.passes()) {
    std::printf("  %s: %zu matched, %zu refused\n", pass.pass.c_str(), pass.matched.size(), pass.refused.size());
    for (const std::string& line : pass.matched) std::printf("    + %s\n", line.c_str());
    for (const std::string& line : pass.refused) std::printf("    - %s\n", line.c_str());
  }
  const std::string rows_shown = program.symbolic()
                                     ? absl::StrFormat("for %d row%s", inspection.rows, inspection.rows == 1 ? "" : "s")
                                     : "(shapes are fixed)";
  const bool in_blocks = inspection.rows_at_a_time < inspection.rows;
  std::printf("\nSteps %s%s\n", rows_shown.c_str(),
              in_blocks ? absl::StrFormat(", run at most %d at a time", inspection.rows_at_a_time).c_str() : "");
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < inspection.steps.size(); ++i) {
    const StepInfo& step = inspection.steps[i];
    rows.push_back({absl::StrCat(i), step.label, Shapes(step), step.kernel, absl::StrCat(step.width),
                    step.flops > 0 ? absl::StrFormat("%.4g", step.flops) : "-", FormatBytes(step.bytes),
                    absl::StrJoin(step.nodes, ",")});
  }
  std::fputs(FormatTable({">step", "what", "output", "kernel", ">threads", ">flops", ">bytes", "nodes"}, rows).c_str(),
             stdout);
  const MemoryBill& memory = program.memory();
  std::printf("\nMemory\n%s",
              FormatTable({"held for", ">size"},
                          {{"constants as read", FormatBytes(static_cast<double>(memory.constants))},
                           {"packed weights and folded constants", FormatBytes(static_cast<double>(memory.prepared))},
                           {"working memory of one run", FormatBytes(static_cast<double>(inspection.arena_bytes))}})
                  .c_str());
}

nlohmann::ordered_json TensorsJson(const std::vector<TensorInfo>& infos) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const TensorInfo& info : infos) {
    tensors.push_back({{"name", info.name}, {"type", DTypeName(info.dtype) + ToString(info.shape)}});
  }
  return tensors;
}

void PrintJson(const Inspection& inspection) {
  const Program& program = *inspection.program;
  nlohmann::ordered_json json = {{"producer", program.graph().producer},
                                 {"inputs", TensorsJson(program.inputs())},
                                 {"outputs", TensorsJson(program.outputs())},
                                 {"nodes", program.graph().nodes.size()},
                                 {"min_rows", program.symbolic() ? program.min_rows() : 0},  // 0 as in GetModel
                                 {"max_rows", program.symbolic() ? program.max_rows() : 0},
                                 {"passes", nlohmann::ordered_json::array()},
                                 {"rows", program.symbolic() ? inspection.rows : 0},
                                 {"rows_at_a_time", program.symbolic() ? inspection.rows_at_a_time : 0},
                                 {"steps", nlohmann::ordered_json::array()},
                                 {"memory",
                                  {{"constants", program.memory().constants},
                                   {"prepared", program.memory().prepared},
                                   {"arena", inspection.arena_bytes}}}};
  for (const PassReport& pass : program.passes()) {
    json["passes"].push_back({{"pass", pass.pass}, {"matched", pass.matched}, {"refused", pass.refused}});
  }
  for (const StepInfo& step : inspection.steps) {
    json["steps"].push_back({{"label", step.label},
                             {"nodes", step.nodes},
                             {"outputs", Shapes(step)},
                             {"kernel", step.kernel},
                             {"width", step.width},
                             {"flops", step.flops},
                             {"bytes", step.bytes}});
  }
  std::puts(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

}  // namespace

int InspectCommand(const InspectOptions& options, bool json) {
  const absl::StatusOr<Inspection> inspection = Inspect(options);
  if (!inspection.ok()) return Fail(inspection.status());
  (json ? PrintJson : PrintText)(*inspection);
  return kExitOk;
}

}  // namespace rml
