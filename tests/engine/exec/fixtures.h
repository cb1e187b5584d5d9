// The exported models under tests/fixtures: found by listing the folder, so that a new one needs no edit.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/exec/executor.h"
#include "engine/graph/golden.h"

namespace rml {

// The ways by which every model of the zoo became a graph: the ROUTES of exporter/rml_export/zoo/routes.py, whose tests
// hold every route and model of theirs against a fixture, as cross_framework_test.cc does for these.
inline constexpr std::array<std::string_view, 6> kRoutes = {"torch",           "jax",           "tf",
                                                            "stablehlo_torch", "stablehlo_jax", "stablehlo_tf"};

struct Fixture {
  std::string name;  // "torch_mlp"
  std::string json_path;
  std::string golden_path;
  std::string bits_path;
  std::string route{};  // "torch": the longest of kRoutes that the name begins with; empty if there is none
  std::string model{};  // "mlp": the rest of the name
};

// Every NAME.json in the folder, sorted.
std::vector<Fixture> FindFixtures();

// Those of kRoutes, by model and by route.
std::map<std::string, std::map<std::string, Fixture>> FindFixturesByModel();

// A digest of outputs' bits: equal iff (but for collisions) types, shapes and bits are, any NaN counting as any other.
std::string BitsDigest(const std::vector<Tensor>& outputs);

// One run with every step on all of num_threads threads.
absl::StatusOr<std::vector<Tensor>> RunOnce(const std::shared_ptr<const Program>& program,
                                            const std::vector<Tensor>& inputs, int num_threads);

}  // namespace rml
