// The generated parts of docs/numerics.md, each between `<!-- begin NAME -->` and `<!-- end NAME -->`.
//
// The lines of the part "accuracy" keep what the full sweep measured, an hour's work; a sample, which takes seconds, is
// held against them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/kernel_table.h"

namespace rml {

struct AccuracyLine {
  std::string name;
  std::string bound;  // "2 ulp"
  double worst = 0;   // in the bound's unit
  std::vector<float> worst_at;
  double mean = 0;  // in the bound's unit
  double share_correct = 0;
  std::string over;    // where the mean and the share are taken: "2^-12 to 89"
  std::string limits;  // "inf from 88.7228394"
  std::string shape;   // "rising, odd"

  std::string Text() const;
};

class NumericsPage {
 public:
  NumericsPage();  // reads docs/numerics.md; empty parts if it lacks them

  std::string Part(std::string_view name) const;
  void SetPart(std::string_view name, std::string_view text);

  // The line for a function; nullopt if there is none or it cannot be read. SetLine replaces it, or adds it as the last.
  std::optional<AccuracyLine> Line(std::string_view name) const;
  void SetLine(const AccuracyLine& line);

  void Write() const;

 private:
  std::string text_;
};

// RML_UPDATE_DOCS is set: tests write the page anew instead of comparing with it.
bool UpdatesDocs();

// The part "special": f at infinities, zeros, subnormal numbers and NaN.
std::string SpecialValuesTable(const KernelTable& kernels);

}  // namespace rml
