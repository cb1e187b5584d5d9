#include "engine/ops/layout.h"

namespace rml {

std::optional<int64_t> RowStride(const View& view) {
  const int rank = view.shape.rank();
  if (rank == 0) return 1;
  const int64_t cols = view.shape.dim(rank - 1);
  if (cols > 1 && view.strides[rank - 1] != 1) return std::nullopt;
  int64_t stride = 0;  // of the merged row axis; 0 until an axis longer than 1 is met
  int64_t rows = 1;
  for (int i = rank - 2; i >= 0; --i) {
    if (view.shape.dim(i) == 1) continue;
    if (rows == 1) {
      stride = view.strides[i];
      if (stride < 0) return std::nullopt;
    } else if (view.strides[i] != stride * rows) {
      return std::nullopt;
    }
    rows *= view.shape.dim(i);
  }
  return rows == 1 ? cols : stride;
}

bool InnermostDenseOrRepeated(const View& view) {
  for (int i = view.shape.rank() - 1; i >= 0; --i) {
    if (view.shape.dim(i) != 1) return view.strides[i] == 1 || view.strides[i] == 0;
  }
  return true;
}

}  // namespace rml
