#include "engine/gemm/grid.h"

#include <gtest/gtest.h>

namespace rml {
namespace {

TEST(ChooseGridTest, OneThreadGetsOneChunk) {
  const GemmGrid grid = ChooseGrid(100, 100, 1);
  EXPECT_EQ(grid.rows, 1);
  EXPECT_EQ(grid.cols, 1);
}

TEST(ChooseGridTest, TheBusiestThreadGetsLittleMoreThanItsShare) {
  for (const int width : {2, 3, 4, 8}) {
    for (const int64_t row_tiles : {1, 2, 5, 30, 86}) {
      for (const int64_t panels : {1, 3, 8, 32}) {
        const GemmGrid grid = ChooseGrid(row_tiles, panels, width);
        ASSERT_LE(grid.rows, row_tiles);
        ASSERT_LE(grid.cols, panels);
        const int64_t turns = (grid.rows * grid.cols + width - 1) / width;
        const int64_t tiles = ((row_tiles + grid.rows - 1) / grid.rows) * ((panels + grid.cols - 1) / grid.cols);
        const int64_t total = row_tiles * panels;
        const double share = static_cast<double>(total) / width;
        EXPECT_LE(turns * tiles, total) << "never worse than one thread";
        if (total < 32 * width) continue;
        EXPECT_LE(turns * tiles, 1.35 * share) << width << " " << row_tiles << "x" << panels;
      }
    }
  }
}

TEST(PartBeginTest, PartsCoverEverythingOnce) {
  EXPECT_EQ(PartBegin(10, 0, 3), 0);
  EXPECT_EQ(PartBegin(10, 1, 3), 3);
  EXPECT_EQ(PartBegin(10, 2, 3), 6);
  EXPECT_EQ(PartBegin(10, 3, 3), 10);
}

}  // namespace
}  // namespace rml
