#include "tests/engine/ops/op_docs.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

constexpr const char* kHead = R"(# The operators of rml-graph

Generated from `engine/ops/op_list.inc`; `RML_UPDATE_DOCS=1 ctest --preset release -R DocumentedOps` writes it anew.

Values are f32 or i32. Inputs are f32 unless a row says otherwise. Broadcasting is NumPy's; a comparison gives f32 0 or 1;
axes are counted from 0; i32 arithmetic wraps modulo 2^32. Subnormal numbers count as zeros. An input marked `?` may be
left out, an attribute marked `?` may be absent, `=` gives a default. Every integer in an attribute may be a multiple of
the row count B, written `"B"` or `"64*B"`. How a graph is written down: [file-format.md](file-format.md).

| op | inputs | outputs | attributes | what it computes |
|---|---|---|---|---|
)";

const char* TypeText(AttrType type) {
  constexpr std::array<const char*, 5> kNames = {"int", "ints", "float", "bool", "string"};
  return kNames[static_cast<int>(type)];
}

std::string DefaultText(const AttrValue& value) {
  if (const Dim* dim = std::get_if<Dim>(&value)) return ToString(*dim);
  if (const double* number = std::get_if<double>(&value)) return absl::StrCat(*number);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return ToString(std::get<std::vector<Dim>>(value));
}

std::string AttrText(const AttrSchema& schema) {
  return absl::StrCat("`", schema.name, ": ", TypeText(schema.type), schema.optional ? "?" : "",
                      schema.default_value ? absl::StrCat(" = ", DefaultText(*schema.default_value)) : "", "`");
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string RenderOpDocs() {
  std::string page = kHead;
  for (const OpDef& op : AllOps()) {
    const std::string attrs =
        absl::StrJoin(op.attrs, "<br>", [](std::string* out, const AttrSchema& s) { out->append(AttrText(s)); });
    absl::StrAppend(&page, "| `", std::string(op.name), "` | ", std::string(op.inputs), " | ", std::string(op.outputs),
                    " | ", attrs, " | ", Escaped(op.doc), " |\n");
  }
  return page;
}

}  // namespace rml
