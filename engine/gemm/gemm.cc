#include "engine/gemm/gemm.h"

#include <algorithm>

#include "engine/gemm/b_block.h"
#include "engine/gemm/grid.h"

namespace rml {
namespace {

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }
int64_t CeilDiv(int64_t x, int64_t divisor) { return (x + divisor - 1) / divisor; }

// Whether A is copied into k-major panels. That costs one read and write an element, which many panels repay where the
// rows of a tile lie a multiple of 4 KiB apart and so in the same few sets of the caches, or k strides through memory.
// (Zen 3, 1024^3, AVX2: 54 GFLOP/s in place, 79 packed; rows of 784 floats are read faster where they lie.)
bool MayPackA(int64_t M, int64_t N, int64_t K, const MicroKernel& kernel) {
  return M >= 2 * kernel.mr && N >= 4 * kernel.nr && K >= kGemmBlockK;
}
bool PacksA(const StridedMatrix& A, int64_t M, int64_t N, int64_t K, const MicroKernel& kernel) {
  return MayPackA(M, N, K, kernel) && (A.col_stride != 1 || A.row_stride % 1024 == 0);
}

bool ReadsBInPlace(const GemmB& B, int64_t rows, const MicroKernel& kernel) {
  const auto* matrix = std::get_if<StridedMatrix>(&B);
  return matrix != nullptr && matrix->col_stride == 1 && rows <= 2 * kernel.mr;
}

GemmBForm FormOf(const GemmB& B) { return static_cast<GemmBForm>(B.index()); }

constexpr int64_t kScratchUnit = 16;  // floats: what follows stays 64-byte aligned

int64_t AScratchFloats(const KernelTable& kernels, const GemmBlocking& blocking, int64_t M, int64_t N, int64_t K) {
  if (!MayPackA(M, N, K, kernels.gemm)) return 0;
  const int64_t rows = std::min(RoundUp(M, kernels.gemm.mr), blocking.row_tiles * kernels.gemm.mr);
  return RoundUp(rows * blocking.depth, kScratchUnit);
}

int64_t ScratchFloatsPerThread(const KernelTable& kernels, GemmBForm form, int64_t M, int64_t N, int64_t K) {
  const GemmBlocking blocking = ChooseBlocking(kernels.gemm, form, M, N, K, L2Bytes());
  return AScratchFloats(kernels, blocking, M, N, K) +
         RoundUp(BBlock::ScratchFloats(kernels, form, blocking.columns, blocking.depth), kScratchUnit);
}

// A chunk of C: rows [row_begin, row_end), columns [col_begin, col_end), on one thread.
class ChunkProduct {
 public:
  ChunkProduct(const KernelTable& kernels, const GemmArgs& args, const GemmB& B, int64_t row_begin, int64_t row_end,
               float* scratch)
      : kernels_(kernels),
        args_(args),
        B_(B),
        row_begin_(row_begin),
        rows_(row_end - row_begin),
        num_tiles_(CeilDiv(rows_, kernels.gemm.mr)),
        blocking_(ChooseBlocking(kernels.gemm, FormOf(B), args.M, args.N, args.K, L2Bytes())),
        a_scratch_(scratch),
        b_scratch_(scratch + AScratchFloats(kernels, blocking_, args.M, args.N, args.K)) {}

  void Run(int64_t col_begin, int64_t col_end) {
    packs_a_ = PacksA(args_.A, args_.M, col_end - col_begin, args_.K, kernels_.gemm);
    BBlock b(kernels_, B_, b_scratch_, ReadsBInPlace(B_, rows_, kernels_.gemm));
    const bool one_pass = num_tiles_ <= blocking_.row_tiles;
    for (int64_t k0 = 0; k0 == 0 || k0 < args_.K; k0 += blocking_.depth) {
      k_begin_ = k0;
      k_end_ = std::min(args_.K, k0 + blocking_.depth);
      for (int64_t j0 = col_begin; j0 < col_end; j0 += blocking_.columns) {
        const int64_t j1 = std::min(j0 + blocking_.columns, col_end);
        b.Prepare(k_begin_, k_end_, j0, j1);
        for (int64_t t = 0; t < num_tiles_; t += blocking_.row_tiles) {
          const int64_t t_end = std::min(t + blocking_.row_tiles, num_tiles_);
          if (packs_a_ && (j0 == col_begin || !one_pass)) PackA(t, t_end);
          RunPass(b, j0, j1, t, t_end);
        }
      }
    }
  }

