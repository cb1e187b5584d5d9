#include "server/repository/golden_check.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

double MaxAbs(const Tensor& tensor) {
  double largest = 0;
  if (tensor.dtype() == DType::kI32) {
    for (int32_t x : tensor.data<int32_t>()) largest = std::max(largest, std::abs(static_cast<double>(x)));
  } else {
    for (float x : tensor.data<float>()) {
      if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
    }
  }
  return largest;
}

}  // namespace

std::vector<ConstTensorView> Views(const std::vector<Tensor>& tensors) {
  std::vector<ConstTensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

absl::StatusOr<double> CheckGolden(const Golden& golden, Executor& executor) {
  const std::vector<TensorInfo>& infos = executor.program().outputs();
  if (golden.outputs.size() != infos.size()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "golden.safetensors has %d outputs; expected %d, as the model has", golden.outputs.size(), infos.size()));
  }
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(Annotate(executor.Run(Views(golden.inputs), outputs), "golden.safetensors"));
  double largest = 0;
  std::vector<std::string> problems;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& want = golden.outputs[i];
    if (outputs[i].dtype() != want.dtype() || !(outputs[i].shape() == want.shape())) {
      return absl::InvalidArgumentError(
          absl::StrFormat("golden.safetensors: output.%d is %s%s; expected %s%s, as the model's output '%s'", i,
                          DTypeName(want.dtype()), ToString(want.shape()), DTypeName(outputs[i].dtype()),
                          ToString(outputs[i].shape()), infos[i].name));
    }
    const double error = MaxAbsError(outputs[i], want);
    const double allowed = golden.atol + golden.rtol * MaxAbs(want);
    if (!(error <= allowed)) {
      problems.push_back(absl::StrFormat("output '%s' is off by %.3g (%.3g allowed)", infos[i].name, error, allowed));
    }
    largest = std::max(largest, error);
  }
  if (problems.empty()) return largest;
  return absl::FailedPreconditionError(absl::StrFormat("golden row check failed: %s", absl::StrJoin(problems, "; ")));
}

}  // namespace rml
