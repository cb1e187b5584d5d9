#include "engine/gemm/gemm.h"

#include <algorithm>

#include "engine/gemm/b_block.h"
#include "engine/gemm/grid.h"

namespace rml {
namespace {

// Rows of A per pass over B: 240 x 256 floats are 240 KiB, half of the smallest L2 in use (Zen 3, 512 KiB). A multiple of
// every mr.
constexpr int64_t kMc = 240;
// Columns of B made on the fly at a time: 1 MiB, read once per pass; wider blocks would only cost memory.
constexpr int64_t kNc = 1024;

int64_t RoundUp(int64_t x, int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }
int64_t CeilDiv(int64_t x, int64_t divisor) { return (x + divisor - 1) / divisor; }

// Whether A is copied into k-major panels. Copying costs one read and write an element, which a product with many panels
// repays if it would otherwise walk rows of A far apart: the rows of a tile then lie in as many pages, and, at a stride of
// a power of two, in few sets of the cache. (Zen 3, 1024^3, AVX2: 54 GFLOP/s in place, 79 packed.)
bool PacksA(int64_t M, int64_t N, int64_t K, const MicroKernel& kernel) {
  return M >= 2 * kernel.mr && N >= 4 * kernel.nr && K >= 512;
}

bool ReadsBInPlace(const GemmB& B, int64_t rows, const MicroKernel& kernel) {
  const auto* matrix = std::get_if<StridedMatrix>(&B);
  return matrix != nullptr && matrix->col_stride == 1 && rows <= 2 * kernel.mr;
}

GemmBForm FormOf(const GemmB& B) { return static_cast<GemmBForm>(B.index()); }

constexpr int64_t kScratchUnit = 16;  // floats: what follows stays 64-byte aligned

int64_t AScratchFloats(const KernelTable& kernels, int64_t M, int64_t N, int64_t K) {
  if (!PacksA(M, N, K, kernels.gemm)) return 0;
  return RoundUp(RoundUp(std::min(M, kMc), kernels.gemm.mr) * std::min(K, kGemmBlockK), kScratchUnit);
}

int64_t ScratchFloatsPerThread(const KernelTable& kernels, GemmBForm form, int64_t M, int64_t N, int64_t K) {
  return AScratchFloats(kernels, M, N, K) +
         RoundUp(BBlock::ScratchFloats(kernels, form, std::min(N, kNc), K), kScratchUnit);
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
        a_scratch_(scratch),
        b_scratch_(scratch + AScratchFloats(kernels, args.M, args.N, args.K)) {}

  void Run(int64_t col_begin, int64_t col_end) {
    packs_a_ = PacksA(args_.M, col_end - col_begin, args_.K, kernels_.gemm);
    // A packed B needs no preparation, so all its columns are one block and A is packed once.
    const int64_t nc = std::holds_alternative<const PackedB*>(B_) ? col_end - col_begin : kNc;
    BBlock b(kernels_, B_, b_scratch_, ReadsBInPlace(B_, rows_, kernels_.gemm));
    const int64_t tiles_per_pass = kMc / kernels_.gemm.mr;
    for (int64_t k0 = 0; k0 == 0 || k0 < args_.K; k0 += kGemmBlockK) {
      k0_ = k0;
      kc_ = std::min(kGemmBlockK, args_.K - k0);
      for (int64_t j0 = col_begin; j0 < col_end; j0 += nc) {
        const int64_t j1 = std::min(j0 + nc, col_end);
        b.Prepare(k0_, kc_, j0, j1);
        for (int64_t t = 0; t < num_tiles_; t += tiles_per_pass) {
          RunPass(b, j0, j1, t, std::min(t + tiles_per_pass, num_tiles_));
        }
      }
    }
  }

 private:
  // The rows are shared out evenly over the tiles: a last tile of one or two rows would wait for its own additions.
  int64_t TileBegin(int64_t tile) const { return row_begin_ + PartBegin(rows_, tile, num_tiles_); }

  const float* A(int64_t row) const { return args_.A.data + row * args_.A.row_stride + k0_ * args_.A.col_stride; }

  void PackA(int64_t tile_begin, int64_t tile_end) {
    const int64_t mr = kernels_.gemm.mr;
    for (int64_t t = tile_begin; t < tile_end; ++t) {
      const int64_t row = TileBegin(t), m = TileBegin(t + 1) - row;
      float* panel = a_scratch_ + (t - tile_begin) * mr * kc_;
      if (args_.A.col_stride == 1) {
        kernels_.transpose(A(row), m, kc_, args_.A.row_stride, panel, mr);
        continue;
      }
      for (int64_t k = 0; k < kc_; ++k) {
        for (int64_t i = 0; i < m; ++i) panel[k * mr + i] = A(row + i)[k * args_.A.col_stride];
      }
    }
  }

  void RunPass(const BBlock& b, int64_t j0, int64_t j1, int64_t tile_begin, int64_t tile_end) {
    const MicroKernel& kernel = kernels_.gemm;
    if (packs_a_) PackA(tile_begin, tile_end);
    TileArgs tile = {};
    tile.ldc = args_.ldc;
    tile.kc = kc_;
    tile.first = k0_ == 0;
    tile.last = k0_ + kc_ == args_.K;
    tile.ld_addend = args_.epilogue.ld_addend;
    tile.a_row_stride = packs_a_ ? 1 : args_.A.row_stride;
    tile.a_k_stride = packs_a_ ? kernel.mr : args_.A.col_stride;
    const int64_t step = rows_ == 1 ? kernel.row_panels * kernel.nr : kernel.nr;
    for (int64_t j = j0; j < j1;) {
      const BBlock::Panels panels = b.panels(j, std::min(j + step, j1));
      tile.b = panels.data;
      tile.b_k_stride = panels.k_stride;
      tile.b_panel_stride = panels.panel_stride;
      tile.n = static_cast<int>(panels.n);
      for (int64_t t = tile_begin; t < tile_end; ++t) {
        const int64_t row = TileBegin(t);
        tile.m = static_cast<int>(TileBegin(t + 1) - row);
        tile.a = packs_a_ ? a_scratch_ + (t - tile_begin) * kernel.mr * kc_ : A(row);
        RunTile(tile, row, j);
      }
      j += panels.n;
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
  float* const a_scratch_;
  float* const b_scratch_;
  bool packs_a_ = false;
  int64_t k0_ = 0, kc_ = 0;
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
