#include "tests/engine/random/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/graph/graph_file.h"
#include "tests/engine/random/case_file.h"
#include "tests/engine/random/shrink.h"

namespace rml {

std::string ReportFailure(const RandomCase& random_case, const CheckFailure& failure, const CheckFn& check,
                          const std::string& dir) {
  CheckFailure last = failure;
  const RandomCase small = Shrink(random_case, [&](const RandomCase& candidate) {
    const auto failed = check(candidate);
    if (!failed || failed->stage != failure.stage) return false;
    last = *failed;
    return true;
  });
  const std::string name = absl::StrCat("seed_", random_case.seed);
  std::string message = absl::StrFormat("seed %d: %s: %s\n", random_case.seed, failure.stage, failure.what);
  if (const absl::Status status = WriteCase(small, dir, name); !status.ok()) {
    absl::StrAppend(&message, "the small case cannot be written: ", status.ToString(), "\n");
  }
  absl::StrAppendFormat(&message, "shrunk from %d nodes to %d: %s\n%s", random_case.graph.nodes.size(),
                        small.graph.nodes.size(), last.what, PrintGraph(small.graph));
  absl::StrAppendFormat(&message,
                        "replay the small one:  rml-random-graphs --replay %s/%s.json\n"
                        "the whole one:         rml-random-graphs --seed %d\n"
                        "and keep it in tests/engine/random/regressions/ under a name that says what was wrong",
                        dir, name, random_case.seed);
  return message;
}

}  // namespace rml
