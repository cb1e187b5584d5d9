#include "engine/graph/json_fields.h"

#include <algorithm>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

constexpr int64_t kMaxFactor = int64_t{1} << 40;

bool IsInt64(const Json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() || value.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
}

}  // namespace

absl::StatusOr<Dim> ParseDim(const Json& value) {
  if (IsInt64(value)) return Dim(value.get<int64_t>());
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "B") return Dim::TimesB(1);
    int64_t factor = 0;
    if (text.ends_with("*B") && absl::SimpleAtoi(text.substr(0, text.size() - 2), &factor) && factor >= 1 &&
        factor <= kMaxFactor && text == absl::StrCat(factor, "*B")) {
      return Dim::TimesB(factor);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrFormat("%s; expected an integer, \"B\" or \"64*B\"", Quoted(value.dump())));
}

const Json* JsonFields::Find(const char* key) const {
  const auto it = object_.find(key);
  return it == object_.end() ? nullptr : &*it;
}

absl::Status JsonFields::Wrong(const char* key, const std::string& expected) const {
  const Json* value = Find(key);
  const std::string got = value == nullptr ? "is missing" : absl::StrCat("is ", Quoted(value->dump()));
  return absl::InvalidArgumentError(absl::StrFormat("%s: '%s' %s; expected %s", where_, key, got, expected));
}

absl::Status JsonFields::CheckKeys(std::initializer_list<const char*> known) const {
  if (!object_.is_object()) {
    return absl::InvalidArgumentError(absl::StrFormat("%s is %s; expected an object", where_, Quoted(object_.dump())));
  }
  std::vector<std::string> unknown;
  for (const auto& item : object_.items()) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* key) { return item.key() == key; });
    if (!is_known) unknown.push_back(item.key());
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: unknown key %s; expected %s", where_, QuotedList(unknown), absl::StrJoin(known, ", ")));
}

absl::StatusOr<std::string> JsonFields::String(const char* key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_string() || !IsPrintable(value->get_ref<const std::string&>())) {
    return Wrong(key, "a string of printable characters");
  }
  return value->get<std::string>();
}

absl::StatusOr<int64_t> JsonFields::Int(const char* key, int64_t min, int64_t max) const {
  const Json* value = Find(key);
  if (value == nullptr || !IsInt64(*value) || value->get<int64_t>() < min || value->get<int64_t>() > max) {
    return Wrong(key, absl::StrFormat("an integer from %d to %d", min, max));
  }
  return value->get<int64_t>();
}

absl::StatusOr<bool> JsonFields::Bool(const char* key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_boolean()) return Wrong(key, "true or false");
  return value->get<bool>();
}

absl::StatusOr<const Json*> JsonFields::Array(const char* key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_array()) return Wrong(key, "a list");
  return value;
}

absl::StatusOr<const Json*> JsonFields::Object(const char* key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_object()) return Wrong(key, "an object");
  return value;
}

absl::StatusOr<std::vector<int32_t>> JsonFields::Ids(const char* key) const {
  ASSIGN_OR_RETURN(const Json* list, Array(key));
  std::vector<int32_t> ids;
  for (const Json& item : *list) {
    if (!IsInt64(item) || item.get<int64_t>() < 0 || item.get<int64_t>() > std::numeric_limits<int32_t>::max()) {
      return Wrong(key, "a list of value ids");
    }
    ids.push_back(item.get<int32_t>());
  }
  return ids;
}

absl::StatusOr<std::vector<Dim>> JsonFields::Dims(const char* key) const {
  ASSIGN_OR_RETURN(const Json* list, Array(key));
  std::vector<Dim> dims;
  for (const Json& item : *list) {
    absl::StatusOr<Dim> dim = ParseDim(item);
    if (!dim.ok()) return Annotate(dim.status(), absl::StrFormat("%s: '%s'", where_, key));
    dims.push_back(*dim);
  }
  return dims;
}

}  // namespace rml
