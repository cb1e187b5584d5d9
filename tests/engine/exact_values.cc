#include "tests/engine/exact_values.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_split.h"

namespace rml {
namespace {

std::vector<ExactValue> Read(const char* path) {
  std::vector<ExactValue> values;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    ExactValue value{.function = cells[0], .x = {}, .value = std::strtod(cells.back().c_str(), nullptr)};
    for (size_t i = 1; i + 1 < cells.size(); ++i) value.x.push_back(std::strtof(cells[i].c_str(), nullptr));
    values.push_back(std::move(value));
  }
  if (values.empty()) {
    std::fprintf(stderr, "%s has no values\n", path);
    std::abort();
  }
  return values;
}

}  // namespace

const std::vector<ExactValue>& ExactValues() {
  static const auto* values = new std::vector<ExactValue>(Read("tests/fixtures/exact_values.csv"));
  return *values;
}

}  // namespace rml
