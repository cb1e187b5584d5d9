#include "engine/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "engine/kernels/denormals.h"
#include "engine/kernels/dispatch.h"

namespace rml {
namespace {

constexpr float kGuard = -12345.0f;  // fills what must not be written
constexpr uint32_t kSeed = 20240611;

struct Size {
  int64_t M, N, K;
};

struct Problem {
  Size size;
  int64_t lda, ldb, ldc;
  std::vector<float> A = {}, B = {}, col_bias = {}, row_bias = {}, addend = {};
};

enum class Values { kSmallIntegers, kReals, kSpecial };

float Draw(std::mt19937& random, Values values) {
  static const float kSpecials[] = {0.0f,
                                    -0.0f,
                                    1e-40f,
                                    -1e-40f,
                                    3e38f,
                                    -3e38f,
                                    1.5e-38f,
                                    std::numeric_limits<float>::infinity(),
                                    std::numeric_limits<float>::quiet_NaN()};
  switch (values) {
    case Values::kSmallIntegers:
      return static_cast<float>(static_cast<int>(random() % 9) - 4);
    case Values::kReals:
      return std::normal_distribution<float>(0, 1)(random);
    case Values::kSpecial:
      return random() % 16 == 0 ? kSpecials[random() % 9] : std::normal_distribution<float>(0, 1)(random);
  }
  return 0;
}

std::vector<float> DrawMany(std::mt19937& random, Values values, int64_t count) {
  std::vector<float> x(count);
  for (float& v : x) v = Draw(random, values);
  return x;
}

Problem MakeProblem(Size size, int64_t padding, Values values) {
  std::mt19937 random(kSeed);
  Problem p = {.size = size, .lda = size.K + padding, .ldb = size.N + padding, .ldc = size.N + padding};
  p.A = DrawMany(random, values, size.M * p.lda + 1);
  p.B = DrawMany(random, values, size.K * p.ldb + 1);
  p.col_bias = DrawMany(random, values, size.N);
  p.row_bias = DrawMany(random, values, size.M);
  p.addend = DrawMany(random, values, size.M * p.ldc + 1);
  return p;
}

enum class Form { kPacked, kRowMajor, kTransposed, kFilled };
constexpr Form kForms[] = {Form::kPacked, Form::kRowMajor, Form::kTransposed, Form::kFilled};

struct Options {
  Form form = Form::kPacked;
  bool epilogue = false;
  bool transposed_a = false;
  GemmThreads threads = {};
};

std::vector<float> Transposed(const std::vector<float>& x, int64_t rows, int64_t cols, int64_t ld) {
  std::vector<float> y(rows * cols + 1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) y[j * rows + i] = x[i * ld + j];
  }
  return y;
}

std::vector<float> Product(const KernelTable& kernels, const Problem& p, const Options& options) {
  const ScopedFlushDenormals flush;
  const auto [M, N, K] = p.size;
  std::vector<float> C(M * p.ldc + 1, kGuard);
  GemmArgs args = {.M = M, .N = N, .K = K, .A = {p.A.data(), p.lda, 1}, .C = C.data(), .ldc = p.ldc};
  std::vector<float> A_transposed, B_transposed;
  if (options.transposed_a) {
    A_transposed = Transposed(p.A, M, K, p.lda);
    args.A = {A_transposed.data(), 1, M};
  }
  if (options.epilogue) {
    args.epilogue = {p.col_bias.data(), p.row_bias.data(), p.addend.data(), p.ldc, kernels.relu};
  }
  const StridedMatrix row_major = {p.B.data(), p.ldb, 1};
  const PackedB packed = *PackedB::Pack(row_major, K, N, kernels);
  const auto filler = [&](const PanelRequest& request) {
    for (int64_t k = 0; k < request.kc; ++k) {
      for (int64_t j = 0; j < request.n; ++j) {
        request.panel[k * request.ld + j] = p.B[(request.k0 + k) * p.ldb + request.j0 + j];
      }
    }
  };
  const GemmB B = [&]() -> GemmB {
    switch (options.form) {
      case Form::kPacked:
        return &packed;
      case Form::kRowMajor:
        return row_major;
      case Form::kTransposed:
        B_transposed = Transposed(p.B, K, N, p.ldb);
        return StridedMatrix{B_transposed.data(), 1, K};
      case Form::kFilled:
        return PanelFiller(filler);
    }
    return &packed;
  }();
  const int64_t floats = GemmScratchFloats(kernels, static_cast<GemmBForm>(B.index()), M, N, K, options.threads.width);
  std::vector<float> scratch(floats + 1, kGuard);
  Gemm(kernels, args, B, scratch.data(), options.threads);
  EXPECT_EQ(scratch[floats], kGuard) << "scratch overrun";
  return C;
}

// The contract of gemm.h in plain loops.
std::vector<float> Expected(const Problem& p, bool epilogue) {
  const ScopedFlushDenormals flush;
  const auto [M, N, K] = p.size;
  std::vector<float> C(M * p.ldc + 1, kGuard);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (int64_t k0 = 0; k0 < K; k0 += 256) {
        float acc = 0;
        for (int64_t k = k0; k < std::min(K, k0 + 256); ++k)
          acc = std::fma(p.A[i * p.lda + k], p.B[k * p.ldb + j], acc);
        sum = k0 == 0 ? acc : sum + acc;
      }
      if (epilogue) {
        sum = ((sum + p.col_bias[j]) + p.row_bias[i]) + p.addend[i * p.ldc + j];
        if (sum < 0) sum = 0;
      }
      C[i * p.ldc + j] = sum;
    }
  }
  return C;
}

