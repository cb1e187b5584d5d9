// Contenders measured turn by turn, so that a slow moment of the machine meets all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rml {

struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {};  // of one run, per turn
};

// Each contender runs for about a millisecond a turn until it has had `seconds`, at least 9 turns.
void TakeTurns(std::vector<Contender>& contenders, double seconds);

double Median(std::vector<double> x);

// The median of a's time over b's, turn by turn: both have had as many.
double MedianRatio(const Contender& a, const Contender& b);

}  // namespace rml
