// A compiled model: steps with packed weights and kernel choices. Immutable, shared by all its executors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/base/tensor.h"
#include "engine/graph/graph.h"

namespace rml {

struct ProgramImpl;

struct ProgramOptions {
  bool fuse = true;                            // false switches all passes off
  std::vector<std::string> disabled_passes{};  // names of Program::PassNames()
  std::string isa{};                           // "portable", "avx2", "avx512"; empty: the process's choice (RML_ISA)
};

// Name, type and symbolic shape of an input or output.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<Dim> shape;  // B where the row count varies
  bool row_independent = false;
};

// The concrete shape for a row count. Requires one within the model's bounds.
Shape ShapeAt(const TensorInfo& info, int64_t rows);

// What a model holds in memory, in bytes.
struct MemoryBill {
  int64_t constants = 0;  // elements kept as read; not those that are only needed packed
  int64_t prepared = 0;   // packed weights, and results of nodes that ran once
};

// What a pass did at load: one line per match, and one with the reason per place where it did not.
struct PassReport {
  std::string pass;
  std::vector<std::string> matched;
  std::vector<std::string> refused;
};

// Thread-safe: nothing changes after Load/Compile.
class Program {
 public:
  // Reads, checks and compiles the pair `json_path` + its .safetensors. Errors as ReadGraphFile and CheckGraph;
  // ResourceExhausted, naming what was too large, if it does not fit into memory.
  static absl::StatusOr<std::shared_ptr<const Program>> Load(const std::string& json_path,
                                                             const ProgramOptions& options = {});
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(Graph graph, const ProgramOptions& options = {});
  ~Program();

  const Graph& graph() const;  // constants that the steps hold packed have no data any more
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  bool symbolic() const;  // takes any row count in [min_rows, max_rows]
  int64_t min_rows() const;
  int64_t max_rows() const;
  const MemoryBill& memory() const;
  const std::vector<PassReport>& passes() const;

  // The row count that `inputs` mean, after checking their number, dtypes and shapes. The error lists every wrong input:
  // "input 'x' has shape [2, 5]; expected f32[B, 784]".
  absl::StatusOr<int64_t> CheckInputs(absl::Span<const ConstTensorView> inputs) const;

  // Tensors of the inputs' types for `rows` rows, all zeros. Requires a row count in [min_rows, max_rows].
  // ResourceExhausted, naming the input and its size, without memory for them.
  absl::StatusOr<std::vector<Tensor>> ZeroInputs(int64_t rows) const;

  static const std::vector<std::string>& PassNames();

  explicit Program(std::unique_ptr<ProgramImpl> impl);
  const ProgramImpl& impl() const { return *impl_; }

 private:
  absl::Status WrongInputs(absl::Span<const ConstTensorView> inputs) const;

  std::unique_ptr<ProgramImpl> impl_;
};

}  // namespace rml
