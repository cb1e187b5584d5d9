#include "server/service/infer_messages.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/quoted.h"
#include "server/service/received_request.h"

namespace rml {
namespace {

using inference::InferParameter;
using Parameters = google::protobuf::Map<std::string, InferParameter>;

constexpr RequestWords kWords{.type = "datatype",
                              .types = {"FP32", "INT32", "INT64"},
                              .lists = {"fp32_contents", "int_contents", "int64_contents"},
                              .list_of = "",
                              .list_path = ".contents.",
                              .raw = "raw_input_contents",
                              .raw_apart = true,
                              .content_path = ".contents",
                              .output_path = ".name"};

// Asks for an answer to be marked as the last of its request, as each is here.
constexpr char kMarkFinal[] = "triton_enable_empty_final_response";
constexpr char kFinal[] = "triton_final_response";

template <typename List>
auto SpanOf(const List& list) {
  return absl::MakeConstSpan(list.data(), static_cast<size_t>(list.size()));
}

// The name of a list, not empty, of a type that no model takes.
const char* OtherList(const inference::InferTensorContents& contents) {
  if (contents.bool_contents_size() > 0) return "bool_contents";
  if (contents.uint_contents_size() > 0) return "uint_contents";
  if (contents.uint64_contents_size() > 0) return "uint64_contents";
  if (contents.fp64_contents_size() > 0) return "fp64_contents";
  if (contents.bytes_contents_size() > 0) return "bytes_contents";
  return nullptr;
}

ReceivedTensor Receive(const inference::ModelInferRequest::InferInputTensor& input) {
  const inference::InferTensorContents& contents = input.contents();
  ReceivedTensor tensor{.name = input.name(),
                        .type = WireType::kOther,
                        .shape = SpanOf(input.shape()),
                        .f32 = SpanOf(contents.fp32_contents()),
                        .i32 = SpanOf(contents.int_contents()),
                        .i64 = SpanOf(contents.int64_contents()),
                        .other_list = OtherList(contents)};
  for (size_t i = 0; i < kWords.types.size(); ++i) {
    if (input.datatype() == kWords.types[i]) tensor.type = static_cast<WireType>(i);
  }
  if (tensor.type == WireType::kOther) tensor.other_type = Quoted(input.datatype());
  return tensor;
}

bool HasContents(const ReceivedTensor& tensor) {
  return !tensor.f32.empty() || !tensor.i32.empty() || !tensor.i64.empty() || tensor.other_list != nullptr;
}

// Raw buffers go, by their order, with the inputs that do not lie elsewhere. with_raw: the indices of these.
void AddRaw(const inference::ModelInferRequest& message, const std::vector<size_t>& with_raw, ReceivedRequest& request,
            Problems& problems) {
  const auto num_raw = static_cast<size_t>(message.raw_input_contents_size());
  if (num_raw == 0) return;
  if (num_raw != with_raw.size()) {
    problems.Add("raw_input_contents",
                 absl::StrFormat("raw_input_contents has %d buffers; expected %d, one for each input", num_raw,
                                 with_raw.size()));
  }
  for (size_t i = 0; i < with_raw.size(); ++i) {
    ReceivedTensor& tensor = request.inputs[with_raw[i]];
    if (HasContents(tensor)) {
      problems.Add(
          absl::StrCat("inputs[", with_raw[i], "].contents"),
          absl::StrFormat("input %s has contents beside raw_input_contents; expected one of the two for all inputs",
                          Quoted(tensor.name)));
      tensor.f32 = {};
      tensor.i32 = {};
      tensor.i64 = {};
      tensor.other_list = nullptr;
    }
    if (i < num_raw) tensor.raw = message.raw_input_contents(static_cast<int>(i));
  }
}

// By name: a map has no order, and messages should not depend on it.
std::vector<const Parameters::value_type*> Sorted(const Parameters& parameters) {
  std::vector<const Parameters::value_type*> sorted;
  for (const auto& parameter : parameters) sorted.push_back(&parameter);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return sorted;
}

std::string PathTo(const std::string& where, const std::string& parameter) {
  return absl::StrCat(where, "parameters[", Quoted(parameter), "]");
}

// "-5", "a string": what a message says of a value that does not fit.
std::string ValueText(const InferParameter& value) {
  switch (value.parameter_choice_case()) {
    case InferParameter::kInt64Param:
      return absl::StrCat(value.int64_param());
    case InferParameter::kUint64Param:
      return absl::StrCat(value.uint64_param());
    case InferParameter::kBoolParam:
      return "a bool";
    case InferParameter::kStringParam:
      return "a string";
    case InferParameter::kDoubleParam:
      return "a double";
    case InferParameter::PARAMETER_CHOICE_NOT_SET:
      break;
  }
  return "empty";
}

// An integer from 0 to `most`, of either kind.
std::optional<int64_t> NumberUpTo(const InferParameter& value, int64_t most) {
  if (value.has_uint64_param() && value.uint64_param() <= static_cast<uint64_t>(most)) {
    return static_cast<int64_t>(value.uint64_param());
  }
  if (value.has_int64_param() && value.int64_param() >= 0 && value.int64_param() <= most) return value.int64_param();
  return std::nullopt;
}

void ReadTimeout(const InferParameter& value, const std::string& path, CheckedRequest& asked, Problems& problems) {
  constexpr int64_t kCenturyUs = int64_t{100} * 365 * 24 * 3600 * 1'000'000;  // its nanoseconds still fit
  if (const std::optional<int64_t> timeout_us = NumberUpTo(value, kCenturyUs)) {
    asked.timeout = std::chrono::microseconds(*timeout_us);
  } else {
    problems.Add(path, absl::StrFormat("parameter 'timeout' is %s; expected microseconds, 0 to %d", ValueText(value),
                                       kCenturyUs));
  }
}

void ReadPriority(const InferParameter& value, const std::string& path, CheckedRequest& asked, Problems& problems) {
  const std::optional<int64_t> priority = NumberUpTo(value, kLastPriority);
  if (!priority) {
    problems.Add(path, absl::StrFormat("parameter 'priority' is %s; expected %d (first) to %d, or 0 for %d",
                                       ValueText(value), kFirstPriority, kLastPriority, kDefaultPriority));
  } else if (*priority > 0) {
    asked.priority = static_cast<int>(*priority);
  }
}

void ReadParameters(const Parameters& parameters, CheckedRequest& asked, Problems& problems) {
  for (const auto* parameter : Sorted(parameters)) {
    const auto& [name, value] = *parameter;
    const std::string path = PathTo("", name);
    if (name == "timeout") {
      ReadTimeout(value, path, asked, problems);
    } else if (name == "priority") {
      ReadPriority(value, path, asked, problems);
    } else if (name == kMarkFinal) {
      if (!value.has_bool_param()) {
        problems.Add(path, absl::StrFormat("parameter '%s' is %s; expected a bool", kMarkFinal, ValueText(value)));
      }
    } else if (name == "sequence_id" || name == "sequence_start" || name == "sequence_end") {
      problems.Add(path, absl::StrFormat("parameter '%s' is not supported: no state is kept between requests", name));
    } else {
      problems.Add(path, absl::StrFormat("parameter %s is unknown; expected timeout or priority", Quoted(name)));
    }
  }
}

// None of an input or an output is honoured. kind: "input". where: "inputs[0]." True if it is said to lie in shared memory.
bool RefuseParameters(const Parameters& parameters, const char* kind, const std::string& tensor,
                      const std::string& where, Problems& problems) {
  bool shared_memory = false;  // asked for by three parameters, refused once
  for (const auto* parameter : Sorted(parameters)) {
    const std::string& name = parameter->first;
    const std::string path = PathTo(where, name);
    if (name.compare(0, 14, "shared_memory_") == 0) {
      if (!std::exchange(shared_memory, true)) {
        problems.Add(path,
                     absl::StrFormat("%s %s asks for shared memory, which is not supported", kind, Quoted(tensor)));
      }
    } else if (name == "classification") {
      problems.Add(path,
                   absl::StrFormat("%s %s asks for classification, which is not supported", kind, Quoted(tensor)));
    } else {
      problems.Add(path, absl::StrFormat("%s %s has the unknown parameter %s", kind, Quoted(tensor), Quoted(name)));
    }
  }
  return shared_memory;
}

}  // namespace

const char* Datatype(DType dtype) { return kWords.types[dtype == DType::kF32 ? 0 : 1]; }

absl::StatusOr<int64_t> ParseVersion(const std::string& model, const std::string& version, const char* field) {
  if (version.empty()) return 0;
  int64_t number = 0;
  const char* end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, number);
  if (error == std::errc() && rest == end && number > 0 && version[0] != '0') return number;
  Problems problems;
  problems.Add(field, absl::StrFormat("%s is no version; expected a positive integer, or nothing for the highest that "
                                      "is ready",
                                      Quoted(version)));
  return problems.ToStatus("model " + Quoted(model));
}

