#include "engine/graph/golden.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/graph/file_content.h"
#include "engine/graph/quoted.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

// Tensors PREFIX.0, PREFIX.1, ... until one is missing.
absl::StatusOr<std::vector<Tensor>> NumberedTensors(const SafetensorsFile& file, const std::string& prefix) {
  std::vector<Tensor> tensors;
  while (const SafetensorsEntry* entry = file.Find(absl::StrCat(prefix, ".", tensors.size()))) {
    ASSIGN_OR_RETURN(Tensor tensor, ToTensor(*entry));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

bool IsNumbered(const std::string& name, const std::string& prefix, size_t count) {
  size_t number = 0;
  return name.starts_with(prefix) && absl::SimpleAtoi(name.substr(prefix.size()), &number) && number < count;
}

absl::Status ReadTolerance(const SafetensorsFile& file, const char* key, double& value) {
  const auto it = file.metadata().find(key);
  if (it == file.metadata().end()) return absl::OkStatus();
  if (absl::SimpleAtod(it->second, &value) && std::isfinite(value) && value >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("metadata '%s' is %s; expected a number from 0", key, Quoted(it->second)));
}

absl::StatusOr<Golden> Parse(const SafetensorsFile& file) {
  Golden golden;
  ASSIGN_OR_RETURN(golden.inputs, NumberedTensors(file, "input"));
  ASSIGN_OR_RETURN(golden.outputs, NumberedTensors(file, "output"));
  RETURN_IF_ERROR(ReadTolerance(file, "atol", golden.atol));
  RETURN_IF_ERROR(ReadTolerance(file, "rtol", golden.rtol));
  if (golden.outputs.empty()) return absl::InvalidArgumentError("has no tensor 'output.0'");
  std::vector<std::string> extra;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.starts_with("__pad.") && !IsNumbered(entry.name, "input.", golden.inputs.size()) &&
        !IsNumbered(entry.name, "output.", golden.outputs.size())) {
      extra.push_back(entry.name);
    }
  }
  if (!extra.empty()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "has tensors %s; expected only input.0, input.1, ... and output.0, ... without gaps", QuotedList(extra)));
  }
  return golden;
}

double At(const ConstTensorView& tensor, int64_t i) {
  if (tensor.dtype == DType::kI32) return static_cast<const int32_t*>(tensor.data)[i];
  return static_cast<const float*>(tensor.data)[i];
}

double MaxAbs(const ConstTensorView& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.shape.num_elements(); ++i) {
    const double magnitude = std::fabs(At(tensor, i));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

double Error(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double error = std::fabs(got - want);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace

absl::StatusOr<Golden> ReadGolden(const std::string& path) {
  return CatchOutOfMemory("reading a golden file", [&]() -> absl::StatusOr<Golden> {
    ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
    return Annotate(Parse(*file), absl::StrCat("golden file '", FileName(path), "'"));
  });
}

absl::StatusOr<std::vector<OutputError>> CompareOutputs(absl::Span<const ConstTensorView> got, const Golden& want) {
  if (want.outputs.size() != got.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("has %d outputs; expected %d, as the model has", want.outputs.size(), got.size()));
  }
  std::vector<OutputError> errors;
  for (size_t i = 0; i < got.size(); ++i) {
    const ConstTensorView view = want.outputs[i].view();
    if (got[i].dtype != view.dtype || !(got[i].shape == view.shape)) {
      return absl::InvalidArgumentError(absl::StrFormat("output.%d is %s%s; expected %s%s, as the model gives", i,
                                                        DTypeName(view.dtype), ToString(view.shape),
                                                        DTypeName(got[i].dtype), ToString(got[i].shape)));
    }
    errors.push_back({MaxAbsError(got[i], view), want.atol + want.rtol * MaxAbs(view)});
  }
  return errors;
}

double MaxAbsError(const ConstTensorView& got, const ConstTensorView& want) {
  double worst = 0;
  for (int64_t i = 0; i < want.shape.num_elements(); ++i) worst = std::max(worst, Error(At(got, i), At(want, i)));
  return worst;
}

}  // namespace rml
