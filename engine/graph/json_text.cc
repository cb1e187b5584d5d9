#include "engine/graph/json_text.h"

#include <array>
#include <charconv>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace rml {
namespace {

template <typename Number>
std::string ShortestText(Number number) {
  std::array<char, 64> buffer;
  char* const end = buffer.data() + buffer.size();
  const auto scientific = std::to_chars(buffer.data(), end, number, std::chars_format::scientific);
  const std::string_view text(buffer.data(), scientific.ptr - buffer.data());
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), scientific.ptr, exponent);
  if (number != 0 && (exponent < -4 || exponent >= 16)) return std::string(text);
  // The same digits, moved: to_chars in fixed notation would print all digits of a large number.
  std::string digits;
  for (char c : text.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::string sign = text.starts_with('-') ? "-" : "";
  if (exponent < 0) return absl::StrCat(sign, "0.", std::string(-exponent - 1, '0'), digits);
  const size_t whole = exponent + 1;
  if (digits.size() <= whole) return absl::StrCat(sign, digits, std::string(whole - digits.size(), '0'), ".0");
  return absl::StrCat(sign, digits.substr(0, whole), ".", digits.substr(whole));
}

std::string DimText(const Dim& dim) {
  return dim.symbolic() ? absl::StrCat("\"", ToString(dim), "\"") : absl::StrCat(dim.factor());
}

}  // namespace

std::string JsonString(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

std::string JsonNumber(double number) { return ShortestText(number); }
std::string JsonNumber(float number) {
  // Readers go through double, which rounds twice: of all floats one, 0x1.5c87fap-84, comes back as its neighbour from
  // its shortest text.
  std::string text = ShortestText(number);
  return static_cast<float>(std::strtod(text.c_str(), nullptr)) == number ? text
                                                                          : ShortestText(static_cast<double>(number));
}

std::string JsonDims(const std::vector<Dim>& dims) {
  return absl::StrCat(
      "[", absl::StrJoin(dims, ",", [](std::string* out, const Dim& dim) { out->append(DimText(dim)); }), "]");
}

std::string JsonAttr(const AttrValue& value) {
  if (const Dim* dim = std::get_if<Dim>(&value)) return DimText(*dim);
  if (const double* number = std::get_if<double>(&value)) return JsonNumber(*number);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return JsonString(*text);
  return JsonDims(std::get<std::vector<Dim>>(value));
}

}  // namespace rml
