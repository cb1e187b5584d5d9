#include "server/config/model_config.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/utf8.h"
#include "rml/v1/model_config.pb.h"
#include "server/config/limits.h"
#include "server/config/parse_error.h"
#include "server/config/text_position.h"

namespace rml {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

template <typename T>
constexpr T kAny = std::numeric_limits<T>::max();  // for what is checked once the model is read

constexpr size_t kMaxProblems = 8;

std::string Place(TextPosition at) { return absl::StrFormat("%s:%d:%d", kModelConfigFile, at.line + 1, at.column + 1); }

absl::Status Wrong(TextPosition at, const std::string& what) {
  return absl::InvalidArgumentError(Place(at) + ": " + what);
}

// Keeps the first problem; the later ones follow from it. Standard error stays clean.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!error_) error_ = ParseError{.at = {line, column}, .message = message};
  }
  void AddWarning(int line, int column, const std::string& message) override { AddError(line, column, message); }

  const std::optional<ParseError>& error() const { return error_; }

 private:
  std::optional<ParseError> error_;
};

// Reads the fields of one message, and where each of them stands.
class Fields {
 public:
  Fields(const Message& message, const TextFormat::ParseInfoTree& tree, std::vector<std::string>& problems)
      : message_(message), tree_(tree), problems_(problems) {}

  // Of an optional or repeated field. protobuf notes one place for a whole [list]: where places and elements do not pair
  // up, all elements are said to stand at the first.
  std::string PlaceOf(const char* name, int index = -1) const {
    const auto* field = message_.GetDescriptor()->FindFieldByName(name);
    if (index > 0) {
      const int last = message_.GetReflection()->FieldSize(message_, field) - 1;
      if (tree_.GetLocation(field, last).line < 0) index = 0;
    }
    const TextFormat::ParseLocation at = tree_.GetLocation(field, index);
    return Place({at.line, at.column});
  }

  // Notes a value that is out of bounds; true if it is within.
  template <typename T>
  bool Check(const char* name, T value, T low, T high, int index = -1) {
    if (value >= low && value <= high) return true;  // false for NaN
    Add(name, index,
        absl::StrCat(index < 0 ? "is " : "has ", value, "; expected ",
                     high == kAny<T> ? absl::StrCat("at least ", low) : absl::StrCat(low, " to ", high)));
    return false;
  }

  void Add(const char* name, int index, const std::string& what) {
    problems_.push_back(absl::StrFormat("%s: %s %s", PlaceOf(name, index), name, what));
  }

  // The elements of a repeated field, within bounds and each once.
  std::vector<Placed<int64_t>> Distinct(const char* name, int64_t high, size_t max_elements) {
    const auto* field = message_.GetDescriptor()->FindFieldByName(name);
    const google::protobuf::Reflection& reflection = *message_.GetReflection();
    const int size = reflection.FieldSize(message_, field);
    std::vector<Placed<int64_t>> values;
    std::set<int64_t> seen;
    if (static_cast<size_t>(size) > max_elements) {
      Add(name, 0, absl::StrFormat("has %d elements; expected at most %d", size, max_elements));
      return values;
    }
    for (int i = 0; i < size; ++i) {
      const int64_t value = reflection.GetRepeatedInt64(message_, field, i);
      if (!Check<int64_t>(name, value, 1, high, i)) continue;
      if (!seen.insert(value).second) Add(name, i, absl::StrFormat("has %d twice; expected it once", value));
      values.push_back({value, PlaceOf(name, i)});
    }
    return values;
  }

 private:
  const Message& message_;
  const TextFormat::ParseInfoTree& tree_;
  std::vector<std::string>& problems_;
};

