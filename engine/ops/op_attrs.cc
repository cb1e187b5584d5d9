#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

const char* TypeName(AttrType type) {
  switch (type) {
    case AttrType::kInt:
      return "an integer";
    case AttrType::kInts:
      return "a list of integers";
    case AttrType::kFloat:
      return "a number";
    case AttrType::kBool:
      return "true or false";
    case AttrType::kString:
      break;
  }
  return "a string";
}

const char* KindOf(const AttrValue& value) {
  switch (value.index()) {
    case 0:
      return "an integer";
    case 1:
      return "a number";
    case 2:
      return "true or false";
    case 3:
      return "a string";
    default:
      return "a list of integers";
  }
}

absl::StatusOr<int64_t> DimAt(const std::string& name, const Dim& dim, int64_t rows) {
  if (dim.symbolic() && dim.factor() > std::numeric_limits<int64_t>::max() / std::max<int64_t>(rows, 1)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("attribute '%s': %s does not fit for B = %d", name, ToString(dim), rows));
  }
  return dim.At(rows);
}

absl::StatusOr<OpAttrs::Resolved> Resolve(const AttrSchema& schema, const AttrValue& value, int64_t rows) {
  switch (schema.type) {
    case AttrType::kInt:
      if (const Dim* dim = std::get_if<Dim>(&value)) {
        ASSIGN_OR_RETURN(const int64_t number, DimAt(schema.name, *dim, rows));
        return OpAttrs::Resolved(number);
      }
      break;
    case AttrType::kInts:
      if (const auto* dims = std::get_if<std::vector<Dim>>(&value)) {
        std::vector<int64_t> numbers;
        for (const Dim& dim : *dims) {
          ASSIGN_OR_RETURN(const int64_t number, DimAt(schema.name, dim, rows));
          numbers.push_back(number);
        }
        return OpAttrs::Resolved(std::move(numbers));
      }
      break;
    case AttrType::kFloat:
      if (const double* number = std::get_if<double>(&value)) return OpAttrs::Resolved(*number);
      if (const Dim* dim = std::get_if<Dim>(&value); dim != nullptr && !dim->symbolic()) {
        return OpAttrs::Resolved(static_cast<double>(dim->factor()));
      }
      break;
    case AttrType::kBool:
      if (const bool* flag = std::get_if<bool>(&value)) return OpAttrs::Resolved(*flag);
      break;
    case AttrType::kString:
      if (const auto* text = std::get_if<std::string>(&value)) return OpAttrs::Resolved(*text);
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("attribute '%s' is %s; expected %s", schema.name, KindOf(value), TypeName(schema.type)));
}

std::string KnownAttrs(const OpDef& op) {
  if (op.attrs.empty()) return "none";
  return absl::StrJoin(op.attrs, ", ", [](std::string* out, const AttrSchema& schema) { out->append(schema.name); });
}

// Names that the op does not have, and names given twice: all of them.
absl::Status CheckNames(const OpDef& op, const Attrs& attrs) {
  std::vector<std::string> unknown;
  for (size_t i = 0; i < attrs.size(); ++i) {
    const std::string& name = attrs[i].first;
    const bool known =
        std::any_of(op.attrs.begin(), op.attrs.end(), [&](const AttrSchema& s) { return s.name == name; });
    if (!known) unknown.push_back(name);
    for (size_t j = 0; j < i; ++j) {
      if (attrs[j].first == name)
        return absl::InvalidArgumentError(absl::StrFormat("attribute %s is given twice", Quoted(name)));
    }
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("unknown attribute %s; expected: %s", QuotedList(unknown), KnownAttrs(op)));
}

}  // namespace

void OpAttrs::Set(std::string name, Resolved value) { values_.emplace_back(std::move(name), std::move(value)); }

bool OpAttrs::Has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& item) { return item.first == name; });
}

const OpAttrs::Resolved& OpAttrs::Get(std::string_view name) const {
  return std::find_if(values_.begin(), values_.end(), [&](const auto& item) { return item.first == name; })->second;
}

int64_t OpAttrs::Int(std::string_view name) const { return std::get<int64_t>(Get(name)); }
const std::vector<int64_t>& OpAttrs::Ints(std::string_view name) const {
  return std::get<std::vector<int64_t>>(Get(name));
}
double OpAttrs::Float(std::string_view name) const { return std::get<double>(Get(name)); }
bool OpAttrs::Bool(std::string_view name) const { return std::get<bool>(Get(name)); }
const std::string& OpAttrs::String(std::string_view name) const { return std::get<std::string>(Get(name)); }

absl::StatusOr<OpAttrs> ResolveAttrs(const OpDef& op, const Attrs& attrs, int64_t rows) {
  RETURN_IF_ERROR(CheckNames(op, attrs));
  OpAttrs resolved;
  std::vector<std::string> missing;
  for (const AttrSchema& schema : op.attrs) {
    const auto given = std::find_if(attrs.begin(), attrs.end(), [&](const auto& a) { return a.first == schema.name; });
    const AttrValue* value = given != attrs.end()   ? &given->second
                             : schema.default_value ? &*schema.default_value
                                                    : nullptr;
    if (value != nullptr) {
      ASSIGN_OR_RETURN(OpAttrs::Resolved number, Resolve(schema, *value, rows));
      resolved.Set(schema.name, std::move(number));
    } else if (!schema.optional) {
      missing.push_back(absl::StrCat("'", schema.name, "'"));
    }
  }
  if (missing.empty()) return resolved;
  return absl::InvalidArgumentError(absl::StrCat("missing attribute ", absl::StrJoin(missing, ", ")));
}

}  // namespace rml
