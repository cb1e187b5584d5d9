// Random graphs over all ops of the list, by seed.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/engine/random/coverage.h"
#include "tests/engine/random/random_case.h"

namespace rml {

// Seeds come in blocks. Within a block each graph favours what those before it have met least, so that few graphs meet
// everything; no state passes from one block to another.
inline constexpr uint64_t kSeedsPerBlock = 64;

// Makes the graphs of consecutive seeds, each the same however it is reached.
class CaseStream {
 public:
  explicit CaseStream(uint64_t first_seed);
  // The case of the first seed, then of the next one, and so on. 1 to 40 nodes; CheckGraph() accepts the graph.
  RandomCase Next();
  const Coverage& coverage() const { return total_; }  // of the cases that Next() has returned

 private:
  RandomCase Generate(uint64_t seed);

  uint64_t next_seed_;
  Coverage block_;  // of the block under way
  Coverage total_;
};

// The case of one seed.
RandomCase GenerateCase(uint64_t seed);

}  // namespace rml