absl::StatusOr<CheckedRequest> CheckInferRequest(const inference::ModelInferRequest& request,
                                                 const ModelBounds& model) {
  Problems problems;
  CheckedRequest asked;
  ReceivedRequest received{.words = kWords, .inputs = {}, .outputs = {}};
  ReadParameters(request.parameters(), asked, problems);
  received.inputs.reserve(static_cast<size_t>(request.inputs_size()));
  std::vector<size_t> with_raw;
  for (const auto& input : request.inputs()) {
    const std::string where = absl::StrCat("inputs[", received.inputs.size(), "].");
    const bool elsewhere = RefuseParameters(input.parameters(), "input", input.name(), where, problems);
    if (!elsewhere) with_raw.push_back(received.inputs.size());
    received.inputs.push_back(Receive(input));
  }
  for (const auto& output : request.outputs()) {
    RefuseParameters(output.parameters(), "output", output.name(),
                     absl::StrCat("outputs[", received.outputs.size(), "]."), problems);
    received.outputs.emplace_back(output.name());
  }
  AddRaw(request, with_raw, received, problems);
  absl::StatusOr<CheckedRequest> checked = CheckRequest(received, model, std::move(problems));
  if (!checked.ok()) return checked;
  checked->timeout = asked.timeout;
  checked->priority = asked.priority;
  return checked;
}

void FillInferResponse(const inference::ModelInferRequest& request, const RunResult& result,
                       inference::ModelInferResponse& response) {
  response.set_model_name(result.model.name());
  response.set_model_version(absl::StrCat(result.model.version()));
  response.set_id(request.id());
  const auto mark = request.parameters().find(kMarkFinal);
  if (mark != request.parameters().end() && mark->second.bool_param()) {
    (*response.mutable_parameters())[kFinal].set_bool_param(true);
  }
  for (const int output : result.request.outputs) {
    const Tensor& tensor = result.outputs[static_cast<size_t>(output)];
    auto& message = *response.add_outputs();
    message.set_name(result.model.program().outputs()[static_cast<size_t>(output)].name);
    message.set_datatype(Datatype(tensor.dtype()));
    const absl::Span<const int64_t> dims = tensor.shape().dims();
    message.mutable_shape()->Assign(dims.begin(), dims.end());
    response.add_raw_output_contents(tensor.raw(), static_cast<size_t>(tensor.shape().num_bytes()));
  }
}

}  // namespace rml
