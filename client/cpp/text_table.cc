#include "client/cpp/text_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"

namespace rml {
namespace {

// Columns are as wide as a terminal shows them, near enough: a character that is shown double is counted once.
std::string FormatLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                       const std::vector<bool>& right) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - CountUtf8(cells[i]), ' ');
    line += (i > 0 ? "  " : "") + (right[i] ? padding + cells[i] : cells[i] + padding);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string FormatTable(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<bool> right;
  std::vector<size_t> widths;
  for (const std::string& title : header) {
    right.push_back(!title.empty() && title[0] == '>');
    titles.push_back(title.substr(right.back() ? 1 : 0));
    widths.push_back(titles.back().size());
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], CountUtf8(row[i]));
  }
  std::string text = FormatLine(titles, widths, right);
  for (const auto& row : rows) text += FormatLine(row, widths, right);
  return text;
}

std::string FormatBytes(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return absl::StrFormat("%.*f %s", unit == 0 ? 0 : 1, bytes, kUnits[unit]);
}

std::string FormatSeconds(double seconds) {
  if (seconds < 1e-3) return absl::StrFormat("%.3g us", seconds * 1e6);
  if (seconds < 1) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g s", seconds);
}

}  // namespace rml
