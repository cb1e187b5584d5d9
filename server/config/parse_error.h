// protobuf's errors for text, in our words: what came, and what was expected.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

#include "server/config/text_position.h"

namespace rml {

struct ParseError {
  TextPosition at;
  std::string message;
};

// `error` as protobuf 3.21 reported it for `text`, a message of `file`. Errors about a field's name are moved from the word
// after the name, where protobuf notices them, to the name. What is not recognised keeps its words.
ParseError Explain(const ParseError& error, std::string_view text, const google::protobuf::FileDescriptor& file);

}  // namespace rml
