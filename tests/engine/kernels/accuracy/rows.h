// What docs/numerics.md promises of the kernels that take whole rows, and how far a fixed sample of rows is from it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "engine/kernels/kernel_table.h"

namespace rml {

// |error| <= factor * 2^-24 * scale, where the scale depends on the row and the element.
struct RowFunction {
  const char* name;   // the op
  const char* scale;  // as the page writes it
  double factor;
  // The largest |error| / (2^-24 * scale) over the sample.
  double (*measure)(const KernelTable& kernels);
};
inline std::ostream& operator<<(std::ostream& out, const RowFunction& function) { return out << function.name; }

const std::vector<RowFunction>& RowFunctions();

// The part "rows" of the page.
std::string RowsTable();

}  // namespace rml
