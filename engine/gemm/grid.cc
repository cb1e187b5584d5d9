#include "engine/gemm/grid.h"

#include <algorithm>

namespace rml {

GemmGrid ChooseGrid(int64_t row_tiles, int64_t col_panels, int width) {
  GemmGrid best;
  if (width <= 1) return best;
  // More chunks than four a thread even out little and read A and B more often.
  const int64_t most_chunks = 4 * int64_t{width};
  double best_cost = 0;
  for (int64_t cols = 1; cols <= std::min(col_panels, most_chunks); ++cols) {
    for (int64_t rows = 1; rows <= std::min(row_tiles, most_chunks / cols); ++rows) {
      const int64_t turns = (rows * cols + width - 1) / width;
      const int64_t tiles = ((row_tiles + rows - 1) / rows) * ((col_panels + cols - 1) / cols);
      // A chunk costs about a tenth of a tile to hand out and to start.
      const double cost = static_cast<double>(turns) * (static_cast<double>(tiles) + 0.1);
      if (best_cost == 0 || cost < best_cost) {
        best = {rows, cols};
        best_cost = cost;
      }
    }
  }
  return best;
}

}  // namespace rml
