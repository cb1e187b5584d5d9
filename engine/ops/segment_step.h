// Elementwise ops with NumPy broadcasting, whatever the operands' layouts: the output is cut into runs of adjacent
// elements, and each run is handed to a kernel as plain arrays and scalars.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/ops/step.h"

namespace rml {

// One run of the output. inputs[k] points at n adjacent elements, or at one that counts for all n if scalar[k]. Unless
// n is 1, at least one input is no scalar.
struct Segment {
  static constexpr int kMaxInputs = 3;
  int64_t n = 0;
  std::array<const void*, kMaxInputs> inputs{};
  std::array<bool, kMaxInputs> scalar{};
  void* output = nullptr;  // may be inputs[0] when the op has one input
};

// Stateless apart from its parameters: called from many threads at once.
class SegmentKernel {
 public:
  virtual ~SegmentKernel() = default;
  virtual void Run(const Segment& segment) const = 0;
  virtual const char* name() const = 0;  // shown in profiles
};

// Reads every layout in place. With one input the output may be written over it.
std::unique_ptr<Step> MakeSegmentStep(std::unique_ptr<const SegmentKernel> kernel, int num_inputs);

}  // namespace rml
