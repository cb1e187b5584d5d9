#include "loadtest/rate_search.h"

namespace rml {

std::optional<double> RateSearch::Next() const {
  if (left_ == 0 || (high_ && low_ * (1 + precision_) >= *high_)) return std::nullopt;
  return next_;
}

void RateSearch::Report(bool borne) {
  --left_;
  if (borne) {
    low_ = next_;
  } else {
    high_ = next_;
  }
  if (!high_) {
    next_ = low_ * 2;
  } else {
    next_ = (low_ + *high_) / 2;  // half of it while none was borne
  }
}

}  // namespace rml
