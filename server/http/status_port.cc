#include "server/http/status_port.h"

#include <microhttpd.h>
#include <unistd.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "engine/base/status_macros.h"
#include "server/http/listen_socket.h"

namespace rml {
namespace {

// One thread serves all connections without waiting for any of them, so that slow or silent ones hold up no probe. What
// they can hold is bounded: their number, in all and from one address, and what is kept of a request. Bodies are not read.
constexpr unsigned kMaxConnections = 512;
constexpr unsigned kMaxConnectionsPerAddress = 128;
constexpr unsigned kSilenceSeconds = 5;
constexpr size_t kBytesPerConnection = 16 << 10;

struct Answer {
  unsigned status = MHD_HTTP_OK;
  std::string body;
  const char* type = "text/plain";
};

Answer AnswerTo(const StatusPortOptions& options, std::string_view method, std::string_view path) {
  if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD) {
    return {MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n"};
  }
  if (path == "/metrics") return {MHD_HTTP_OK, options.metrics(), "text/plain; version=0.0.4; charset=utf-8"};
  if (path == "/livez") return {MHD_HTTP_OK, "ok\n"};
  if (path == "/readyz") {
    const std::string reason = options.not_ready();
    if (!reason.empty()) return {MHD_HTTP_SERVICE_UNAVAILABLE, reason + "\n"};
    return {MHD_HTTP_OK, "ok\n"};
  }
  return {MHD_HTTP_NOT_FOUND, "there are /metrics, /livez and /readyz\n"};
}

// Called when the head of a request is complete. The answer is queued at once, and with it the body that may follow is
// left unread.
MHD_Result Handle(void* options, MHD_Connection* connection, const char* path, const char* method,
                  const char* /*version*/, const char* /*upload*/, size_t* /*upload_size*/, void** /*request*/) {
  const Answer answer = AnswerTo(*static_cast<const StatusPortOptions*>(options), method, path);
  MHD_Response* response =
      MHD_create_response_from_buffer(answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  }
  const MHD_Result queued = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return queued;
}

// What clients do wrong is not for our log.
void Ignore(void* /*unused*/, const char* /*format*/, va_list /*arguments*/) {}

}  // namespace

struct StatusPort::Impl {
  StatusPortOptions options;
  MHD_Daemon* daemon = nullptr;
};

absl::StatusOr<std::unique_ptr<StatusPort>> StatusPort::Start(StatusPortOptions options) {
  absl::StatusOr<ListenSocket> listening = ListenSocket::Open(options.host, options.port);
  RETURN_IF_ERROR(Annotate(listening.status(), "HTTP"));
  const int port = listening->port();
  auto impl = std::make_unique<Impl>(Impl{.options = std::move(options)});
  const int socket = listening->Release();
  impl->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ITC, 0, nullptr, nullptr, Handle, &impl->options,
      MHD_OPTION_EXTERNAL_LOGGER, Ignore, nullptr, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT,
      kMaxConnections, MHD_OPTION_PER_IP_CONNECTION_LIMIT, kMaxConnectionsPerAddress, MHD_OPTION_CONNECTION_TIMEOUT,
      kSilenceSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kBytesPerConnection, MHD_OPTION_END);
  if (impl->daemon == nullptr) {
    close(socket);
    return absl::UnavailableError("HTTP: no thread for the port could be started");
  }
  return std::unique_ptr<StatusPort>(new StatusPort(std::move(impl), port));
}

StatusPort::StatusPort(std::unique_ptr<Impl> impl, int port) : impl_(std::move(impl)), port_(port) {}

StatusPort::~StatusPort() { MHD_stop_daemon(impl_->daemon); }

}  // namespace rml