// "" if equal bit for bit (any NaN equals any NaN, and zeros each other where the reference's relu made them).
std::string Difference(const std::vector<float>& got, const std::vector<float>& expected) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
    if (absl::bit_cast<uint32_t>(got[i]) == absl::bit_cast<uint32_t>(expected[i])) continue;
    return "element " + std::to_string(i) + " of " + std::to_string(got.size()) + ": got " + std::to_string(got[i]) +
           ", expected " + std::to_string(expected[i]);
  }
  return "";
}

std::vector<Size> Sizes(const KernelTable& kernels) {
  const int64_t mr = kernels.gemm.mr, nr = kernels.gemm.nr;
  std::vector<Size> sizes = {{0, 3, 3}, {3, 0, 3}, {3, 3, 0}, {1, 1, 1}, {7, 37, 255}, {13, 41, 257}, {61, 53, 521}};
  for (const int64_t M : {mr - 1, mr, mr + 1, 2 * mr + 1}) {
    for (const int64_t N : {nr - 1, nr, nr + 1, 2 * nr + nr / 2}) sizes.push_back({M, N, 31});
  }
  sizes.push_back({1, 300, 300});
  sizes.push_back({251, 139, 513});                 // more than one pass over A
  sizes.push_back({2 * mr + 3, 4 * nr + 3, 1023});  // with padding, rows of A 4 KiB apart: A packed
  return sizes;
}

std::string Name(const KernelTable& kernels, Size size, Form form) {
  return std::string(kernels.isa) + " M=" + std::to_string(size.M) + " N=" + std::to_string(size.N) +
         " K=" + std::to_string(size.K) + " form " + std::to_string(static_cast<int>(form));
}

TEST(GemmTest, FollowsTheContractBitForBit) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const Size size : Sizes(*kernels)) {
      for (const Values values : {Values::kSmallIntegers, Values::kReals, Values::kSpecial}) {
        const Problem p = MakeProblem(size, size.K == 1023 ? 1 : size.M % 3, values);
        const std::vector<float> plain = Expected(p, false);
        for (const Form form : kForms) {
          EXPECT_EQ(Difference(Product(*kernels, p, {.form = form}), plain), "") << Name(*kernels, size, form);
        }
      }
    }
  }
}

TEST(GemmTest, EpilogueAddsInOrderAndActivates) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const Size size : Sizes(*kernels)) {
      const Problem p = MakeProblem(size, 5, Values::kReals);
      const std::vector<float> expected = Expected(p, true);
      for (const Form form : {Form::kPacked, Form::kRowMajor}) {
        EXPECT_EQ(Difference(Product(*kernels, p, {.form = form, .epilogue = true}), expected), "")
            << Name(*kernels, size, form);
      }
    }
  }
}

TEST(GemmTest, TransposedAGivesTheSameBits) {
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const Size size : {Size{5, 17, 300}, Size{37, 70, 40}, Size{100, 260, 520}}) {
      const Problem p = MakeProblem(size, 0, Values::kReals);
      EXPECT_EQ(Difference(Product(*kernels, p, {.transposed_a = true}), Expected(p, false)), "")
          << Name(*kernels, size, Form::kPacked);
    }
  }
}

