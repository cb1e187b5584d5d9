#include "tests/engine/exec/fixtures.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

// Sets route and model from the name: stablehlo_jax_mlp is of route stablehlo_jax, were there a route stablehlo or not.
void SplitName(Fixture& fixture) {
  for (const std::string_view route : kRoutes) {
    const std::string prefix = std::string(route) + "_";
    if (route.size() <= fixture.route.size() || fixture.name.rfind(prefix, 0) != 0) continue;
    fixture.route = route;
    fixture.model = fixture.name.substr(prefix.size());
  }
}

}  // namespace

std::vector<Fixture> FindFixtures() {
  std::vector<Fixture> fixtures;
  for (const auto& entry : std::filesystem::directory_iterator(RML_FIXTURES_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const std::string stem = (entry.path().parent_path() / entry.path().stem()).string();
    fixtures.push_back(
        {entry.path().stem().string(), entry.path().string(), stem + ".golden.safetensors", stem + ".bits"});
    SplitName(fixtures.back());
  }
  std::sort(fixtures.begin(), fixtures.end(), [](const Fixture& a, const Fixture& b) { return a.name < b.name; });
  return fixtures;
}

std::map<std::string, std::map<std::string, Fixture>> FindFixturesByModel() {
  std::map<std::string, std::map<std::string, Fixture>> models;
  for (Fixture& fixture : FindFixtures()) {
    if (!fixture.route.empty()) models[fixture.model][fixture.route] = std::move(fixture);
  }
  return models;
}

std::string BitsDigest(const std::vector<Tensor>& outputs) {
  uint32_t crc = 0;
  auto add = [&crc](const void* data, size_t bytes) {
    crc = static_cast<uint32_t>(crc32_z(crc, static_cast<const Bytef*>(data), bytes));
  };
  for (const Tensor& output : outputs) {
    const std::string type = DTypeName(output.dtype()) + ToString(output.shape());
    add(type.data(), type.size());
    std::vector<uint32_t> bits(output.num_elements());
    if (!bits.empty()) std::memcpy(bits.data(), output.raw(), 4 * bits.size());
    if (output.dtype() == DType::kF32) {
      for (size_t i = 0; i < bits.size(); ++i) {
        if (std::isnan(output.data<float>()[i])) bits[i] = 0x7fc00000;
      }
    }
    add(bits.data(), 4 * bits.size());
  }
  return absl::StrFormat("%08x", crc);
}

absl::StatusOr<std::vector<Tensor>> RunOnce(const std::shared_ptr<const Program>& program,
                                            const std::vector<Tensor>& inputs, int num_threads) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Executor> executor,
                   Executor::Create(program, {.num_threads = num_threads, .width_policy = WidthPolicy::kAll}));
  std::vector<Tensor> outputs;
  RETURN_IF_ERROR(executor->Run(Views(inputs), outputs));
  return outputs;
}

}  // namespace rml
