// Lists of numbers from outside, made short enough for a message.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"

namespace rml {

// "[1, 2, 3]"; of more than twelve items the first ten and how many there are: "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ... (1000)]".
template <typename List>
std::string ListText(const List& list) {
  constexpr size_t kMostInFull = 12, kShown = 10;
  const size_t size = list.size();
  std::string text = "[";
  size_t i = 0;
  for (const auto& item : list) {
    if (size > kMostInFull && i == kShown) {
      absl::StrAppend(&text, ", ... (", size, ")");
      break;
    }
    absl::StrAppend(&text, i++ == 0 ? "" : ", ", item);
  }
  return text + "]";
}

}  // namespace rml
