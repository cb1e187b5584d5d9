// The run that all others are held against: unfused, one thread, the best kernels, every value kept.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"
#include "tests/engine/random/random_case.h"

namespace rml {

struct BaseRun {
  std::vector<Tensor> inputs;
  std::map<ValueId, Tensor> values;  // node outputs
};

// One executor of the graph with all its values as outputs.
class BaseRunner {
 public:
  static absl::StatusOr<BaseRunner> Make(const RandomCase& random_case);
  absl::StatusOr<BaseRun> Run(std::vector<Tensor> inputs) const;
  const Graph& graph() const { return graph_; }  // with all outputs

 private:
  Graph graph_;
  std::unique_ptr<Executor> executor_;
};

// Where a node of the run disagrees with its reference, and where a chain of references is not what RunReference()
// gives; empty if nowhere.
std::string CheckNodes(const Graph& graph, int64_t rows, const BaseRun& run);
std::string CheckReferenceChain(const Graph& all_outputs, int64_t rows, const BaseRun& run);

// Whether two tensors have the same type and bits, any NaN being equal to any other; what differs, or empty.
std::string BitDifference(const Tensor& actual, const Tensor& expected);

}  // namespace rml
