// The exported models under tests/fixtures: found by listing the folder, so that a new one needs no edit.
#pragma once

#include <string>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"

namespace rml {

struct Fixture {
  std::string name;  // "torch_mlp"
  std::string json_path;
  std::string golden_path;
  std::string bits_path;
};

// Every NAME.json in the folder, sorted.
std::vector<Fixture> FindFixtures();

// A digest of outputs' bits: equal iff (but for collisions) types, shapes and bits are, any NaN counting as any other.
std::string BitsDigest(const std::vector<Tensor>& outputs);

// One run with every step on all of num_threads threads.
absl::StatusOr<std::vector<Tensor>> RunOnce(const std::shared_ptr<const Program>& program,
                                            const std::vector<Tensor>& inputs, int num_threads);

}  // namespace rml