 private:
  // The rows are shared out evenly over the tiles: a last tile of one or two rows would wait for its own additions.
  int64_t TileBegin(int64_t tile) const { return row_begin_ + PartBegin(rows_, tile, num_tiles_); }

  const float* A(int64_t row, int64_t k0) const {
    return args_.A.data + row * args_.A.row_stride + k0 * args_.A.col_stride;
  }

  // The packed rows of a tile in the block of K at k0: a pass's blocks one after the other, tiles within a block.
  float* PackedA(int64_t k0, int64_t kc, int64_t tile, int64_t tiles) const {
    return a_scratch_ + ((k0 - k_begin_) * tiles + tile * kc) * kernels_.gemm.mr;
  }

  void PackA(int64_t tile_begin, int64_t tile_end) {
    for (int64_t k0 = k_begin_; k0 < k_end_; k0 += kGemmBlockK) {
      const int64_t kc = std::min(kGemmBlockK, k_end_ - k0);
      for (int64_t t = tile_begin; t < tile_end; ++t) {
        PackTile(TileBegin(t), TileBegin(t + 1), k0, kc, PackedA(k0, kc, t - tile_begin, tile_end - tile_begin));
      }
    }
  }

  void PackTile(int64_t row, int64_t row_end, int64_t k0, int64_t kc, float* panel) {
    const int64_t mr = kernels_.gemm.mr, m = row_end - row;
    const StridedMatrix& matrix = args_.A;
    if (matrix.col_stride == 1) return kernels_.transpose(A(row, k0), m, kc, matrix.row_stride, panel, mr);
    for (int64_t k = 0; k < kc; ++k) {
      for (int64_t i = 0; i < m; ++i) panel[k * mr + i] = A(row + i, k0)[k * matrix.col_stride];
    }
  }

  void RunPass(const BBlock& b, int64_t j0, int64_t j1, int64_t tile_begin, int64_t tile_end) {
    const MicroKernel& kernel = kernels_.gemm;
    TileArgs tile = {};
    tile.ldc = args_.ldc;
    tile.ld_addend = args_.epilogue.ld_addend;
    tile.a_row_stride = packs_a_ ? 1 : args_.A.row_stride;
    tile.a_k_stride = packs_a_ ? kernel.mr : args_.A.col_stride;
    const int64_t step = rows_ == 1 ? kernel.row_panels * kernel.nr : kernel.nr;
    int64_t n = 0;
    for (int64_t j = j0; j < j1; j += n) {
      for (int64_t k0 = k_begin_; k0 == k_begin_ || k0 < k_end_; k0 += kGemmBlockK) {
        tile.kc = std::min(kGemmBlockK, k_end_ - k0);
        tile.first = k0 == 0;
        tile.last = k0 + tile.kc == args_.K;
        const BBlock::Panels panels = b.panels(k0, j, std::min(j + step, j1));
        tile.b = panels.data;
        tile.b_k_stride = panels.k_stride;
        tile.b_panel_stride = panels.panel_stride;
        tile.n = static_cast<int>(n = panels.n);
        AskForNext(b, panels, k0, j, j1, tile);
        tile.prefetch_step = CeilDiv(tile.prefetch_step, tile_end - tile_begin);
        RunColumn(tile, k0, j, tile_begin, tile_end);
      }
    }
  }

  // What is read after these panels, the next block of K or the next columns, is to come into L2 bit by bit.
  void AskForNext(const BBlock& b, const BBlock::Panels& now, int64_t k0, int64_t j, int64_t j1, TileArgs& tile) const {
    const float* next = now.data;
    if (now.k_stride == kernels_.gemm.nr && k0 + kGemmBlockK < k_end_) {
      next = b.panels(k0 + kGemmBlockK, j, j1).data;
    } else if (now.k_stride == kernels_.gemm.nr && j + now.n < j1) {
      next = b.panels(k_begin_, j + now.n, j1).data;
    }
    tile.prefetch = reinterpret_cast<const char*>(next);
    tile.prefetch_step = next == now.data ? 0 : now.k_stride * static_cast<int64_t>(sizeof(float));
  }