TEST(GemmTest, AnyNumberOfThreadsGivesTheSameBits) {
  ThreadPool pool(3);
  for (const KernelTable* kernels : AvailableKernels()) {
    for (const Size size :
         {Size{1, 1, 1}, Size{1, 500, 64}, Size{500, 1, 64}, Size{67, 131, 300}, Size{200, 300, 520}}) {
      const Problem p = MakeProblem(size, 1, Values::kReals);
      const std::vector<float> expected = Expected(p, true);
      for (const Form form : kForms) {
        for (const int width : {2, 3}) {
          const Options options = {.form = form, .epilogue = true, .threads = {&pool, width}};
          EXPECT_EQ(Difference(Product(*kernels, p, options), expected), "") << Name(*kernels, size, form);
        }
      }
    }
  }
}

TEST(GemmTest, RowsDoNotDependOnTheirBatch) {
  for (const KernelTable* kernels : AvailableKernels()) {
    const Problem all = MakeProblem({64, 70, 300}, 0, Values::kReals);
    const std::vector<float> together = Product(*kernels, all, {});
    Problem one = all;
    one.size.M = 1;
    for (const int64_t row : {0, 11, 63}) {
      one.A.assign(all.A.begin() + row * all.lda, all.A.begin() + (row + 1) * all.lda);
      std::vector<float> alone = Product(*kernels, one, {});
      alone.resize(all.size.N);
      const std::vector<float> expected(together.begin() + row * all.ldc,
                                        together.begin() + row * all.ldc + all.size.N);
      EXPECT_EQ(Difference(alone, expected), "") << kernels->isa << " row " << row;
    }
  }
}

TEST(GemmTest, OneAddendRowIsRepeatedWithStrideZero) {
  for (const KernelTable* kernels : AvailableKernels()) {
    const std::vector<float> A(20, 1.0f), row = {1, 2, 3};
    std::vector<float> B(12, 1.0f), C(15);
    const PackedB packed = *PackedB::Pack({B.data(), 3, 1}, 4, 3, *kernels);
    std::vector<float> scratch(GemmScratchFloats(*kernels, GemmBForm::kPacked, 5, 3, 4));
    Gemm(*kernels,
         {.M = 5, .N = 3, .K = 4, .A = {A.data(), 4, 1}, .C = C.data(), .ldc = 3, .epilogue = {.addend = row.data()}},
         &packed, scratch.data());
    for (int i = 0; i < 15; ++i) EXPECT_EQ(C[i], 4.0f + row[i % 3]) << kernels->isa;
  }
}

TEST(GemmBatchTest, RunsEveryProduct) {
  ThreadPool pool(2);
  for (const KernelTable* kernels : AvailableKernels()) {
    constexpr int64_t kCount = 9, kM = 17, kN = 19, kK = 23;
    std::mt19937 random(kSeed);
    const std::vector<float> A = DrawMany(random, Values::kSmallIntegers, kCount * kM * kK);
    const std::vector<float> B = DrawMany(random, Values::kSmallIntegers, kCount * kK * kN);
    const int64_t floats = (GemmScratchFloats(*kernels, GemmBForm::kStrided, kM, kN, kK) + 15) / 16 * 16;
    std::vector<float> C(kCount * kM * kN), scratch(2 * floats);
    const auto problem = [&](int64_t i) -> GemmProblem {
      return {{.M = kM, .N = kN, .K = kK, .A = {A.data() + i * kM * kK, kK, 1}, .C = C.data() + i * kM * kN, .ldc = kN},
              StridedMatrix{B.data() + i * kK * kN, kN, 1}};
    };
    GemmBatch(*kernels, kCount, problem, scratch.data(), floats, {&pool, 2});
    for (int64_t i = 0; i < kCount * kM * kN; ++i) {
      const float* a = A.data() + i / kN * kK;
      const float* b = B.data() + i / (kM * kN) * kK * kN + i % kN;
      float sum = 0;
      for (int64_t k = 0; k < kK; ++k) sum += a[k] * b[k * kN];
      ASSERT_EQ(C[i], sum) << kernels->isa << " element " << i;
    }
  }
}

}  // namespace
}  // namespace rml
