#include "engine/graph/golden.h"

#include <cmath>
#include <limits>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/graph/mapped_file.h"
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

double Error(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double error = std::fabs(got - want);
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

}  // namespace

absl::StatusOr<Golden> ReadGolden(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
  absl::StatusOr<Golden> golden = Parse(*file);
  if (!golden.ok()) return Annotate(golden.status(), absl::StrCat("golden file '", FileName(path), "'"));
  return golden;
}

double MaxAbsError(const Tensor& got, const Tensor& want) {
  double worst = 0;
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    const double error = want.dtype() == DType::kF32 ? Error(got.data<float>()[i], want.data<float>()[i])
                                                     : Error(got.data<int32_t>()[i], want.data<int32_t>()[i]);
    if (error > worst) worst = error;
  }
  return worst;
}

}  // namespace rml
