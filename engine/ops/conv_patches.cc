#include "engine/ops/conv_patches.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rml {
namespace {

// Columns of a panel row that come from one image row, for one kernel tap.
struct Run {
  int32_t column = 0;
  int32_t count = 0;
  int64_t offset = 0;  // in the channel's plane, of the first element
};

// What a tap reads for the panel's columns: the same for every channel. Columns in no run lie in the padding.
struct TapRuns {
  int count = 0;
  bool padded = false;
  std::array<Run, kMaxNr> runs;
};

// ceil(a / b) for b > 0 and any a.
int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

TapRuns RunsOf(const ConvGeometry& g, int64_t ky, int64_t kx, int64_t j0, int64_t n) {
  // Output columns [first, last) read inside the image's width.
  const int64_t shift = kx * g.dilation_w - g.pad_left;
  const int64_t first = std::max<int64_t>(0, CeilDiv(-shift, g.stride_w));
  const int64_t last = std::min(g.out_width, CeilDiv(g.width - shift, g.stride_w));
  TapRuns tap;
  int64_t covered = 0;
  int64_t oy = j0 / g.out_width;
  int64_t ox = j0 % g.out_width;
  for (int64_t column = 0; column < n; ++oy, ox = 0) {
    const int64_t count = std::min(n - column, g.out_width - ox);
    const int64_t iy = oy * g.stride_h - g.pad_top + ky * g.dilation_h;
    const int64_t from = std::max(ox, first);
    const int64_t to = std::min(ox + count, last);
    if (iy >= 0 && iy < g.height && from < to) {
      tap.runs[tap.count++] = {static_cast<int32_t>(column + from - ox), static_cast<int32_t>(to - from),
                               iy * g.row_stride + from * g.stride_w + shift};
      covered += to - from;
    }
    column += count;
  }
  tap.padded = covered < n;
  return tap;
}

void FillRow(const TapRuns& tap, const float* plane, int64_t stride, int64_t n, float* row) {
  if (tap.padded) std::fill_n(row, n, 0.0f);
  for (int r = 0; r < tap.count; ++r) {
    const Run& run = tap.runs[r];
    const float* source = plane + run.offset;
    float* target = row + run.column;
    if (stride == 1) {
      std::memcpy(target, source, run.count * sizeof(float));
    } else {
      for (int32_t i = 0; i < run.count; ++i) target[i] = source[i * stride];
    }
  }
}

}  // namespace

void FillPatches(const ConvGeometry& geometry, const float* x, const PanelRequest& request) {
  int64_t k = request.k0;
  const int64_t k_end = request.k0 + request.kc;
  while (k < k_end) {
    const int64_t tap_index = k / geometry.channels;
    const TapRuns tap =
        RunsOf(geometry, tap_index / geometry.kernel_w, tap_index % geometry.kernel_w, request.j0, request.n);
    const int64_t tap_end = std::min(k_end, (tap_index + 1) * geometry.channels);
    for (; k < tap_end; ++k) {
      const float* plane = x + (k - tap_index * geometry.channels) * geometry.channel_stride;
      FillRow(tap, plane, geometry.stride_w, request.n, request.panel + (k - request.k0) * request.ld);
    }
  }
}

}  // namespace rml
