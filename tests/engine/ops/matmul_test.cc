#include <vector>

#include "tests/engine/ops/op_answer.h"

namespace rml {

std::vector<OpAnswer> MatMulAnswers() {
  const Literal a = F({2, 3}, {1, 2, 3, 4, 5, 6});
  return {
      {"matmul", "matrices", {a, F({3, 2}, {1, 0, 0, 1, 1, 1})}, {}, {F({2, 2}, {4, 5, 10, 11})}},
      {"matmul", "vector_left", {F({2}, {1, 10}), a}, {}, {F({3}, {41, 52, 63})}},
      {"matmul", "vector_right", {a, F({3}, {1, 10, 100})}, {}, {F({2}, {321, 654})}},
      {"matmul", "two_vectors", {F({3}, {1, 2, 3}), F({3}, {4, 5, 6})}, {}, {F({}, {32})}},
      {"matmul", "batches", {F({2, 1, 2}, {1, 2, 3, 4}), F({2, 2, 1}, {1, 1, 10, 10})}, {}, {F({2, 1, 1}, {3, 70})}},
      {"matmul",
       "batches_broadcast",
       {F({2, 1, 1, 1}, {2, 3}), F({3, 1, 1}, {1, 10, 100})},
       {},
       {F({2, 3, 1, 1}, {2, 20, 200, 3, 30, 300})}},
      {"matmul", "vector_and_batch", {F({2}, {1, 2}), F({2, 2, 1}, {1, 1, 10, 10})}, {}, {F({2, 1}, {3, 30})}},
      {"matmul", "k_is_zero", {F({2, 0}), F({0, 3})}, {}, {F({2, 3}, {0, 0, 0, 0, 0, 0})}},
      {"matmul", "no_rows", {F({0, 3}), F({3, 2}, {1, 2, 3, 4, 5, 6})}, {}, {F({0, 2})}},
      {"matmul", "no_columns", {a, F({3, 0})}, {}, {F({2, 0})}},
      {"matmul", "no_batches", {F({0, 2, 3}), F({3, 2}, {1, 2, 3, 4, 5, 6})}, {}, {F({0, 2, 2})}},
      {"matmul", "zero_times_infinity", {F({1, 2}, {0, 1}), F({2, 1}, {kInf, 1})}, {}, {F({1, 1}, {kNan})}},
      {"matmul", "nan_in_one_row", {F({2, 1}, {kNan, 2}), F({1, 2}, {1, 2})}, {}, {F({2, 2}, {kNan, kNan, 2, 4})}},
      Refusal("matmul", "k_differs", {F({2, 3}), F({4, 2})}, {},
              "input 'b' has shape [4, 2]; expected 3 rows to match input 'a' of shape [2, 3]"),
      Refusal("matmul", "scalar", {F({}), F({2, 2})}, {},
              "inputs 'a' and 'b' have shapes [] and [2, 2]; expected rank 1 or more"),
      Refusal("matmul", "batches_differ", {F({2, 1, 3}), F({3, 3, 1})}, {},
              "shapes [2] and [3] do not broadcast (2 against 3)"),
      Refusal("matmul", "i32", {F({2, 3}), I({3, 2})}, {}, "input 'b' is i32[3, 2]; expected f32"),
  };
}

INSTANTIATE_TEST_SUITE_P(MatMul, OpAnswerTest, testing::ValuesIn(MatMulAnswers()), NameOf);

}  // namespace rml
