// Products against OpenBLAS and against what the machine can do, all in one run and turn by turn, so that a slow moment
// of the machine meets everybody.
//
//   gemm_benchmark [seconds=S] [threads=T] [isa=avx2|avx512] [MxKxN ...]
//
//   seconds  per shape and contender (0.3)      isa  one instruction set only      shapes  the zoo's (see kShapes)
//
// One line a shape. Of each contender: GFLOP/s, the share of the peak of its instruction set measured right before and
// right after each of its turns, and the ratio to OpenBLAS; all medians over the turns. For one row, which reads the
// weights once, the share is of the read bandwidth over as many bytes. "packed" has B packed before, as a constant weight
// is; "+pack" takes B as it lies, as OpenBLAS does. The last line has the geometric means.
//
// One thread is timed by its own CPU time, which other processes on the core do not touch; more threads by the clock on
// the wall. OPENBLAS_CORETYPE=Haswell holds AVX2 against AVX2.
#include <cblas.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "engine/base/buffer.h"
#include "engine/base/thread_pool.h"
#include "engine/gemm/gemm.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"
#include "engine/kernels/machine_peak.h"

namespace rml {
namespace {

struct Shape {
  int64_t M, K, N;
};
// The products of the zoo's models at batches 1, 8 and 64, and a large square.
const std::vector<Shape> kShapes = {
    {1024, 1024, 1024}, {1, 784, 512},     {8, 784, 512},    {64, 784, 512},   {1, 512, 256},     {64, 512, 784},
    {1, 256, 1024},     {8, 256, 1024},    {64, 256, 1024},  {64, 1024, 256},  {64, 256, 768},    {512, 256, 1024},
    {4096, 256, 1024},  {4096, 1024, 256}, {4096, 256, 256}, {64, 512, 2048},  {4096, 512, 2048}, {64, 192, 768},
    {4096, 192, 576},   {1, 256, 256},     {8, 256, 256},    {64, 256, 256},   {64, 128, 64},     {256, 256, 128},
    {64, 3136, 64},     {1024, 288, 32},   {1024, 864, 32},  {16384, 64, 256}, {64, 64, 64},      {1024, 512, 10}};

struct Options {
  double seconds = 0.3;
  int threads = 1;
  std::string isa = {};
  std::vector<Shape> shapes = {};
};

struct Contender {
  std::string name;
  std::string isa;  // whose peak it is measured against; "" for none
  std::function<void()> run;
  int64_t calls_a_turn = 1;
  std::vector<double> gflops = {}, shares = {}, ratios = {};
};

double Seconds(int threads) {
  timespec t;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double Median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<int64_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

double GeometricMean(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += std::log(v);
  return std::exp(sum / static_cast<double>(x.size()));
}

std::vector<float> Random(int64_t count) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): every run multiplies the same numbers
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(count);
  for (float& v : x) v = uniform(random);
  return x;
}

// One shape: its matrices, its contenders and their turns.
class Match {
 public:
  Match(const Shape& shape, const Options& options, ThreadPool* pool)
      : M_(shape.M),
        K_(shape.K),
        N_(shape.N),
        options_(options),
        threads_{pool, options.threads},
        A_(Random(M_ * K_)),
        B_(Random(K_ * N_)),
        C_(M_ * N_) {
    contenders_.push_back({"openblas", "", [this] {
                             cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(M_),
                                         static_cast<int>(N_), static_cast<int>(K_), 1, A_.data(), static_cast<int>(K_),
                                         B_.data(), static_cast<int>(N_), 0, C_.data(), static_cast<int>(N_));
                           }});
    for (const KernelTable* kernels : AvailableKernels()) {
      const std::string isa = kernels->isa;
      if (isa == "portable" || (!options.isa.empty() && isa != options.isa)) continue;  // portable: a correctness path
      const StridedMatrix row_major = {B_.data(), N_, 1};
      packed_.push_back(std::make_unique<PackedB>(*PackedB::Pack(row_major, K_, N_, *kernels)));
      Add(*kernels, "packed", GemmBForm::kPacked, packed_.back().get());
      Add(*kernels, "+pack", GemmBForm::kStrided, row_major);
    }
  }

  void Play() {
    constexpr double kTurnSeconds = 0.002;
    for (Contender& c : contenders_) {
      c.run();
      int64_t calls = 1;
      for (double elapsed = 0; elapsed < kTurnSeconds / 4; calls *= 2) elapsed = Time(c, calls);
      const double call_seconds = Time(c, calls) / static_cast<double>(calls);
      c.calls_a_turn = std::max<int64_t>(1, static_cast<int64_t>(kTurnSeconds / call_seconds));
    }
    const double turn_seconds = std::max(kTurnSeconds, Time(contenders_[0], contenders_[0].calls_a_turn));
    const int turns = std::max(7, static_cast<int>(options_.seconds / turn_seconds));
    for (int turn = 0; turn < turns; ++turn) {
      for (Contender& c : contenders_) TakeTurn(c);
    }
  }

