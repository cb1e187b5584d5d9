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

std::optional<size_t> Find(const std::vector<TensorInfo>& infos, std::string_view name) {
  const auto it = std::find_if(infos.begin(), infos.end(), [&](const TensorInfo& info) { return info.name == name; });
  if (it == infos.end()) return std::nullopt;
  return static_cast<size_t>(it - infos.begin());
}

// Which of the request's inputs is which of the model's: an index into them, or -1 for one that is missing.
std::vector<int> MatchInputs(const ReceivedRequest& request, const std::vector<TensorInfo>& infos, Problems& problems) {
  std::vector<int> match(infos.size(), -1);
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const std::string_view name = request.inputs[i].name;
    const auto fail = [&](const std::string& what) { problems.Add(absl::StrFormat("inputs[%d].name", i), what); };
    const std::optional<size_t> found = Find(infos, name);
    if (!found) {
      fail(absl::StrFormat("input %s is unknown; the model's inputs are %s", Quoted(name), Names(infos)));
    } else if (match[*found] >= 0) {
      fail(absl::StrFormat("input %s is given twice", Quoted(name)));
    } else {
      match[*found] = static_cast<int>(i);
    }
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    if (match[i] >= 0) continue;
    problems.Add("inputs", absl::StrFormat("input %s is missing; expected %s", Quoted(infos[i].name),
                                           Describe(infos[i], request.words)));
  }
  return match;
}

std::vector<int> MatchOutputs(const ReceivedRequest& request, const std::vector<TensorInfo>& infos,
                              Problems& problems) {
  std::vector<int> outputs;
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const std::string_view name = request.outputs[i];
    const auto fail = [&](const std::string& what) {
      problems.Add(absl::StrFormat("outputs[%d]%s", i, request.words.output_path), what);
    };
    const std::optional<size_t> found = Find(infos, name);
    if (!found) {
      fail(absl::StrFormat("output %s is unknown; the model's outputs are %s", Quoted(name), Names(infos)));
    } else if (std::find(outputs.begin(), outputs.end(), static_cast<int>(*found)) != outputs.end()) {
      fail(absl::StrFormat("output %s is asked for twice", Quoted(name)));
    } else {
      outputs.push_back(static_cast<int>(*found));
    }
  }
  for (size_t i = 0; request.outputs.empty() && i < infos.size(); ++i) outputs.push_back(static_cast<int>(i));
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
void CheckRows(const ModelBounds& model, const std::vector<int>& match, const RequestWords& words,
               CheckedRequest& request, Problems& problems) {
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
    problems.Add(field, absl::StrFormat("input %s has shape %s; expected %s with B = %d, as input %s has",
                                        Quoted(info.name), ToString(shape), Describe(info, words), request.rows,
                                        Quoted(program.inputs()[*first].name)));
  }
}

}  // namespace

absl::StatusOr<CheckedRequest> CheckRequest(const ReceivedRequest& request, const ModelBounds& model,
                                            Problems problems) {
  const Program& program = model.program;
  CheckedRequest checked;
  const std::vector<int> match = MatchInputs(request, program.inputs(), problems);
  checked.outputs = MatchOutputs(request, program.outputs(), problems);
  for (size_t i = 0; i < match.size(); ++i) {
    if (match[i] < 0) continue;
    DecodedTensor decoded = DecodeTensor(request, match[i], program.inputs()[i], problems);
    const ReceivedTensor& tensor = request.inputs[static_cast<size_t>(match[i])];
    checked.lists |= !tensor.f32.empty() || !tensor.i32.empty() || !tensor.i64.empty();
    checked.inputs.push_back(decoded.view);  // storage's memory does not move with it
    checked.storage.push_back(std::move(decoded.storage));
  }
  if (problems.empty()) CheckRows(model, match, request.words, checked, problems);
  RETURN_IF_ERROR(problems.ToStatus(model.who));
  return checked;
}

}  // namespace rml