VersionPolicy ReadVersionPolicy(const v1::VersionPolicy& message, const TextFormat::ParseInfoTree& tree,
                                const std::string& place, std::vector<std::string>& problems) {
  VersionPolicy policy;
  const auto nested = [&](const char* name) -> const TextFormat::ParseInfoTree& {
    return *tree.GetTreeForNested(message.GetDescriptor()->FindFieldByName(name), -1);
  };
  switch (message.policy_case()) {
    case v1::VersionPolicy::kLatest:
      if (message.latest().has_num_versions()) {
        policy.num_versions = message.latest().num_versions();
        Fields(message.latest(), nested("latest"), problems)
            .Check<int64_t>("num_versions", policy.num_versions, 1, kMaxVersions);
      }
      break;
    case v1::VersionPolicy::kAll:
      policy.kind = VersionPolicy::Kind::kAll;
      break;
    case v1::VersionPolicy::kSpecific:
      policy.kind = VersionPolicy::Kind::kSpecific;
      policy.versions =
          Fields(message.specific(), nested("specific"), problems).Distinct("versions", kAny<int64_t>, kMaxVersions);
      if (message.specific().versions().empty())
        problems.push_back(place + ": specific has no versions; expected at least one");
      break;
    case v1::VersionPolicy::POLICY_NOT_SET:
      problems.push_back(place + ": version_policy is empty; expected latest, all or specific");
      break;
  }
  return policy;
}

absl::StatusOr<ModelConfig> Check(const v1::ModelConfig& message, const TextFormat::ParseInfoTree& tree) {
  ModelConfig config;
  std::vector<std::string> problems;
  Fields fields(message, tree, problems);
  if (message.has_version_policy()) {
    const auto* field = message.GetDescriptor()->FindFieldByName("version_policy");
    config.version_policy = ReadVersionPolicy(message.version_policy(), *tree.GetTreeForNested(field, -1),
                                              fields.PlaceOf("version_policy"), problems);
  }
  if (message.has_instances() && fields.Check<int64_t>("instances", message.instances(), 1, kMaxInstances)) {
    config.instances = static_cast<int>(message.instances());
  }
  if (message.has_threads() && fields.Check<int64_t>("threads", message.threads(), 1, kMaxThreads)) {
    config.threads = static_cast<int>(message.threads());
  }
  if (message.has_queue_limit() && fields.Check<int64_t>("queue_limit", message.queue_limit(), 1, kMaxQueueLimit)) {
    config.queue_limit = static_cast<size_t>(message.queue_limit());
  }
  if (message.has_default_timeout_seconds() &&
      fields.Check<double>("default_timeout_seconds", message.default_timeout_seconds(), 0, kMaxTimeoutSeconds)) {
    config.default_timeout_seconds = message.default_timeout_seconds();
  }
  if (message.has_max_rows() && fields.Check<int64_t>("max_rows", message.max_rows(), 1, kAny<int64_t>)) {
    config.max_rows = {message.max_rows(), fields.PlaceOf("max_rows")};
  }
  config.warm_up_rows = fields.Distinct("warm_up_rows", kAny<int64_t>, kMaxWarmUps);
  if (problems.empty()) return config;
  const size_t more = problems.size() - std::min(problems.size(), kMaxProblems);
  problems.resize(problems.size() - more);
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(problems, "; "), more > 0 ? absl::StrFormat("; and %d more", more) : ""));
}

}  // namespace

absl::StatusOr<ModelConfig> ParseModelConfig(std::string_view text) {
  if (text.size() > kMaxModelConfigBytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s has more than %d bytes; expected no more", kModelConfigFile, kMaxModelConfigBytes));
  }
  if (const size_t valid = ValidUtf8Prefix(text); valid < text.size()) {
    return Wrong(PositionOf(text, valid),
                 absl::StrFormat("byte 0x%02x; expected text in UTF-8", static_cast<unsigned char>(text[valid])));
  }
  v1::ModelConfig message;
  FirstError errors;
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(8);
  const bool parsed = parser.ParseFromString(std::string(text), &message);
  if (errors.error()) {
    const ParseError error = Explain(*errors.error(), text, *v1::ModelConfig::descriptor()->file());
    return Wrong(error.at, error.message);
  }
  if (!parsed) return absl::InternalError(absl::StrFormat("%s was refused without a reason", kModelConfigFile));
  return Check(message, tree);
}

}  // namespace rml
