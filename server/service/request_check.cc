#include "server/service/request_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"
#include "server/service/tensor_content.h"

namespace rml {
namespace {

std::string Names(const std::vector<TensorInfo>& infos) {
  return absl::StrJoin(infos, ", ", [](std::string* out, const TensorInfo& info) { *out += Quoted(info.name); });
}

std::optional<size_t> Find(const std::vector<TensorInfo>& infos, const std::string& name) {
  const auto it = std::find_if(infos.begin(), infos.end(), [&](const TensorInfo& info) { return info.name == name; });
  if (it == infos.end()) return std::nullopt;
  return static_cast<size_t>(it - infos.begin());
}

// Which message is which of the model's inputs: an index into `messages`, or -1 for one that is missing.
std::vector<int> MatchInputs(const TensorMessages& messages, const std::vector<TensorInfo>& infos, Problems& problems) {
  std::vector<int> match(infos.size(), -1);
  for (int i = 0; i < messages.size(); ++i) {
    const std::string field = absl::StrFormat("inputs[%d].name", i);
    const std::optional<size_t> found = Find(infos, messages[i].name());
    if (!found) {
      problems.Add(field, absl::StrFormat("input %s is unknown; the model's inputs are %s", Quoted(messages[i].name()),
                                          Names(infos)));
    } else if (match[*found] >= 0) {
      problems.Add(field, absl::StrFormat("input %s is given twice", Quoted(messages[i].name())));
    } else {
      match[*found] = i;
    }
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    if (match[i] >= 0) continue;
    problems.Add("inputs",
                 absl::StrFormat("input %s is missing; expected %s", Quoted(infos[i].name), Describe(infos[i])));
  }
  return match;
}

std::vector<int> MatchOutputs(const OutputNames& names, const std::vector<TensorInfo>& infos, Problems& problems) {
  std::vector<int> outputs;
  for (int i = 0; i < names.size(); ++i) {
    const std::string field = absl::StrFormat("outputs[%d]", i);
    const std::optional<size_t> found = Find(infos, names[i]);
    if (!found) {
      problems.Add(field,
                   absl::StrFormat("output %s is unknown; the model's outputs are %s", Quoted(names[i]), Names(infos)));
    } else if (std::find(outputs.begin(), outputs.end(), static_cast<int>(*found)) != outputs.end()) {
      problems.Add(field, absl::StrFormat("output %s is asked for twice", Quoted(names[i])));
    } else {
      outputs.push_back(static_cast<int>(*found));
    }
  }
  for (size_t i = 0; names.empty() && i < infos.size(); ++i) outputs.push_back(static_cast<int>(i));
  return outputs;
}

// The rows that a well-shaped input means, or nothing if its shape does not vary.
std::optional<int64_t> RowsOf(const TensorInfo& info, const Shape& shape) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (info.shape[static_cast<size_t>(i)].symbolic())
      return shape.dim(i) / info.shape[static_cast<size_t>(i)].factor();
  }
  return std::nullopt;
}

// One row count for all inputs, within the model's bounds, in every dim that varies.
void CheckRows(const ModelBounds& model, const std::vector<int>& match, CheckedRequest& request, Problems& problems) {
  const Program& program = model.program;
  std::optional<size_t> first;
  for (size_t i = 0; i < match.size(); ++i) {
    const TensorInfo& info = program.inputs()[i];
    const Shape& shape = request.inputs[i].shape;
    const std::optional<int64_t> rows = RowsOf(info, shape);
    if (!rows) continue;
    const std::string field = absl::StrFormat("inputs[%d].shape", match[i]);
    if (!first) {
      first = i;
      request.rows = *rows;
      if (*rows < program.min_rows() || *rows > model.max_rows) {
        problems.Add(field,
                     absl::StrFormat("input %s has shape %s, which makes B %d; expected %d to %d", Quoted(info.name),
                                     ToString(shape), *rows, program.min_rows(), model.max_rows));
        return;
      }
    }
    bool agrees = true;
    for (int d = 0; d < shape.rank(); ++d)
      agrees &= info.shape[static_cast<size_t>(d)].At(request.rows) == shape.dim(d);
    if (agrees) continue;
    problems.Add(field,
                 absl::StrFormat("input %s has shape %s; expected %s with B = %d, as input %s has", Quoted(info.name),
                                 ToString(shape), Describe(info), request.rows, Quoted(program.inputs()[*first].name)));
  }
}

}  // namespace

absl::StatusOr<CheckedRequest> CheckRequest(const TensorMessages& inputs, const OutputNames& outputs,
                                            const ModelBounds& model) {
  const Program& program = model.program;
  Problems problems;
  CheckedRequest request;
  const std::vector<int> match = MatchInputs(inputs, program.inputs(), problems);
  request.outputs = MatchOutputs(outputs, program.outputs(), problems);
  for (size_t i = 0; i < match.size(); ++i) {
    if (match[i] < 0) continue;
    const v1::Tensor& message = inputs[match[i]];
    DecodedTensor decoded =
        DecodeTensor(message, program.inputs()[i], absl::StrFormat("inputs[%d]", match[i]), problems);
    request.lists |= message.f32_size() + message.i32_size() + message.i64_size() > 0;
    request.inputs.push_back(decoded.view);  // storage's memory does not move with it
    request.storage.push_back(std::move(decoded.storage));
  }
  if (problems.empty()) CheckRows(model, match, request, problems);
  RETURN_IF_ERROR(problems.ToStatus(model.who));
  return request;
}

}  // namespace rml
