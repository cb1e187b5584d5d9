#include "engine/exec/check_outputs.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace rml {
namespace {

// Bytes in memory; empty for tensors without elements, which share memory with nothing.
struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

Range RangeOf(const Shape& shape, const void* data) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  return {begin, begin + static_cast<uintptr_t>(shape.num_bytes())};
}

bool Overlap(Range a, Range b) { return a.begin < a.end && b.begin < b.end && a.begin < b.end && b.begin < a.end; }

bool HasType(const TensorView& output, const TensorInfo& info, int64_t rows) {
  return output.dtype == info.dtype && output.shape == ShapeAt(info, rows);
}

bool IsAligned(const TensorView& output) { return reinterpret_cast<uintptr_t>(output.data) % kElementBytes == 0; }

std::string TypeText(DType dtype, const Shape& shape) { return absl::StrCat(DTypeName(dtype), ToString(shape)); }

// What output `i` shares memory with, as "input 'x'"; empty for nothing.
std::string SharedWith(const Program& program, absl::Span<const ConstTensorView> inputs,
                       absl::Span<const TensorView> outputs, size_t i) {
  const Range mine = RangeOf(outputs[i].shape, outputs[i].data);
  for (size_t j = 0; j < inputs.size(); ++j) {
    if (Overlap(mine, RangeOf(inputs[j].shape, inputs[j].data))) {
      return absl::StrFormat("input '%s'", program.inputs()[j].name);
    }
  }
  for (size_t j = 0; j < i; ++j) {
    if (Overlap(mine, RangeOf(outputs[j].shape, outputs[j].data))) {
      return absl::StrFormat("output '%s'", program.outputs()[j].name);
    }
  }
  return "";
}

}  // namespace

absl::Status CheckOutputs(const Program& program, int64_t rows, absl::Span<const ConstTensorView> inputs,
                          absl::Span<const TensorView> outputs) {
  const std::vector<TensorInfo>& infos = program.outputs();
  if (outputs.size() != infos.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the model gives %d outputs; memory was given for %d", infos.size(), outputs.size()));
  }
  std::vector<std::string> problems;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorView& output = outputs[i];
    if (!HasType(output, infos[i], rows)) {
      problems.push_back(absl::StrFormat("output '%s' is %s; expected %s", infos[i].name,
                                         TypeText(output.dtype, output.shape),
                                         TypeText(infos[i].dtype, ShapeAt(infos[i], rows))));
    } else if (!IsAligned(output)) {
      problems.push_back(absl::StrFormat("output '%s' is at an address that is no multiple of 4", infos[i].name));
    } else if (std::string other = SharedWith(program, inputs, outputs, i); !other.empty()) {
      problems.push_back(absl::StrFormat("output '%s' shares memory with %s", infos[i].name, other));
    }
  }
  return problems.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(problems, "; "));
}

}  // namespace rml
