// Exact models: small models on dummy weights whose every intermediate value f32 holds exactly, so that the output has one
// value whatever the order of sums, fusion, threads or approximation of a function. Each is exported from every framework
// (exact_check.py) and must give that value bit for bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/shape.h"

namespace rml {

// Element i of a fixed sequence of non-zero multiples of 1/8 from -7/8 to 7/8.
float Dummy(int64_t i, int seed);
std::vector<float> Dummies(int64_t count, int seed);

struct ExactModel {
  std::string suffix;  // its exports are <folder>/<framework><suffix>.json
  Shape input_shape;
  std::vector<float> input;     // the elements of its one input
  std::vector<float> expected;  // and of its one output
};

// One export of a model, run one way.
struct ExactRun {
  std::string name;  // "torch_lstm"
  bool fused = true;
  size_t nodes = 0;
  size_t steps = 0;
  int64_t different = 0;  // elements of the output whose bits are not the expected ones
};

// Runs every export of the model in the folder, sorted, each fused and unfused. Errors: NotFound if there is none;
// InvalidArgument for an output of another type or size; those of Program and Executor.
absl::StatusOr<std::vector<ExactRun>> RunExports(const std::string& folder, const ExactModel& model);

// The program of an example: runs all models' exports and prints a table. Exit code 0 if every bit is as expected, 1 if
// not, 2 for wrong usage or a file that cannot be run. `folder` can be replaced by an argument.
int ExactMain(int argc, char** argv, const char* description, std::string folder,
              const std::vector<ExactModel>& models);

}  // namespace rml
