#include "server/options/log.h"

#include <google/protobuf/stubs/logging.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include "engine/base/utf8.h"

namespace rml {
namespace {

// %* in a pattern: the message, escaped.
class EscapedMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string escaped = JsonEscape(std::string(message.payload.data(), message.payload.size()));
    out.append(escaped.data(), escaped.data() + escaped.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<EscapedMessage>(); }
};

// What callers send is answered, not logged: otherwise they could fill the log.
spdlog::level::level_enum LevelOf(google::protobuf::LogLevel level, const std::string& message) {
  if (level == google::protobuf::LOGLEVEL_FATAL) return spdlog::level::critical;
  if (message.find("when parsing") != std::string::npos) return spdlog::level::debug;
  if (level == google::protobuf::LOGLEVEL_ERROR) return spdlog::level::err;
  return level == google::protobuf::LOGLEVEL_WARNING ? spdlog::level::warn : spdlog::level::info;
}

void LogOfProtobuf(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/, const std::string& message) {
  spdlog::log(LevelOf(level, message), "protobuf: {}", message);
}

}  // namespace

std::string JsonEscape(const std::string& text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string escaped;
  for (char c : ToValidUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (byte < 0x20) {
      escaped += "\\u00";
      escaped += kHex[byte >> 4];
      escaped += kHex[byte & 15];
    } else {
      escaped += c;
    }
  }
  return escaped;
}

void SetUpLog(LogFormat format, const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("rml", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (format == LogFormat::kJson) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<EscapedMessage>('*').set_pattern(
        R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":"%*"})");
    logger->set_formatter(std::move(formatter));
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  }
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  google::protobuf::SetLogHandler(LogOfProtobuf);
}

}  // namespace rml
