#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/step.h"

namespace rml {
namespace {

constexpr auto kCompilers = std::to_array<std::pair<std::string_view, CompileFn>>({
#define OP(name, inputs, outputs, attrs, infer, compile, reference, doc) {#name, &compile},
#include "engine/ops/op_list.inc"
#undef OP
});

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileOp(const CompileContext& context) {
  for (const auto& [name, compile] : kCompilers) {
    if (name == context.node.op) return compile(context);
  }
  return absl::UnimplementedError(absl::StrCat("op '", context.node.op, "' has no kernel"));
}

std::optional<View> Step::ViewOf(const OpAttrs&, const View&, const Shape&) const { return std::nullopt; }

}  // namespace rml