  // All tiles of a pass against one panel of B, which stays in L1 meanwhile.
  void RunColumn(TileArgs& tile, int64_t k0, int64_t j, int64_t tile_begin, int64_t tile_end) {
    const int64_t tiles = tile_end - tile_begin;
    for (int64_t t = tile_begin; t < tile_end; ++t) {
      const int64_t row = TileBegin(t);
      tile.m = static_cast<int>(TileBegin(t + 1) - row);
      tile.a = packs_a_ ? PackedA(k0, tile.kc, t - tile_begin, tiles) : A(row, k0);
      RunTile(tile, row, j);
      tile.prefetch += tile.prefetch_step * tile.kc;
    }
  }

  void RunTile(TileArgs& tile, int64_t row, int64_t col) {
    const GemmEpilogue& epilogue = args_.epilogue;
    tile.c = args_.C + row * args_.ldc + col;
    tile.col_bias = epilogue.col_bias == nullptr ? nullptr : epilogue.col_bias + col;
    tile.row_bias = epilogue.row_bias == nullptr ? nullptr : epilogue.row_bias + row;
    tile.addend = epilogue.addend == nullptr ? nullptr : epilogue.addend + row * epilogue.ld_addend + col;
    kernels_.gemm.run(tile);
    if (!tile.last || epilogue.activation == nullptr) return;
    for (int i = 0; i < tile.m; ++i) epilogue.activation(tile.c + i * tile.ldc, tile.n, tile.c + i * tile.ldc);
  }

  const KernelTable& kernels_;
  const GemmArgs& args_;
  const GemmB& B_;
  const int64_t row_begin_, rows_, num_tiles_;
  const GemmBlocking blocking_;
  float* const a_scratch_;
  float* const b_scratch_;
  bool packs_a_ = false;
  int64_t k_begin_ = 0, k_end_ = 0;
};

}  // namespace

int64_t GemmScratchFloats(const KernelTable& kernels, GemmBForm form, int64_t M, int64_t N, int64_t K, int width) {
  return width * ScratchFloatsPerThread(kernels, form, M, N, K);
}

void Gemm(const KernelTable& kernels, const GemmArgs& args, const GemmB& B, float* scratch, GemmThreads threads) {
  if (args.M == 0 || args.N == 0) return;
  const int64_t mr = kernels.gemm.mr, nr = kernels.gemm.nr;
  const int64_t panels = CeilDiv(args.N, nr);
  const int width = threads.pool == nullptr ? 1 : threads.width;
  const GemmGrid grid = ChooseGrid(CeilDiv(args.M, mr), panels, width);
  const int64_t scratch_floats = ScratchFloatsPerThread(kernels, FormOf(B), args.M, args.N, args.K);
  const auto run_chunk = [&](int64_t chunk, int slot) {
    const int64_t row = chunk / grid.cols, col = chunk % grid.cols;
    ChunkProduct product(kernels, args, B, PartBegin(args.M, row, grid.rows), PartBegin(args.M, row + 1, grid.rows),
                         scratch + slot * scratch_floats);
    product.Run(PartBegin(panels, col, grid.cols) * nr, std::min(args.N, PartBegin(panels, col + 1, grid.cols) * nr));
  };
  if (width <= 1) return run_chunk(0, 0);
  threads.pool->ParallelFor(grid.rows * grid.cols, width, run_chunk);
}

void GemmBatch(const KernelTable& kernels, int64_t count, absl::FunctionRef<GemmProblem(int64_t)> problem,
               float* scratch, int64_t scratch_floats, GemmThreads threads) {
  const auto run_one = [&](int64_t i, int slot) {
    const GemmProblem one = problem(i);
    Gemm(kernels, one.args, one.B, scratch + slot * scratch_floats);
  };
  if (threads.pool == nullptr || threads.width <= 1) {
    for (int64_t i = 0; i < count; ++i) run_one(i, 0);
    return;
  }
  threads.pool->ParallelFor(count, threads.width, run_one);
}

}  // namespace rml
