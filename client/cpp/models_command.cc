#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/commands.h"
#include "client/cpp/text_table.h"

namespace rml {
namespace {

std::string Describe(const google::protobuf::RepeatedPtrField<v1::TensorInfo>& infos) {
  std::string text;
  for (const v1::TensorInfo& info : infos) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", info.name(), " ", info.display());
  }
  return text;
}

void PrintTable(const std::vector<v1::Model>& models) {
  std::vector<std::vector<std::string>> rows;
  for (const v1::Model& model : models) {
    const bool failed = model.state() == v1::FAILED, ready = model.state() == v1::READY;
    rows.push_back(
        {model.name(), model.version() == 0 ? "-" : absl::StrCat(model.version()),
         absl::AsciiStrToLower(v1::ModelState_Name(model.state())), model.verified() ? "yes" : "no",
         FormatBytes(static_cast<double>(model.memory().total())), ready ? absl::StrCat(model.instances()) : "",
         ready ? absl::StrCat(model.threads()) : "", ready ? absl::StrCat(model.queue_limit()) : "",
         failed ? model.reason() : absl::StrCat(Describe(model.inputs()), " -> ", Describe(model.outputs()))});
  }
  std::fputs(FormatTable({"model", ">version", "state", "verified", ">memory", ">instances", ">threads", ">queue",
                          "inputs -> outputs"},
                         rows)
                 .c_str(),
             stdout);
}

}  // namespace

int ModelsCommand(Client& client, bool json) {
  const absl::StatusOr<std::vector<v1::Model>> models = client.ListModels();
  if (!models.ok()) return Fail(models.status());
  if (!json) {
    PrintTable(*models);
    return kExitOk;
  }
  v1::ListModelsResponse response;
  for (const v1::Model& model : *models) *response.add_models() = model;
  google::protobuf::util::JsonPrintOptions print;
  print.always_print_primitive_fields = true;
  print.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(response, &text, print).ok()) {
    return Fail(absl::InternalError("the response cannot be written as JSON"));
  }
  std::puts(text.c_str());
  return kExitOk;
}

}  // namespace rml
