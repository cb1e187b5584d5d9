#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/commands.h"
#include "client/cpp/input_files.h"
#include "client/cpp/tensor_json.h"
#include "client/cpp/text_table.h"
#include "engine/base/status_macros.h"
#include "engine/graph/golden.h"
#include "engine/graph/safetensors.h"

namespace rml {
namespace {

// How outputs compare with the expected ones: the error and tolerance of the output that is worst for its tolerance.
struct Comparison {
  double max_abs_error = 0;
  double tolerance = 0;
  bool equal = true;
};

absl::StatusOr<std::vector<NamedArray>> Inputs(const RunOptions& options, const v1::Model& model) {
  const std::vector<v1::TensorInfo> infos(model.inputs().begin(), model.inputs().end());
  if (options.random) {
    if (options.batch > 0 && (options.batch < model.min_rows() || options.batch > model.max_rows())) {
      return absl::InvalidArgumentError(
          model.max_rows() == 0 ? absl::StrFormat("--batch is %d, but this model's shapes are fixed", options.batch)
                                : absl::StrFormat("--batch is %d; this model takes %d to %d rows", options.batch,
                                                  model.min_rows(), model.max_rows()));
    }
    const int64_t rows = options.batch > 0 ? options.batch : std::max<int64_t>(model.min_rows(), 1);
    return RandomInputs(infos, rows, options.seed);
  }
  ASSIGN_OR_RETURN(std::vector<NamedArray> arrays,
                   ReadInputFile(options.inputs.empty() ? options.check : options.inputs));
  RETURN_IF_ERROR(UseModelNames(infos, arrays));
  return arrays;
}

absl::StatusOr<Comparison> Compare(const std::vector<OutputTensor>& outputs, const std::string& path) {
  ASSIGN_OR_RETURN(const Golden golden, ReadGolden(path));
  std::vector<ConstTensorView> got;
  for (const OutputTensor& output : outputs) got.push_back(output.tensor.view());
  ASSIGN_OR_RETURN(const std::vector<OutputError> errors, Annotate(CompareOutputs(got, golden), path));
  Comparison comparison;
  double worst = -1;
  for (const OutputError& output : errors) {
    comparison.equal = comparison.equal && output.within();
    const double share = output.error > 0 ? output.error / output.allowed : 0;
    if (share > worst) {
      worst = share;
      comparison.max_abs_error = output.error;
      comparison.tolerance = output.allowed;
    }
  }
  return comparison;
}

absl::Status Write(const std::string& path, const std::vector<OutputTensor>& outputs) {
  std::vector<NamedTensor> named;
  for (size_t i = 0; i < outputs.size(); ++i) named.push_back({absl::StrCat("output.", i), outputs[i].tensor.view()});
  return WriteSafetensors(path, named);
}

// "0.5, 1.5, -2, ...": enough to see that numbers came.
std::string FirstElements(const Tensor& tensor) {
  constexpr int64_t kShown = 4;
  std::string text;
  for (int64_t i = 0; i < std::min(tensor.num_elements(), kShown); ++i) {
    const auto at = static_cast<size_t>(i);
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    tensor.dtype() == DType::kF32 ? absl::StrFormat("%.6g", tensor.data<float>()[at])
                                                  : absl::StrCat(tensor.data<int32_t>()[at]));
  }
  return text + (tensor.num_elements() > kShown ? ", ..." : "");
}

void PrintTables(const RunOptions& options, const RunResult& result, const std::optional<Comparison>& comparison) {
  std::printf("%s version %lld: queue %s, compute %s\n", options.model.c_str(), static_cast<long long>(result.version),
              FormatSeconds(result.queue_seconds).c_str(), FormatSeconds(result.compute_seconds).c_str());
  std::vector<std::vector<std::string>> rows;
  for (const OutputTensor& output : result.outputs) {
    rows.push_back({output.name, DTypeName(output.tensor.dtype()) + ToString(output.tensor.shape()),
                    FirstElements(output.tensor)});
  }
  std::fputs(FormatTable({"output", "type", "elements"}, rows).c_str(), stdout);
  if (comparison) {
    std::printf("%s %s: largest error %.3g, tolerance %.3g\n", comparison->equal ? "equal to" : "NOT EQUAL to",
                options.check.c_str(), comparison->max_abs_error, comparison->tolerance);
  }
}

void PrintJson(const RunOptions& options, const RunResult& result, const std::optional<Comparison>& comparison) {
  nlohmann::ordered_json json = {{"model", options.model},
                                 {"version", result.version},
                                 {"queue_seconds", result.queue_seconds},
                                 {"compute_seconds", result.compute_seconds},
                                 {"outputs", nlohmann::ordered_json::array()}};
  for (const OutputTensor& output : result.outputs) {
    const auto dims = output.tensor.shape().dims();
    json["outputs"].push_back({{"name", output.name},
                               {"dtype", DTypeName(output.tensor.dtype())},
                               {"shape", std::vector<int64_t>(dims.begin(), dims.end())},
                               {"elements", ElementsJson(output.tensor)}});
  }
  if (comparison) {
    json["equal"] = comparison->equal;
    json["max_abs_error"] = comparison->max_abs_error;
    json["tolerance"] = comparison->tolerance;
  }
  std::puts(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

absl::StatusOr<bool> RunOnce(Client& client, const RunOptions& options, bool json) {
  ASSIGN_OR_RETURN(const v1::Model model, client.GetModel(options.model, options.version));
  ASSIGN_OR_RETURN(const std::vector<NamedArray> arrays, Inputs(options, model));
  RunCall call{.model = options.model, .version = options.version};
  for (const NamedArray& array : arrays) call.inputs.push_back({array.name, array.tensor.view()});
  ASSIGN_OR_RETURN(const RunResult result, client.Run(call));
  if (!options.output.empty()) RETURN_IF_ERROR(Write(options.output, result.outputs));
  std::optional<Comparison> comparison;
  if (!options.check.empty()) {
    ASSIGN_OR_RETURN(comparison, Compare(result.outputs, options.check));
  }
  (json ? PrintJson : PrintTables)(options, result, comparison);
  return !comparison || comparison->equal;
}

}  // namespace

int RunCommand(Client& client, const RunOptions& options, bool json) {
  const absl::StatusOr<bool> equal = RunOnce(client, options, json);
  if (!equal.ok()) return Fail(equal.status());
  return *equal ? kExitOk : kExitFailed;
}

}  // namespace rml
