// One-thread products against OpenBLAS and the FMA peak, all in one run, turn by turn, so that a slow moment of the
// machine meets everybody.
//
//   gemm_benchmark [seconds per shape and contender, default 0.5]
//
// One line a shape: GFLOP/s of each contender (median of its turns) and, for ours, the median of the turn-by-turn ratios
// to OpenBLAS. "packed" has B packed before, as a constant weight is; "+pack" takes B as it lies and pays for it in the
// call, as OpenBLAS does. OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE pick OpenBLAS's kernels: unset them for its best, or set
// OPENBLAS_CORETYPE=Haswell to hold AVX2 against AVX2.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/gemm/gemm.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"
#include "engine/kernels/machine_peak.h"

namespace rml {
namespace {

using Clock = std::chrono::steady_clock;

struct Shape {
  int64_t M, N, K;
};
constexpr Shape kShapes[] = {{1024, 1024, 1024}, {512, 512, 512}, {256, 256, 256}, {4096, 512, 256},
                             {64, 1024, 256},    {64, 256, 1024}, {64, 64, 64},    {32, 1024, 1024},
                             {8, 1024, 256},     {1, 1024, 1024}, {1, 256, 256},   {1024, 10, 512}};

struct Contender {
  std::string name;
  std::function<double()> run;  // returns the floating-point operations done
  std::vector<double> gflops = {};
};

double Median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<int64_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

// Each contender runs for about 4 ms a turn until its time is used up.
void TakeTurns(std::vector<Contender>& contenders, double seconds) {
  constexpr double kTurnSeconds = 0.004;
  for (Contender& c : contenders) c.run();
  const int turns = std::max(5, static_cast<int>(seconds / kTurnSeconds));
  for (int turn = 0; turn < turns; ++turn) {
    for (Contender& c : contenders) {
      const Clock::time_point start = Clock::now();
      double operations = 0, elapsed = 0;
      do {
        operations += c.run();
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
      } while (elapsed < kTurnSeconds);
      c.gflops.push_back(operations / elapsed * 1e-9);
    }
  }
}

std::vector<float> Random(int64_t count) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): every run multiplies the same numbers
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(count);
  for (float& v : x) v = uniform(random);
  return x;
}

void Measure(const Shape& shape, double seconds) {
  const auto [M, N, K] = shape;
  const double operations = 2.0 * static_cast<double>(M * N * K);
  const std::vector<float> A = Random(M * K), B = Random(K * N);
  std::vector<float> C(M * N);
  std::vector<Contender> contenders;
  contenders.push_back({"openblas", [&] {
                          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(M),
                                      static_cast<int>(N), static_cast<int>(K), 1, A.data(), static_cast<int>(K),
                                      B.data(), static_cast<int>(N), 0, C.data(), static_cast<int>(N));
                          return operations;
                        }});
  std::vector<PackedB> packed;
  std::vector<Buffer> scratch;
  packed.reserve(4);
  scratch.reserve(8);
  const StridedMatrix row_major = {B.data(), N, 1};
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::string isa = kernels->isa;
    if (isa == "portable") continue;  // a correctness path, hundreds of times slower
    const auto add = [&, kernels](const std::string& name, GemmBForm form, GemmB b) {
      scratch.emplace_back(GemmScratchFloats(*kernels, form, M, N, K) * static_cast<int64_t>(sizeof(float)));
      float* const memory = static_cast<float*>(scratch.back().data());
      contenders.push_back({name, [=, &A, &C] {
                              Gemm(*kernels, {.M = M, .N = N, .K = K, .A = {A.data(), K, 1}, .C = C.data(), .ldc = N},
                                   b, memory);
                              return operations;
                            }});
    };
    contenders.push_back({isa + " peak", [isa] { return RunFmaChains(isa, 2000); }});
    packed.push_back(*PackedB::Pack(row_major, K, N, *kernels));
    add(isa + " packed", GemmBForm::kPacked, &packed.back());
    add(isa + " +pack", GemmBForm::kStrided, row_major);
  }
  TakeTurns(contenders, seconds);
  std::printf("%5ld x %4ld x %4ld", static_cast<long>(M), static_cast<long>(N), static_cast<long>(K));
  for (const Contender& c : contenders) {
    std::vector<double> ratios;
    for (size_t i = 0; i < c.gflops.size(); ++i) ratios.push_back(c.gflops[i] / contenders[0].gflops[i]);
    std::printf(" | %s %.1f", c.name.c_str(), Median(c.gflops));
    if (c.name.find("pack") != std::string::npos) std::printf(" (%.2f)", Median(ratios));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  double seconds = 0.5;
  if (argc > 2 || (argc == 2 && (!absl::SimpleAtod(argv[1], &seconds) || !(seconds > 0)))) {
    std::fprintf(stderr, "usage: gemm_benchmark [seconds per shape and contender, above 0; default 0.5]\n");
    return 2;
  }
  for (const char* variable : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) {
    if (std::getenv(variable) != nullptr) std::fprintf(stderr, "%s is set: OpenBLAS may be slower for it\n", variable);
  }
  openblas_set_num_threads(1);
  std::printf("OpenBLAS %s; GFLOP/s, in brackets the ratio to OpenBLAS\nM x N x K\n", openblas_get_config());
  const rml::ScopedFlushDenormals flush;
  for (const rml::Shape& shape : rml::kShapes) rml::Measure(shape, seconds);
  return 0;
}
