// Speed of the table's kernels on data in L1, for every instruction set of the machine: elements a second.
//   kernels_benchmark --benchmark_filter=avx2/exp
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr int64_t kElements = 2048;  // 8 KiB in, 8 KiB out

std::vector<float> Values() {
  std::vector<float> x(kElements);
  for (int64_t i = 0; i < kElements; ++i) x[i] = static_cast<float>(i % 701) * 0.01f - 3.5f;
  return x;
}

struct Unary {
  const char* name;
  UnaryFn KernelTable::* kernel;
};
const Unary kUnary[] = {
    {"relu", &KernelTable::relu},
    {"sqrt", &KernelTable::sqrt},
    {"exp", &KernelTable::exp},
    {"log", &KernelTable::log},
    {"sin", &KernelTable::sin},
    {"tanh", &KernelTable::tanh},
    {"sigmoid", &KernelTable::sigmoid},
    {"erf", &KernelTable::erf},
    {"gelu", &KernelTable::gelu},
    {"gelu_tanh", &KernelTable::gelu_tanh},
    {"softmax", &KernelTable::softmax_row},
};

template <class Body>
void Register(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), [body](benchmark::State& state) {
    const ScopedFlushDenormals flush;
    for (auto _ : state) {
      body();
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * kElements);
  });
}

void RegisterAll() {
  static const std::vector<float> x = Values();
  static std::vector<float> y(kElements);
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::string isa = kernels->isa;
    for (const Unary& u : kUnary) {
      Register(isa + "/" + u.name, [kernels, u] { (kernels->*u.kernel)(x.data(), kElements, y.data()); });
    }
    Register(isa + "/add", [kernels] { kernels->add.vv(x.data(), x.data(), kElements, y.data()); });
    Register(isa + "/pow", [kernels] { kernels->pow.vs(x.data(), 2.5f, kElements, y.data()); });
    Register(isa + "/layer_norm",
             [kernels] { kernels->layer_norm_row(x.data(), kElements, 1e-5f, x.data(), x.data(), y.data()); });
    Register(isa + "/sum", [kernels] { benchmark::DoNotOptimize(kernels->sum_row(x.data(), kElements)); });
    Register(isa + "/max", [kernels] { benchmark::DoNotOptimize(kernels->max_row(x.data(), kElements)); });
  }
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  rml::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
