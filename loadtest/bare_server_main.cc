// rml-bare-server: see --help and docs/loadtest.md.
#include <malloc.h>
#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "command_line/checks.h"
#include "command_line/parse.h"
#include "command_line/run_program.h"
#include "loadtest/bare_server.h"

namespace rml {
namespace {

constexpr int kExitCannotStart = 1;

constexpr char kDescription[] =
    "rml-bare-server answers requests by the outputs of a golden file, without a model: the same messages, parsed and\n"
    "serialised, by the same API and transport as rml-server. It is the floor to compare a server's overhead with.\n\n"
    "  rml-bare-server models/mlp/1/golden.safetensors --port 8003 &\n"
    "  rml-loadtest --server localhost:8003 --model mlp=models/mlp/1/golden.safetensors --workers 8\n";

constexpr char kFooter[] =
    "Listens on 127.0.0.1 and ends with SIGTERM or SIGINT.\n"
    "Exit codes: 0 ended by a signal, 1 cannot start, 2 usage or a file that cannot be read.";

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "rml-bare-server: %s\n", std::string(status.message()).c_str());
  return code;
}

int Main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // as rml-server, which is compared with this
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 64 << 20);
  std::string path;
  int port = 8001;
  CLI::App app(kDescription, "rml-bare-server");
  app.footer(kFooter);
  app.set_version_flag("--version", [] { return "rml-bare-server " + Version(); });
  app.add_option("golden", path, "Golden file")->required()->check(NotEmpty())->type_name("FILE.safetensors");
  app.add_option("--port", port, "0: any free one")
      ->check(WholeNumber(0, 65535))
      ->type_name("N")
      ->capture_default_str();
  if (const std::optional<int> exit_code = Parse(app, argc, argv)) return *exit_code;

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread starts
  absl::StatusOr<Golden> golden = ReadGolden(path);
  if (!golden.ok()) return Fail(golden.status(), kExitAfterUsageError);
  const v1::Model model = GoldenModel("golden", *golden);
  const auto server = BareServer::Start(port, model, GoldenHandler(std::make_shared<const Golden>(*std::move(golden))));
  if (!server.ok()) return Fail(server.status(), kExitCannotStart);
  const absl::Status printed = PrintNow(absl::StrCat("rml-bare-server ready grpc=", (*server)->address(), "\n"));
  if (!printed.ok()) return Fail(printed, kExitCannotStart);
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return 0;
}

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  return rml::RunProgram("rml-bare-server", rml::kExitCannotStart, [&] { return rml::Main(argc, argv); });
}
