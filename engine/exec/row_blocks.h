// How many rows of a large batch an executor runs at a time.
//
// Where row i of every output needs row i of the inputs alone, a batch may be run as blocks of rows one after the other,
// with the same bits. In a small block a value is still in the cache when the next step reads it; in a large one the
// weights are read more rarely. The choice weighs the two by what the steps cost, never by a timing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/exec/executor.h"
#include "engine/exec/program_impl.h"

namespace rml {

// What one step costs as a function of the rows run at a time.
struct StepGrowth {
  double flops_per_row = 0;
  double fixed_bytes = 0;  // weights and the like
  double bytes_per_row = 0;
};

class RowBlocks {
 public:
  RowBlocks() = default;                // every batch in one block
  explicit RowBlocks(int64_t largest);  // blocks of at most so many rows
  // `held_per_row`: bytes of working memory, inputs and outputs.
  RowBlocks(const std::vector<StepGrowth>& steps, double held_per_row, int num_threads);

  // As the options say, else by binding the program twice to see how its steps grow. One block for every batch if rows
  // depend on one another or the program takes too few of them to tell.
  static RowBlocks Make(const ProgramImpl& program, const ExecutorOptions& options);

  // Into how many blocks, equal but for one row, `rows` rows are cut. Requires rows >= 1.
  int64_t BlocksOf(int64_t rows) const;

 private:
  static constexpr int kMaxLog2 = 20;
  // For batches of [2^i, 2^(i + 1)) rows: the largest block; 0: the batch as a whole.
  std::array<int64_t, kMaxLog2 + 1> largest_{};
};

}  // namespace rml
