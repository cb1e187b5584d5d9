// Changes to a protobuf message that leave it one: bytes changed at random seldom keep the lengths inside it right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace rml {

// Sets, clears, repeats, swaps or removes a few fields of `message` or of messages inside it, chosen by `seed`. Strings
// and bytes are taken from `words` or made up.
void MutateProto(google::protobuf::Message& message, const std::vector<std::string>& words, uint32_t seed);

}  // namespace rml
