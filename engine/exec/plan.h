// A program bound to one row count: views resolved, copies inserted where a kernel cannot read a view, buffers placed in
// the arena, threads chosen.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/exec/executor.h"
#include "engine/exec/program_impl.h"

namespace rml {

// A pointer that a step gets: somewhere in the arena, a constant, or an input or output of this run.
struct Operand {
  enum class Base : uint8_t { kArena, kConstant, kInput, kOutput };
  Base base = Base::kArena;
  int index = 0;             // of the input or output
  int64_t offset_bytes = 0;  // from the base
  const void* constant = nullptr;
};

struct PlanStep {
  std::unique_ptr<BoundStep> bound;
  int program_step = 0;   // whose work this is: copies count for the step that needs them
  int first_operand = 0;  // in Plan::operands
  int width = 1;
};

// Made in well under a millisecond; immutable but for `pointers`, which the executor fills.
struct Plan {
  int64_t rows = 1;
  std::vector<PlanStep> steps;
  std::vector<Operand> operands;
  std::vector<void*> pointers;   // operands resolved for the current arena and run
  std::vector<int> io_operands;  // operands that change with every run
  int64_t arena_bytes = 0;
  std::vector<TensorType> types;  // by value id
  int max_width = 1;              // the widest step
};

// Errors: a type that does not fit at this row count (files whose multiples of B are wrong).
absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const ProgramImpl& program, int64_t rows,
                                               const ExecutorOptions& options);

}  // namespace rml
