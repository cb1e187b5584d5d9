// Tables for people.
#pragma once

#include <string>
#include <vector>

namespace rml {

// Columns as wide as their longest cell, two spaces apart; those whose header begins with '>' are right-aligned, and the
// '>' is not shown. Lines end without spaces. Rows may be shorter than the header.
std::string FormatTable(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

// "980 B", "1.5 KiB", "23.4 MiB", "1.2 GiB".
std::string FormatBytes(double bytes);

// "12.3 us", "4.56 ms", "1.2 s": three digits.
std::string FormatSeconds(double seconds);

}  // namespace rml
