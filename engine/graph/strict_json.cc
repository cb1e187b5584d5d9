#include "engine/graph/strict_json.h"

#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/quoted.h"
#include "engine/graph/serde_number.h"

namespace rml {
namespace {

// The parser refuses numbers beyond its number_float_t before anybody is asked. With this one it takes every number that
// serde_json takes (below 1e328), so that SerdeHolds() decides.
using WideJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, int64_t, uint64_t,
                                      long double>;  // NOLINT(google-runtime-float)

// Leaves `json` empty without allocating: a container without children is destroyed without, and so is anything else.
// Documents are nested as deep as JsonLimits say.
void TakeApart(Json& json) {
  if (json.is_array()) {
    auto& items = json.get_ref<Json::array_t&>();
    for (Json& item : items) TakeApart(item);
    items.clear();
  } else if (json.is_object()) {
    auto& items = json.get_ref<Json::object_t&>();
    for (auto& item : items) TakeApart(item.second);
    items.clear();
  }
}

// Builds the document from the parser's events and stops at the first thing that is not allowed. Lexer: Json for strict
// JSON, WideJson for what serde_json takes.
template <typename Lexer>
class Builder : public nlohmann::json_sax<Lexer> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool Parse(std::string_view text) { return Lexer::sax_parse(text.begin(), text.end(), this); }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(typename Lexer::number_float_t value, const std::string& text) override {
    if (kSerde && !SerdeHolds(text)) return Fail(absl::StrCat("number ", Quoted(text), " is out of range"));
    return Add(static_cast<double>(value));
  }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(typename Lexer::binary_t&) override { return Fail("binary data"); }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    if (!kSerde && !open_.back().keys.insert(name).second) {
      return Fail(absl::StrCat("key ", Quoted(name), " is given twice"));
    }
    key_ = name;
    return true;
  }

  bool parse_error(size_t position, const std::string& last_token, const nlohmann::detail::exception&) override {
    return Fail(absl::StrFormat("not valid JSON at byte %d, near %s", position, Quoted(last_token)));
  }

  const std::string& error() const { return error_; }
  JsonDocument TakeDocument() { return std::move(document_); }

 private:
  static constexpr bool kSerde = std::is_same_v<Lexer, WideJson>;

  // A container that is not closed yet. Its address is stable meanwhile: only the innermost one grows.
  struct OpenContainer {
    Json* json;
    std::unordered_set<std::string> keys;
  };

  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  // Where `value` has gone.
  Json* Place(Json value) {
    if (open_.empty()) return &(document_.json() = std::move(value));
    Json& parent = *open_.back().json;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    // Appended as it is: the object's own insertion would look for the key, a walk for each of a million keys.
    return &parent.get_ref<Json::object_t&>().emplace_back(key_, std::move(value)).second;
  }

  bool Count() {
    if (++num_items_ <= limits_.max_items) return true;
    return Fail(absl::StrFormat("more than %d values", limits_.max_items));
  }

  bool Add(Json value) {
    Place(std::move(value));
    return Count();
  }

  bool Open(Json value) {
    if (static_cast<int>(open_.size()) >= limits_.max_depth) {
      return Fail(absl::StrFormat("nested deeper than %d levels", limits_.max_depth));
    }
    open_.push_back({Place(std::move(value)), {}});
    return Count();
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  int64_t num_items_ = 0;
  JsonDocument document_{Json()};
  std::vector<OpenContainer> open_;
  std::string key_;
  std::string error_;
};

template <typename Lexer>
absl::StatusOr<JsonDocument> Parse(std::string_view text, const JsonLimits& limits) {
  // The parser takes a NUL for the end of the text, and a byte order mark for nothing.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrFormat("not valid JSON at byte %d: a NUL", nul));
  }
  if (text.starts_with("\xef\xbb\xbf")) return absl::InvalidArgumentError("not valid JSON: a byte order mark");
  Builder<Lexer> builder(limits);
  if (!builder.Parse(text) || !builder.error().empty()) {
    return absl::InvalidArgumentError(builder.error().empty() ? "not valid JSON" : builder.error());
  }
  return builder.TakeDocument();
}

}  // namespace

JsonDocument::~JsonDocument() { TakeApart(json_); }

absl::StatusOr<JsonDocument> ParseStrictJson(std::string_view text, const JsonLimits& limits) {
  return Parse<Json>(text, limits);
}

absl::StatusOr<JsonDocument> ParseSerdeJson(std::string_view text, const JsonLimits& limits) {
  return Parse<WideJson>(text, limits);
}

}  // namespace rml
