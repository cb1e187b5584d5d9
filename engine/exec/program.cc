#include "engine/exec/program.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/out_of_memory.h"
#include "engine/base/status_macros.h"
#include "engine/exec/compile.h"
#include "engine/exec/program_impl.h"
#include "engine/graph/graph_file.h"

namespace rml {
namespace {

std::string Expected(const TensorInfo& info) { return absl::StrCat(DTypeName(info.dtype), ToString(info.shape)); }

std::string Got(const ConstTensorView& tensor) { return absl::StrCat(DTypeName(tensor.dtype), ToString(tensor.shape)); }

// The row count that a shape means: 0 if it has no symbolic dim, -1 if it does not fit.
int64_t RowsOf(const TensorInfo& info, const Shape& shape) {
  if (shape.rank() != static_cast<int>(info.shape.size())) return -1;
  int64_t rows = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const Dim& dim = info.shape[i];
    if (!dim.symbolic()) {
      if (shape.dim(i) != dim.factor()) return -1;
      continue;
    }
    if (shape.dim(i) % dim.factor() != 0) return -1;
    const int64_t here = shape.dim(i) / dim.factor();
    if (rows != 0 && here != rows) return -1;
    rows = here;
    if (rows <= 0) return -1;
  }
  return rows;
}

}  // namespace

Shape ShapeAt(const TensorInfo& info, int64_t rows) {
  Shape shape;
  for (const Dim& dim : info.shape) shape.push_back(dim.At(rows));
  return shape;
}

Program::Program(std::unique_ptr<ProgramImpl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

absl::StatusOr<std::shared_ptr<const Program>> Program::Load(const std::string& json_path,
                                                             const ProgramOptions& options) {
  return CatchOutOfMemory("loading the model", [&]() -> absl::StatusOr<std::shared_ptr<const Program>> {
    ASSIGN_OR_RETURN(Graph graph, ReadGraphFile(json_path));
    return Compile(std::move(graph), options);
  });
}

absl::StatusOr<std::shared_ptr<const Program>> Program::Compile(Graph graph, const ProgramOptions& options) {
  return CatchOutOfMemory("compiling the model", [&]() -> absl::StatusOr<std::shared_ptr<const Program>> {
    ASSIGN_OR_RETURN(std::unique_ptr<ProgramImpl> impl, CompileGraph(std::move(graph), options));
    return std::make_shared<const Program>(std::move(impl));
  });
}

const Graph& Program::graph() const { return impl_->graph; }
const std::vector<TensorInfo>& Program::inputs() const { return impl_->inputs; }
const std::vector<TensorInfo>& Program::outputs() const { return impl_->outputs; }
bool Program::symbolic() const { return impl_->graph.symbolic; }
int64_t Program::min_rows() const { return impl_->graph.min_rows; }
int64_t Program::max_rows() const { return impl_->graph.max_rows; }
const MemoryBill& Program::memory() const { return impl_->memory; }
const std::vector<PassReport>& Program::passes() const { return impl_->passes; }

absl::StatusOr<int64_t> Program::CheckInputs(absl::Span<const ConstTensorView> inputs) const {
  int64_t rows = 0;
  bool fits = inputs.size() == impl_->inputs.size();
  for (size_t i = 0; fits && i < inputs.size(); ++i) {
    const int64_t here = inputs[i].dtype == impl_->inputs[i].dtype ? RowsOf(impl_->inputs[i], inputs[i].shape) : -1;
    fits = here >= 0 && (here == 0 || rows == 0 || here == rows);
    if (here > 0) rows = here;
  }
  if (rows == 0) rows = min_rows();
  if (fits && rows >= min_rows() && rows <= max_rows()) return rows;
  return CatchOutOfMemory("checking the inputs", [&] { return WrongInputs(inputs); });
}

absl::StatusOr<std::vector<Tensor>> Program::ZeroInputs(int64_t rows) const {
  return CatchOutOfMemory("making inputs", [&]() -> absl::StatusOr<std::vector<Tensor>> {
    std::vector<Tensor> zeros;
    for (const GraphInput& input : impl_->graph.inputs) {
      const Value& value = impl_->graph.values[input.id];
      ASSIGN_OR_RETURN(Tensor tensor, Annotate(Tensor::Zeros(value.dtype, ShapeAt(value, rows)),
                                               absl::StrFormat("input '%s'", input.name)));
      zeros.push_back(std::move(tensor));
    }
    return zeros;
  });
}

absl::Status Program::WrongInputs(absl::Span<const ConstTensorView> inputs) const {
  if (inputs.size() != impl_->inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("the model takes %d inputs; got %d", impl_->inputs.size(), inputs.size()));
  }
  std::vector<std::string> problems;
  int64_t rows = 0;
  std::string rows_from;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo& info = impl_->inputs[i];
    const int64_t here = inputs[i].dtype == info.dtype ? RowsOf(info, inputs[i].shape) : -1;
    if (here < 0) {
      problems.push_back(absl::StrFormat("input '%s' is %s; expected %s", info.name, Got(inputs[i]), Expected(info)));
    } else if (here > 0 && rows > 0 && here != rows) {
      problems.push_back(absl::StrFormat("input '%s' has %d rows but input '%s' has %d; expected the same row count B",
                                         info.name, here, rows_from, rows));
    } else if (here > 0 && (here < min_rows() || here > max_rows())) {
      problems.push_back(absl::StrFormat("input '%s' has %d rows; expected between %d and %d", info.name, here,
                                         min_rows(), max_rows()));
    }
    if (here > 0 && rows == 0) {
      rows = here;
      rows_from = info.name;
    }
  }
  return absl::InvalidArgumentError(absl::StrJoin(problems, "; "));
}

}  // namespace rml
