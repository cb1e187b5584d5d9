#include "server/repository/golden_rows.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

bool RowsComeFirst(const TensorInfo& info) {
  if (info.shape.empty() || !info.shape[0].symbolic()) return false;
  return std::none_of(info.shape.begin() + 1, info.shape.end(), [](const Dim& dim) { return dim.symbolic(); });
}

bool HasNoRows(const TensorInfo& info) {
  return std::none_of(info.shape.begin(), info.shape.end(), [](const Dim& dim) { return dim.symbolic(); });
}

bool RowsCanBeToldApart(const Program& program) {
  return program.symbolic() &&
         std::all_of(program.inputs().begin(), program.inputs().end(),
                     [](const TensorInfo& info) { return RowsComeFirst(info) || HasNoRows(info); }) &&
         std::all_of(program.outputs().begin(), program.outputs().end(),
                     [](const TensorInfo& info) { return RowsComeFirst(info) && info.row_independent; });
}

const char* Row(const Tensor& tensor, int64_t row, int64_t rows) {
  return static_cast<const char*>(tensor.raw()) + row * (tensor.shape().num_bytes() / rows);
}

// Row i of a batch of another size is this row of the golden batch: the last one first, so that each gets another place.
int64_t GoldenRow(int64_t i, int64_t golden_rows) { return (i + golden_rows - 1) % golden_rows; }

absl::StatusOr<Tensor> Rearranged(const Tensor& golden, const TensorInfo& info, int64_t golden_rows, int64_t rows) {
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Zeros(info.dtype, ShapeAt(info, rows)));
  if (HasNoRows(info)) {
    std::memcpy(tensor.raw(), golden.raw(), static_cast<size_t>(golden.shape().num_bytes()));
    return tensor;
  }
  const int64_t row_bytes = golden.shape().num_bytes() / golden_rows;
  for (int64_t i = 0; i < rows && row_bytes > 0; ++i) {
    std::memcpy(static_cast<char*>(tensor.raw()) + i * row_bytes, Row(golden, GoldenRow(i, golden_rows), golden_rows),
                static_cast<size_t>(row_bytes));
  }
  return tensor;
}

absl::Status CompareRows(const Program& program, const std::vector<Tensor>& want, int64_t golden_rows,
                         const std::vector<Tensor>& got, int64_t rows) {
  for (size_t output = 0; output < got.size(); ++output) {
    const int64_t row_bytes = got[output].shape().num_bytes() / rows;
    for (int64_t i = 0; i < rows && row_bytes > 0; ++i) {
      const char* golden = Row(want[output], GoldenRow(i, golden_rows), golden_rows);
      if (std::memcmp(Row(got[output], i, rows), golden, static_cast<size_t>(row_bytes)) == 0) continue;
      return absl::FailedPreconditionError(absl::StrFormat(
          "golden row check failed: output '%s' row %d of a batch of %d has other bits than in one of %d",
          program.outputs()[output].name, i, rows, golden_rows));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> CheckGoldenRows(const Golden& golden, Executor& executor,
                                                     const RunControl& control) {
  const Program& program = executor.program();
  if (!RowsCanBeToldApart(program)) return std::vector<int64_t>{};
  const std::vector<ConstTensorView> inputs = Views(golden.inputs);
  ASSIGN_OR_RETURN(const int64_t golden_rows, program.CheckInputs(inputs));
  std::vector<Tensor> want, got;
  RETURN_IF_ERROR(executor.Run(inputs, want, control));
  std::set<int64_t> sizes{std::max(int64_t{1}, program.min_rows()), std::min(2 * golden_rows + 1, program.max_rows())};
  sizes.erase(golden_rows);
  for (const int64_t rows : sizes) {
    std::vector<Tensor> batch;
    for (size_t i = 0; i < golden.inputs.size(); ++i) {
      ASSIGN_OR_RETURN(Tensor input, Rearranged(golden.inputs[i], program.inputs()[i], golden_rows, rows));
      batch.push_back(std::move(input));
    }
    RETURN_IF_ERROR(executor.Run(Views(batch), got, control));
    RETURN_IF_ERROR(CompareRows(program, want, golden_rows, got, rows));
  }
  return std::vector<int64_t>(sizes.begin(), sizes.end());
}

}  // namespace rml
