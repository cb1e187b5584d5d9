// Reads zip archives as NumPy writes them: members stored or deflated, sizes up to 4 GiB; zip64 fields are understood in
// the central directory. Encrypted members and archives in several parts are refused.
//
// Source: APPNOTE.TXT, the format's description by its makers, sections 4.3 and 4.4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rml {

struct ZipMember {
  std::string name;
  std::string content;  // CRC-checked
};

// Every member, in the archive's order. Safe on any bytes: InvalidArgument says which member is wrong and how.
absl::StatusOr<std::vector<ZipMember>> ReadZip(std::string_view bytes);

}  // namespace rml
