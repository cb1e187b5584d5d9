#include "engine/exec/flush_constants.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/buffer.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

constexpr uint32_t kMagnitude = 0x7fffffff;
constexpr uint32_t kSmallestNormal = 0x00800000;

bool IsSubnormal(uint32_t bits) { return (bits & kMagnitude) - 1 < kSmallestNormal - 1; }

}  // namespace

absl::Status FlushConstants(Graph& graph) {
  for (Constant& constant : graph.constants) {
    const Value& value = graph.values[constant.id];
    if (value.dtype != DType::kF32) continue;
    const int64_t count = ShapeAt(value, graph.min_rows).num_elements();
    const auto* source = static_cast<const uint32_t*>(constant.data);
    bool any = false;
    for (int64_t i = 0; i < count; ++i) any |= IsSubnormal(source[i]);
    if (!any) continue;
    absl::StatusOr<Buffer> buffer = Buffer::Allocate(count * kElementBytes);
    if (!buffer.ok()) return Annotate(buffer.status(), absl::StrCat("constant ", graph.ValueLabel(constant.id)));
    auto flushed = std::make_shared<Buffer>(*std::move(buffer));
    auto* target = static_cast<uint32_t*>(flushed->data());
    std::transform(source, source + count, target,
                   [](uint32_t bits) { return IsSubnormal(bits) ? bits & ~kMagnitude : bits; });
    constant.data = flushed->data();
    constant.owner = std::move(flushed);
  }
  return absl::OkStatus();
}

}  // namespace rml
