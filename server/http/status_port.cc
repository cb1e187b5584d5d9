#include "server/http/status_port.h"

#include <sys/socket.h>

#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "httplib.h"

namespace rml {
namespace {

constexpr int kThreads = 2;
constexpr time_t kTimeoutSeconds = 1;

void AddRoutes(const StatusPortOptions& options, httplib::Server& server) {
  server.Get("/metrics", [metrics = options.metrics](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics(), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/livez",
             [](const httplib::Request&, httplib::Response& response) { response.set_content("ok\n", "text/plain"); });
  server.Get("/readyz", [not_ready = options.not_ready](const httplib::Request&, httplib::Response& response) {
    const std::string reason = not_ready();
    response.status = reason.empty() ? 200 : 503;
    response.set_content((reason.empty() ? "ok" : reason) + "\n", "text/plain");
  });
}

// The library's default sets SO_REUSEPORT, with which two servers would share a port and neither notice.
void SetSocketOptions(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

}  // namespace

struct StatusPort::Impl {
  httplib::Server server;
  std::thread thread;
};

absl::StatusOr<std::unique_ptr<StatusPort>> StatusPort::Start(StatusPortOptions options) {
  auto impl = std::make_unique<Impl>();
  httplib::Server& server = impl->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_socket_options(SetSocketOptions);
  server.set_keep_alive_max_count(1);
  server.set_keep_alive_timeout(kTimeoutSeconds);
  server.set_read_timeout(kTimeoutSeconds);
  server.set_write_timeout(kTimeoutSeconds);
  AddRoutes(options, server);
  int port = options.port;
  const bool bound = port == 0 ? (port = server.bind_to_any_port(options.host.c_str())) > 0
                               : server.bind_to_port(options.host.c_str(), port);
  if (!bound) {
    return absl::UnavailableError(
        absl::StrFormat("HTTP: cannot listen on %s:%d; is the port taken, or the address not of this machine?",
                        options.host, options.port));
  }
  impl->thread = std::thread([&server] { server.listen_after_bind(); });
  return std::unique_ptr<StatusPort>(new StatusPort(std::move(impl), port));
}

StatusPort::StatusPort(std::unique_ptr<Impl> impl, int port) : impl_(std::move(impl)), port_(port) {}

StatusPort::~StatusPort() {
  while (!impl_->server.is_running()) std::this_thread::yield();  // stop() before the thread listens would be lost
  impl_->server.stop();
  impl_->thread.join();
}

}  // namespace rml
