#include "tests/engine/random/check_bits.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/counting_allocator.h"

namespace rml {
namespace {

// Other inputs of the same shapes, so that a later run finds strange numbers wherever it reads what it did not write.
// Integers stay: they may be indices.
std::vector<Tensor> StrangeInputs(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> strange;
  for (const Tensor& input : inputs) {
    strange.push_back(input.Clone());
    if (input.dtype() != DType::kF32) continue;
    for (float& element : strange.back().data<float>()) element = std::numeric_limits<float>::quiet_NaN();
  }
  return strange;
}

bool SameBytes(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].num_elements() > 0 && std::memcmp(a[i].raw(), b[i].raw(), a[i].shape().num_bytes()) != 0) return false;
  }
  return true;
}

// One way of running, with an executor of its own.
class Variant {
 public:
  Variant(const RandomCase& random_case, const BaseRuns& base, std::string name)
      : case_(random_case), base_(base), name_(std::move(name)) {}

  std::optional<CheckFailure> Run(const std::shared_ptr<const Program>& program, int threads) {
    auto executor = Executor::Create(program, {.num_threads = threads, .width_policy = WidthPolicy::kAll});
    if (!executor.ok()) return CheckFailure{"bits", absl::StrCat(name_, ": ", executor.status().ToString())};
    executor_ = *std::move(executor);
    std::vector<Tensor> strange_outputs;
    for (size_t i = 0; i < case_.row_counts.size(); ++i) {
      const BaseRun& base = base_.at(case_.row_counts[i]);
      if (auto failure = RunOnce(absl::StrFormat("run %d", i), base)) return failure;
      const std::vector<Tensor> strange = StrangeInputs(base.inputs);
      if (const absl::Status status = executor_->Run(ViewsOf(strange), i % 2 == 0 ? outputs_ : strange_outputs);
          !status.ok()) {
        return CheckFailure{"bits", absl::StrCat(name_, ", inputs of NaN: ", status.ToString())};
      }
    }
    if (auto failure = CountAllocations()) return failure;
    executor_->Recycle(outputs_);
    return RunOnce("after Recycle", base_.at(case_.row_counts[0]));
  }

 private:
  std::optional<CheckFailure> RunOnce(const std::string& what, const BaseRun& base) {
    std::vector<Tensor> inputs;
    for (const Tensor& input : base.inputs) inputs.push_back(input.Clone());
    if (const absl::Status status = executor_->Run(ViewsOf(inputs), outputs_); !status.ok()) {
      return CheckFailure{"bits", absl::StrCat(name_, ", ", what, ": ", status.ToString())};
    }
    if (!SameBytes(inputs, base.inputs)) return CheckFailure{"memory", absl::StrCat(name_, " writes over an input")};
    const std::string differs = DifferenceFromBase(case_.graph, outputs_, base);
    if (differs.empty()) return std::nullopt;
    return CheckFailure{"bits", absl::StrCat(name_, ", ", what, ": ", differs)};
  }

  // All row counts have been run with these outputs.
  std::optional<CheckFailure> CountAllocations() {
    if (!AllocationsAreCounted()) return std::nullopt;
    const int64_t arena = executor_->arena_bytes();
    std::vector<std::vector<ConstTensorView>> inputs;
    for (int64_t rows : case_.row_counts) inputs.push_back(ViewsOf(base_.at(rows).inputs));
    // Outputs as large as they get.
    bool all_ok = true;
    for (const auto& views : inputs) all_ok &= executor_->Run(views, outputs_).ok();
    StartCountingAllocations();
    for (const auto& views : inputs) all_ok &= executor_->Run(views, outputs_).ok();
    const int64_t allocations = StopCountingAllocations();
    if (all_ok && allocations == 0 && executor_->arena_bytes() == arena) return std::nullopt;
    return CheckFailure{"memory", absl::StrFormat("%s: %d allocations in runs that have been made before; arena of %d "
                                                  "bytes, before %d",
                                                  name_, allocations, executor_->arena_bytes(), arena)};
  }

  const RandomCase& case_;
  const BaseRuns& base_;
  std::string name_;
  std::unique_ptr<Executor> executor_;
  std::vector<Tensor> outputs_;
};

// The bytes of all constants, to see whether a run changes them; but for those that the steps hold packed.
std::vector<Tensor> ConstantsOf(const Graph& graph) {
  std::vector<Tensor> constants;
  for (const Constant& constant : graph.constants) {
    if (constant.data == nullptr) continue;
    const Value& value = graph.values[constant.id];
    constants.push_back(Tensor::Copy({value.dtype, ShapeAt(value, graph.min_rows), constant.data}));
  }
  return constants;
}

}  // namespace

std::string DifferenceFromBase(const Graph& graph, const std::vector<Tensor>& outputs, const BaseRun& base) {
  if (outputs.size() != graph.outputs.size()) return absl::StrCat("there are ", outputs.size(), " outputs");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string differs = BitDifference(outputs[i], base.values.at(graph.outputs[i].id));
    if (!differs.empty()) return absl::StrCat("output '", graph.outputs[i].name, "' ", differs);
  }
  return "";
}

std::optional<CheckFailure> CheckBits(const RandomCase& random_case, const BaseRuns& base) {
  std::vector<std::string> disabled;
  for (const char* pass : kPassesThatRoundDifferently) {
    if (pass != nullptr) disabled.emplace_back(pass);
  }
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const bool fuse : {true, false}) {
      const std::string name = absl::StrCat(kernels->isa, fuse ? " fused" : " unfused");
      const auto program = Program::Compile(
          random_case.graph, {.fuse = fuse, .disabled_passes = disabled, .isa = std::string(kernels->isa)});
      if (!program.ok()) return CheckFailure{"bits", absl::StrCat(name, ": ", program.status().ToString())};
      const std::vector<Tensor> constants = ConstantsOf((*program)->graph());
      for (const int threads : {1, 2}) {
        Variant variant(random_case, base, absl::StrCat(name, ", ", threads, " threads"));
        if (auto failure = variant.Run(*program, threads)) return failure;
      }
      if (!SameBytes(constants, ConstantsOf((*program)->graph()))) {
        return CheckFailure{"memory", absl::StrCat(name, " writes over a constant")};
      }
    }
  }
  return std::nullopt;
}

}  // namespace rml
