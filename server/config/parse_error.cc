#include "server/config/parse_error.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/graph/quoted.h"

namespace rml {
namespace {

using google::protobuf::Descriptor;

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What stands in double quotes.
std::vector<std::string> QuotedWords(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  std::vector<std::string> words;
  for (size_t i = 1; i + 1 < parts.size(); i += 2) words.push_back(parts[i]);
  return words;
}

// "one of a, b, c", or "none" for a message without fields.
std::string FieldNames(const Descriptor* message) {
  std::vector<std::string> names;
  for (int i = 0; message != nullptr && i < message->field_count(); ++i) names.push_back(message->field(i)->name());
  return names.empty() ? "none" : "one of " + absl::StrJoin(names, ", ");
}

std::string Got(std::string_view word) { return word.empty() ? "the text ends" : "got " + Quoted(word); }

// "Expected integer, got: x" and "Expected ":", found "x"."
std::string ExplainExpected(std::string_view message) {
  message.remove_prefix(std::string_view("Expected ").size());
  constexpr std::string_view kGot = ", got: ", kFound = ", found \"";
  // The first of the two: what follows it is the file's, which may hold the other.
  const size_t got = message.find(kGot), found = message.find(kFound);
  if (got < found) {
    return absl::StrFormat("%s; expected %s", Got(message.substr(got + kGot.size())), message.substr(0, got));
  }
  if (found == message.npos) return absl::StrFormat("expected %s", message);
  std::string_view word = message.substr(found + kFound.size());
  word.remove_suffix(std::min<size_t>(2, word.size()));
  return absl::StrFormat("%s; expected %s", Got(word), message.substr(0, found));
}

}  // namespace

ParseError Explain(const ParseError& error, std::string_view text, const google::protobuf::FileDescriptor& file) {
  const std::vector<std::string> words = QuotedWords(error.message);
  const auto at_name = [&](const std::string& name, std::string message) {
    const size_t offset = text.substr(0, OffsetOf(text, error.at)).rfind(name);
    const bool found = offset != std::string_view::npos;
    return ParseError{found ? PositionOf(text, offset) : error.at, std::move(message)};
  };
  const auto fields_of = [&](const std::string& message) {
    return FieldNames(file.pool()->FindMessageTypeByName(message));
  };
  const std::string_view message = error.message;
  if (words.size() == 2 && Contains(message, "has no field named")) {
    return at_name(words[1],
                   absl::StrFormat("there is no field %s; expected %s", Quoted(words[1]), fields_of(words[0])));
  }
  if (words.size() == 2 && StartsWith(message, "Extension ")) {
    return at_name(words[0],
                   absl::StrFormat("there is no extension %s; expected %s", Quoted(words[0]), fields_of(words[1])));
  }
  if (words.size() == 1 && Contains(message, "is specified multiple times")) {
    return at_name(words[0], absl::StrFormat("field %s is given twice; expected it once", Quoted(words[0])));
  }
  if (words.size() == 3 && Contains(message, "is specified along with field")) {
    return at_name(words[0], absl::StrFormat("field %s is given beside %s; expected one of them", Quoted(words[0]),
                                             Quoted(words[1])));
  }
  if (StartsWith(message, "Integer out of range (")) {
    const std::string_view number = message.substr(message.find('(') + 1);
    return {error.at, absl::StrFormat("%s does not fit in 64 bits; expected a smaller integer",
                                      Excerpt(number.substr(0, number.find(')'))))};
  }
  if (StartsWith(message, "Interpreting non ascii codepoint")) {
    return {error.at, "a character that is not ASCII; expected the name or the value of a field"};
  }
  if (StartsWith(message, "Expected ")) return {error.at, ExplainExpected(message)};
  return {error.at, error.message};
}

}  // namespace rml
