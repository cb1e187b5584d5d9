#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cpp/commands.h"
#include "client/cpp/input_files.h"
#include "client/cpp/tensor_message.h"
#include "client/cpp/text_table.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

absl::StatusOr<v1::ProfileResponse> Profile(Client& client, const ProfileOptions& options) {
  v1::ProfileRequest request;
  request.set_model(options.model);
  request.set_version(options.version);
  request.set_iterations(options.iterations);
  request.set_threads(options.threads);
  request.set_rows(options.batch);
  if (options.batch > 0) request.set_source(v1::ZEROS);
  if (!options.inputs.empty()) {
    ASSIGN_OR_RETURN(const v1::Model model, client.GetModel(options.model, options.version));
    const std::vector<v1::TensorInfo> infos(model.inputs().begin(), model.inputs().end());
    ASSIGN_OR_RETURN(std::vector<NamedArray> arrays, ReadInputFile(options.inputs));
    RETURN_IF_ERROR(UseModelNames(infos, arrays));
    for (const NamedArray& array : arrays) ToMessage(array.name, array.tensor.view(), *request.add_inputs());
  }
  return client.Profile(request);
}

std::string Rate(double value) { return value > 0 ? absl::StrFormat("%.1f", value) : "-"; }
std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

void PrintTable(const v1::ProfileResponse& response) {
  const std::string rows = response.row_count() > 0 ? absl::StrCat("row count ", response.row_count()) : "fixed shapes";
  std::printf("%s version %lld: %s a run, mean of %d; %s, inputs: %s\n\n", response.model().c_str(),
              static_cast<long long>(response.version()), FormatSeconds(response.wall_seconds()).c_str(),
              response.iterations(), rows.c_str(),
              absl::AsciiStrToLower(v1::ProfileSource_Name(response.source())).c_str());
  std::vector<std::vector<std::string>> table;
  for (const v1::ProfileRow& row : response.rows()) {
    table.push_back({FormatSeconds(row.seconds()), Percent(row.share()), absl::StrCat(row.calls()),
                     absl::StrCat(row.nodes()), Rate(row.gflops()), Rate(row.gbytes()),
                     row.peak_share() > 0 ? Percent(row.peak_share()) : "-", absl::StrCat(row.width()), row.label(),
                     row.kernel()});
  }
  std::fputs(
      FormatTable(
          {">time", ">share", ">calls", ">nodes", ">GFLOP/s", ">GB/s", ">of peak", ">threads", "step", "kernel"}, table)
          .c_str(),
      stdout);
}

}  // namespace

int ProfileCommand(Client& client, const ProfileOptions& options, bool json) {
  const absl::StatusOr<v1::ProfileResponse> response = Profile(client, options);
  if (!response.ok()) return Fail(response.status());
  if (!json) {
    PrintTable(*response);
    return kExitOk;
  }
  google::protobuf::util::JsonPrintOptions print;
  print.always_print_primitive_fields = true;
  print.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(*response, &text, print).ok()) {
    return Fail(absl::InternalError("the response cannot be written as JSON"));
  }
  std::puts(text.c_str());
  return kExitOk;
}

}  // namespace rml
