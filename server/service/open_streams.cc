#include "server/service/open_streams.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace rml {
namespace {

using Json = nlohmann::json;

// gRPC's channelz: what it counts about its own connections, always, as JSON in the form of channelz.proto, where numbers
// are strings and zeros are left out.
Json Parse(char* text) {
  const std::unique_ptr<char, decltype(&gpr_free)> owned(text, gpr_free);
  return text == nullptr ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

int64_t Number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? std::stoll(found->get<std::string>()) : 0;
}

// Calls `use` with every element of the lists that `page(first id)` gives, a page at a time.
template <typename Page, typename Use>
bool ForEach(const char* list, const char* ref, const char* id, const Page& page, const Use& use) {
  for (int64_t next = 0;;) {
    const Json answer = Parse(page(next));
    if (!answer.is_object()) return false;
    const Json elements = answer.value(list, Json::array());
    for (const Json& element : elements) {
      const int64_t number = Number(ref == nullptr ? element : element.at(ref), id);
      use(number);
      next = number + 1;
    }
    if (answer.value("end", false)) return true;
    if (elements.empty()) return false;
  }
}

}  // namespace

std::optional<int64_t> OpenStreams() try {
  int64_t open = 0;
  bool known = true;
  const auto add_socket = [&](int64_t socket) {
    const Json answer = Parse(grpc_channelz_get_socket(socket));
    if (!answer.is_object()) return;  // closed meanwhile
    const Json& data = answer.at("socket").at("data");
    open += Number(data, "streamsStarted") - Number(data, "streamsSucceeded") - Number(data, "streamsFailed");
  };
  const auto add_server = [&](int64_t server) {
    const auto page = [server](int64_t first) { return grpc_channelz_get_server_sockets(server, first, 0); };
    known &= ForEach("socketRef", nullptr, "socketId", page, add_socket);
  };
  known &= ForEach("server", "ref", "serverId", grpc_channelz_get_servers, add_server);
  return known ? std::optional(open) : std::nullopt;
} catch (const std::exception&) {  // JSON in another form than this version's
  return std::nullopt;
}

}  // namespace rml
