#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> CompareAnswers() {
  struct Row {
    const char* op;
    double less, equal, more, nan;  // for 1 ? 2, 2 ? 2, 3 ? 2, NaN ? 2
  };
  std::vector<OpAnswer> cases;
  for (const Row& row : {Row{"eq", 0, 1, 0, 0}, Row{"ne", 1, 0, 1, 1}, Row{"lt", 1, 0, 0, 0}, Row{"le", 1, 1, 0, 0},
                         Row{"gt", 0, 0, 1, 0}, Row{"ge", 0, 1, 1, 0}}) {
    const std::string op = row.op;
    cases.push_back(
        {op, "f32", {F({4}, {1, 2, 3, kNan}), F({}, {2})}, {}, {F({4}, {row.less, row.equal, row.more, row.nan})}});
    cases.push_back({op, "nan_and_nan", {F({1}, {kNan}), F({1}, {kNan})}, {}, {F({1}, {op == "ne" ? 1.0 : 0.0})}});
    cases.push_back({op,
                     "i32_gives_f32",
                     {I({3}, {kMinI32, 2, kMaxI32}), I({1}, {2})},
                     {},
                     {F({3}, {row.less, row.equal, row.more})}});
    cases.push_back({op, "zeros_are_equal", {F({1}, {-0.0}), F({1}, {0.0})}, {}, {F({1}, {row.equal})}});
    cases.push_back({op,
                     "both_broadcast",
                     {F({2, 1}, {1, 3}), F({1, 2}, {2, 2})},
                     {},
                     {F({2, 2}, {row.less, row.less, row.more, row.more})}});
    cases.push_back(Refusal(op, "mixed_dtypes", {F({2}), I({2})}, {},
                            "input 'a' is f32 but input 'b' is i32; expected the same dtype"));
    cases.push_back(Refusal(op, "shapes", {F({3}), F({2})}, {}, "shapes [3] and [2] do not broadcast (3 against 2)"));
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Compare, OpAnswerTest, testing::ValuesIn(CompareAnswers()), NameOf);

}  // namespace rml
