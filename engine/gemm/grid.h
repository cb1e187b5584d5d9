// How a product's tiles are shared out over threads.
#pragma once

#include <cstdint>

namespace rml {

// C cut into rows x cols chunks of whole tiles.
struct GemmGrid {
  int64_t rows = 1;
  int64_t cols = 1;
};

// The grid with the least work for the busiest of `width` threads, for row_tiles x col_panels equal tiles; of equal ones
// the coarsest. 1 x 1 for width 1. Both counts >= 1.
GemmGrid ChooseGrid(int64_t row_tiles, int64_t col_panels, int width);

// The first of `count` items that part `index` of `parts` gets; parts differ by one item at most.
inline int64_t PartBegin(int64_t count, int64_t index, int64_t parts) { return count * index / parts; }

}  // namespace rml
