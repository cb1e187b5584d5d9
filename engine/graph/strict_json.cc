#include "engine/graph/strict_json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace rml {
namespace {

using Json = nlohmann::json;

// Builds the document from the parser's events and stops at the first thing that is not allowed.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(int max_depth) : max_depth_(max_depth) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return Fail("binary data"); }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    if (open_.back()->contains(name)) return Fail(absl::StrCat("key ", Quoted(name), " is given twice"));
    key_ = name;
    return true;
  }

  bool parse_error(size_t position, const std::string& last_token, const Json::exception&) override {
    return Fail(absl::StrFormat("not valid JSON at byte %d, near %s", position, Quoted(last_token)));
  }

  const std::string& error() const { return error_; }
  Json TakeDocument() { return std::move(document_); }

 private:
  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  Json* Place(Json value) {
    if (open_.empty()) {
      document_ = std::move(value);
      return &document_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    return &((*open_.back())[key_] = std::move(value));
  }

  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Json value) {
    if (static_cast<int>(open_.size()) >= max_depth_) {
      return Fail(absl::StrFormat("nested deeper than %d levels", max_depth_));
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  int max_depth_;
  Json document_;
  std::vector<Json*> open_;  // a container's address is stable while it is open: only the innermost one grows
  std::string key_;
  std::string error_;
};

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  std::string excerpt(text.substr(0, kMaxBytes));
  std::replace_if(excerpt.begin(), excerpt.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return absl::StrCat("'", excerpt, text.size() > kMaxBytes ? "..." : "", "'");
}

absl::StatusOr<Json> ParseStrictJson(std::string_view text, int max_depth) {
  Builder builder(max_depth);
  if (!Json::sax_parse(text.begin(), text.end(), &builder) || !builder.error().empty()) {
    return absl::InvalidArgumentError(builder.error().empty() ? "not valid JSON" : builder.error());
  }
  return builder.TakeDocument();
}

}  // namespace rml
