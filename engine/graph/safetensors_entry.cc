#include "engine/graph/safetensors_entry.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/list_text.h"
#include "engine/base/status_macros.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

struct DTypeBits {
  const char* name;
  int bits;
};
constexpr auto kDTypes = std::to_array<DTypeBits>(
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
     {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
     {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64}});

absl::Status Bad(const std::string& message) { return absl::InvalidArgumentError(message); }

const DTypeBits* FindDType(const std::string& name) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(), [&](const DTypeBits& d) { return name == d.name; });
  return found == kDTypes.end() ? nullptr : found;
}

// The three fields in their order.
constexpr std::array<const char*, 3> kFieldNames = {"dtype", "shape", "data_offsets"};
using Fields = std::array<const Json*, 3>;

absl::StatusOr<Fields> FieldsOfObject(const Json& object) {
  Fields fields{};
  for (const auto& item : object.items()) {
    const auto* const name = std::find(kFieldNames.begin(), kFieldNames.end(), item.key());
    if (name == kFieldNames.end()) continue;
    const Json*& field = fields[name - kFieldNames.begin()];
    if (field != nullptr) return Bad(absl::StrFormat("'%s' is given twice", *name));
    field = &item.value();
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == nullptr) return Bad(absl::StrFormat("has no '%s'", kFieldNames[i]));
  }
  return fields;
}

absl::StatusOr<Fields> FieldsOf(const Json& json) {
  if (json.is_object()) return FieldsOfObject(json);
  if (!json.is_array() || json.size() != kFieldNames.size()) {
    return Bad("is neither an object nor a list of dtype, shape and data_offsets");
  }
  return Fields{&json[0], &json[1], &json[2]};
}

absl::StatusOr<std::string> ParseDType(const Json& json) {
  std::string name;
  if (json.is_string()) {
    name = json.get<std::string>();
  } else if (json.is_object() && json.size() == 1 && json.front().is_null()) {
    name = json.begin().key();
  } else {
    return Bad("has no string 'dtype'");
  }
  if (FindDType(name) == nullptr) return Bad(absl::StrCat("dtype ", Quoted(name), " is none of the format's"));
  return name;
}

// A list of unsigned 64-bit integers.
absl::StatusOr<std::vector<uint64_t>> UnsignedList(const Json& json, const char* key) {
  if (!json.is_array()) return Bad(absl::StrFormat("'%s' is no list", key));
  std::vector<uint64_t> list;
  for (const Json& item : json) {
    if (!item.is_number_unsigned()) {
      return Bad(absl::StrFormat("'%s' holds %s; expected integers from 0", key, Quoted(item.dump())));
    }
    list.push_back(item.get<uint64_t>());
  }
  return list;
}

}  // namespace

absl::StatusOr<DescribedTensor> ParseDescribedTensor(const std::string& name, const Json& json) {
  DescribedTensor tensor{.entry = {.name = name, .dtype = "", .shape = {}}, .offsets = {}};
  ASSIGN_OR_RETURN(const Fields fields, FieldsOf(json));
  ASSIGN_OR_RETURN(tensor.entry.dtype, ParseDType(*fields[0]));
  ASSIGN_OR_RETURN(tensor.entry.shape, UnsignedList(*fields[1], kFieldNames[1]));
  ASSIGN_OR_RETURN(const std::vector<uint64_t> offsets, UnsignedList(*fields[2], kFieldNames[2]));
  if (offsets.size() != 2) return Bad(absl::StrFormat("'data_offsets' has %d numbers; expected 2", offsets.size()));
  tensor.offsets = {offsets[0], offsets[1]};
  return tensor;
}

absl::StatusOr<uint64_t> TensorBytes(const SafetensorsEntry& entry) {
  uint64_t bits = 0;
  uint64_t count = 1;
  bool wraps = false;
  for (uint64_t dim : entry.shape) wraps |= __builtin_mul_overflow(count, dim, &count);
  wraps |= __builtin_mul_overflow(count, static_cast<uint64_t>(FindDType(entry.dtype)->bits), &bits);
  if (wraps) return Bad(absl::StrFormat("shape %s has more bits than 64 bits can count", ListText(entry.shape)));
  if (bits % 8 != 0) return Bad(absl::StrFormat("%d bits of %s do not end on a byte", bits, entry.dtype));
  return bits / 8;
}

}  // namespace rml