  void Print() const {
    std::printf("%5ld x %4ld x %4ld", static_cast<long>(M_), static_cast<long>(K_), static_cast<long>(N_));
    for (const Contender& c : contenders_) {
      std::printf(" | %s %.1f", c.name.c_str(), Median(c.gflops));
      if (!c.isa.empty()) std::printf(" %3.0f%% (%.2f)", 100 * Median(c.shares), Median(c.ratios));
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  const std::vector<Contender>& contenders() const { return contenders_; }

 private:
  void Add(const KernelTable& kernels, const std::string& name, GemmBForm form, const GemmB& b) {
    scratch_.emplace_back(GemmScratchFloats(kernels, form, M_, N_, K_, options_.threads) *
                          static_cast<int64_t>(sizeof(float)));
    float* const scratch = static_cast<float*>(scratch_.back().data());
    const std::string isa = kernels.isa;
    contenders_.push_back({isa + " " + name, isa, [this, &kernels, b, scratch] {
                             const GemmArgs args = {
                                 .M = M_, .N = N_, .K = K_, .A = {A_.data(), K_, 1}, .C = C_.data(), .ldc = N_};
                             Gemm(kernels, args, b, scratch, threads_);
                           }});
  }

  double Time(const Contender& c, int64_t calls) const {
    const double start = Seconds(options_.threads);
    for (int64_t i = 0; i < calls; ++i) c.run();
    return Seconds(options_.threads) - start;
  }

  // Per second: what this instruction set can do at best, of floating-point operations on all threads, or for one row of
  // the multiply-adds that the bytes of B allow. A first part is not counted: it brings B into the cache and the clock to
  // the rate of the widest registers, which takes some 20 us.
  double Peak(const std::string& isa) const {
    const auto run = [&](int64_t parts) {
      if (M_ > 1) return RunFmaChains(isa, parts * 10000);
      double bytes = 0;
      for (int64_t i = 0; i < parts * (1 + (1 << 18) / (K_ * N_)); ++i) {
        bytes += ReadThrough(isa, packed_[0]->panel(0, 0), packed_[0]->size_bytes());
      }
      return bytes / sizeof(float) * 2;
    };
    const auto run_all = [&](int64_t parts) {
      if (options_.threads == 1) return run(parts);
      std::vector<double> done(options_.threads);
      threads_.pool->ParallelFor(options_.threads, options_.threads, [&](int64_t i, int) { done[i] = run(parts); });
      return std::accumulate(done.begin(), done.end(), 0.0);
    };
    run_all(1);
    const double start = Seconds(options_.threads);
    const double operations = run_all(5);
    return operations / (Seconds(options_.threads) - start);
  }

  void TakeTurn(Contender& c) {
    const double before = c.isa.empty() ? 0 : Peak(c.isa);
    const double seconds = Time(c, c.calls_a_turn);
    const double after = c.isa.empty() ? 0 : Peak(c.isa);
    const double rate = 2.0 * static_cast<double>(M_ * N_ * K_ * c.calls_a_turn) / seconds;
    c.gflops.push_back(rate * 1e-9);
    if (!c.isa.empty()) c.shares.push_back(rate / ((before + after) / 2));
    c.ratios.push_back(c.gflops.back() / contenders_[0].gflops.back());
  }

  const int64_t M_, K_, N_;
  const Options& options_;
  const GemmThreads threads_;
  const std::vector<float> A_, B_;
  std::vector<float> C_;
  std::vector<std::unique_ptr<PackedB>> packed_;
  std::vector<Buffer> scratch_;
  std::vector<Contender> contenders_;
};

void PlayAll(const Options& options) {
  ThreadPool pool(options.threads);
  std::vector<std::pair<std::string, std::vector<double>>> ratios;
  for (const Shape& shape : options.shapes.empty() ? kShapes : options.shapes) {
    Match match(shape, options, &pool);
    match.Play();
    match.Print();
    ratios.resize(match.contenders().size());
    for (size_t i = 0; i < ratios.size(); ++i) {
      ratios[i].first = match.contenders()[i].name;
      ratios[i].second.push_back(Median(match.contenders()[i].ratios));
    }
  }
  std::printf("geometric mean of the ratios to OpenBLAS");
  for (size_t i = 1; i < ratios.size(); ++i) {
    std::printf(" | %s %.2f", ratios[i].first.c_str(), GeometricMean(ratios[i].second));
  }
  std::printf("\n");
}

// One argument of the command line; false if it is none.
bool Parse(const std::string& arg, Options& options) {
  const std::vector<std::string> pair = absl::StrSplit(arg, '=');
  if (pair.size() == 2 && pair[0] == "seconds") {
    return absl::SimpleAtod(pair[1], &options.seconds) && options.seconds > 0;
  }
  if (pair.size() == 2 && pair[0] == "threads") {
    return absl::SimpleAtoi(pair[1], &options.threads) && options.threads >= 1 && options.threads <= 256;
  }
  if (pair.size() == 2 && pair[0] == "isa") {
    options.isa = pair[1];
    return options.isa == "avx2" || options.isa == "avx512";
  }
  const std::vector<std::string> dims = absl::StrSplit(arg, 'x');
  Shape shape = {};
  if (dims.size() != 3 || !absl::SimpleAtoi(dims[0], &shape.M) || !absl::SimpleAtoi(dims[1], &shape.K) ||
      !absl::SimpleAtoi(dims[2], &shape.N) || std::min({shape.M, shape.K, shape.N}) < 1) {
    return false;
  }
  options.shapes.push_back(shape);
  return true;
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  rml::Options options;
  for (int i = 1; i < argc; ++i) {
    if (rml::Parse(argv[i], options)) continue;
    std::fprintf(stderr,
                 "argument '%s': expected seconds=S (above 0), threads=T (1 to 256), isa=avx2, isa=avx512 or a shape "
                 "MxKxN\n",
                 argv[i]);
    return 2;
  }
  openblas_set_num_threads(options.threads);
  std::printf("OpenBLAS %s\nM x K x N | GFLOP/s, share of the peak, (ratio to OpenBLAS); %d threads\n",
              openblas_get_config(), options.threads);
  const rml::ScopedFlushDenormals flush;
  rml::PlayAll(options);
  return 0;
}
