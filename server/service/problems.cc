#include "server/service/problems.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"
#include "google/rpc/error_details.pb.h"

namespace rml {
namespace {

constexpr size_t kMaxDescriptionBytes = 200;

}  // namespace

std::string Cut(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  text.resize(CutUtf8(text, max_bytes - 3).size());
  return text + "...";
}

void Problems::Add(std::string field, std::string what) {
  if (kept_.size() < kMaxKept) kept_.emplace_back(std::move(field), std::move(what));
  ++count_;
}

absl::Status Problems::ToStatus(std::string_view who) const {
  if (empty()) return absl::OkStatus();
  std::string message = std::string(who) + ": ";
  google::rpc::BadRequest details;
  size_t shown = 0;
  for (const auto& [field, what] : kept_) {
    const std::string description = Cut(what, kMaxDescriptionBytes);
    if (shown > 0 && message.size() + description.size() + 24 > kMaxMessageBytes) break;
    message += (shown > 0 ? "; " : "") + description;
    if (++shown > kMaxViolations) continue;
    auto* violation = details.add_field_violations();
    violation->set_field(field);
    violation->set_description(description);
  }
  if (shown < count_) message += absl::StrFormat("; and %d more", count_ - shown);
  absl::Status status = absl::InvalidArgumentError(Cut(std::move(message), kMaxMessageBytes));
  const std::string bytes = details.SerializeAsString();
  // By a string_view: the constructor from a string is a template, whose name clang writes otherwise than g++ did in abseil.
  status.SetPayload(kBadRequestType, absl::Cord(absl::string_view(bytes)));
  return status;
}

}  // namespace rml
