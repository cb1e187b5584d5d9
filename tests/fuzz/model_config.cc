// Fuzz target: a model's config.textproto. What is taken lies within its bounds and reads the same again when printed; what is
// not is refused with a place, in few words that can be sent and logged.
#include "server/config/model_config.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/config/limits.h"
#include "tests/fuzz/require.h"

namespace rml {
namespace {

// At most eight problems, with at most sixty bytes of the file in each.
constexpr size_t kMaxErrorBytes = 4096;

void RequireClear(const absl::Status& status) {
  Require(absl::IsInvalidArgument(status), absl::StrCat("error of another kind: ", status.ToString()));
  const std::string message(status.message());
  Require(message.rfind(kModelConfigFile, 0) == 0, absl::StrCat("the error does not name the file: ", message));
  Require(message.size() <= kMaxErrorBytes, "the error is too long");
  Require(ValidUtf8Prefix(message) == message.size(), "the error is not UTF-8");
  for (unsigned char c : message) Require(c >= 0x20 && c != 0x7f, "the error holds control characters");
}

void RequireDistinct(const std::vector<Placed<int64_t>>& values, size_t at_most) {
  std::set<int64_t> seen;
  for (const Placed<int64_t>& one : values) {
    Require(one.value >= 1 && seen.insert(one.value).second, "a list holds a number below 1, or one twice");
    Require(one.place.rfind(absl::StrCat(kModelConfigFile, ":"), 0) == 0, "a value without a place");
  }
  Require(values.size() <= at_most, "a list is too long");
}

void RequireWithinBounds(const ModelConfig& config) {
  const auto within = [](int64_t value, int64_t high) { Require(value >= 1 && value <= high, "out of bounds"); };
  if (config.instances) within(*config.instances, kMaxInstances);
  if (config.threads) within(*config.threads, kMaxThreads);
  if (config.queue_limit) within(static_cast<int64_t>(*config.queue_limit), kMaxQueueLimit);
  if (config.max_rows) Require(config.max_rows->value >= 1, "out of bounds");
  const double timeout = config.default_timeout_seconds.value_or(0);
  Require(timeout >= 0 && timeout <= kMaxTimeoutSeconds, "a timeout out of bounds");
  RequireDistinct(config.warm_up_rows, kMaxWarmUps);
  const VersionPolicy& policy = config.version_policy;
  within(policy.num_versions, kMaxVersions);
  RequireDistinct(policy.versions, kMaxVersions);
  Require(policy.versions.empty() == (policy.kind != VersionPolicy::Kind::kSpecific), "versions of no policy, or none");
}

std::string List(const std::vector<Placed<int64_t>>& values) {
  std::string text = "[";
  for (const Placed<int64_t>& one : values) absl::StrAppend(&text, text.size() > 1 ? ", " : "", one.value);
  return text + "]";
}

std::string Print(const ModelConfig& config) {
  std::string text;
  if (config.instances) absl::StrAppend(&text, "instances: ", *config.instances, "\n");
  if (config.threads) absl::StrAppend(&text, "threads: ", *config.threads, "\n");
  if (config.queue_limit) absl::StrAppend(&text, "queue_limit: ", *config.queue_limit, "\n");
  if (config.default_timeout_seconds) {
    absl::StrAppend(&text, "default_timeout_seconds: ", *config.default_timeout_seconds, "\n");
  }
  if (config.max_rows) absl::StrAppend(&text, "max_rows: ", config.max_rows->value, "\n");
  if (!config.warm_up_rows.empty()) absl::StrAppend(&text, "warm_up_rows: ", List(config.warm_up_rows), "\n");
  const VersionPolicy& policy = config.version_policy;
  const std::string what = policy.kind == VersionPolicy::Kind::kAll ? "all {}"
                           : policy.kind == VersionPolicy::Kind::kSpecific
                               ? absl::StrCat("specific { versions: ", List(policy.versions), " }")
                               : absl::StrCat("latest { num_versions: ", policy.num_versions, " }");
  return absl::StrCat(text, "version_policy { ", what, " }\n");
}

}  // namespace
}  // namespace rml

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config = rml::ParseModelConfig(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config.ok()) {
    rml::RequireClear(config.status());
    return 0;
  }
  rml::RequireWithinBounds(*config);
  const std::string printed = rml::Print(*config);
  const auto again = rml::ParseModelConfig(printed);
  rml::Require(again.ok(), absl::StrCat("what was taken is refused when printed: ", again.status().message()));
  rml::Require(rml::Print(*again) == printed, absl::StrCat("reads differently when printed:\n", printed));
  return 0;
}
