// How the models that are served come to change.
#pragma once

#include <cstdint>

namespace rml {

enum class RepositoryMode : uint8_t {
  kStatic,    // what is there at the start, and again when the server is told to reread
  kPoll,      // what is there now: the folder is looked at again and again
  kExplicit,  // what was asked for by LoadModel and UnloadModel
};

constexpr const char* NameOf(RepositoryMode mode) {
  switch (mode) {
    case RepositoryMode::kStatic:
      return "static";
    case RepositoryMode::kPoll:
      return "poll";
    case RepositoryMode::kExplicit:
      break;
  }
  return "explicit";
}

}  // namespace rml
