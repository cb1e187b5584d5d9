// One op on literal values: what it answers, or how it refuses. Every op of the list has cases of both kinds
// (op_coverage_test.cc). OpAnswerTest holds the reference and, on every instruction set, the compiled step against them.
//
//   {"clamp", "nan_stays", {F({2}, {kNan, 5})}, {{"max", 1.0}}, {F({2}, {kNan, 1})}}
//   Refusal("clamp", "no_bound", {F({2})}, {}, "attributes 'min' and 'max' are both missing; expected at least one")
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/graph/graph.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/tolerance.h"

namespace rml {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr int32_t kMinI32 = std::numeric_limits<int32_t>::min();
inline constexpr int32_t kMaxI32 = std::numeric_limits<int32_t>::max();

// A tensor by its values; doubles hold every f32 and i32. Without values: a type alone, for refusals.
struct Literal {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<double> values;

  Tensor ToTensor() const;
};
inline Literal F(Shape shape, std::vector<double> values = {}) { return {DType::kF32, shape, std::move(values)}; }
inline Literal I(Shape shape, std::vector<double> values = {}) { return {DType::kI32, shape, std::move(values)}; }

struct OpAnswer {
  std::string op;
  std::string name;
  std::vector<Literal> inputs;
  Attrs attrs;
  std::vector<Literal> outputs;
  Tolerance tolerance = kExact;
  std::string error = {};      // shape inference refuses with this message
  std::string run_error = {};  // the op refuses the data with a message that has this in it
};

OpAnswer Refusal(std::string op, std::string name, std::vector<Literal> inputs, Attrs attrs, std::string error);

std::ostream& operator<<(std::ostream& out, const OpAnswer& answer);

class OpAnswerTest : public testing::TestWithParam<OpAnswer> {};

// "clamp_nan_stays": names a case in INSTANTIATE_TEST_SUITE_P.
std::string NameOf(const testing::TestParamInfo<OpAnswer>& info);

// The cases of each <family>_test.cc.
std::vector<OpAnswer> BinaryAnswers();
std::vector<OpAnswer> CompareAnswers();
std::vector<OpAnswer> ConcatPadAnswers();
std::vector<OpAnswer> Conv2dAnswers();
std::vector<OpAnswer> ConvTranspose2dAnswers();
std::vector<OpAnswer> GatherAnswers();
std::vector<OpAnswer> GatherElementsAnswers();
std::vector<OpAnswer> LayerNormAnswers();
std::vector<OpAnswer> MatMulAnswers();
std::vector<OpAnswer> Pool2dAnswers();
std::vector<OpAnswer> ReduceAnswers();
std::vector<OpAnswer> Resize2dAnswers();
std::vector<OpAnswer> ScatterAddAnswers();
std::vector<OpAnswer> ScanAnswers();
std::vector<OpAnswer> SdpaAnswers();
std::vector<OpAnswer> SelectAnswers();
std::vector<OpAnswer> SoftmaxAnswers();
std::vector<OpAnswer> TopKAnswers();
std::vector<OpAnswer> UnaryAnswers();
std::vector<OpAnswer> ViewAnswers();
std::vector<OpAnswer> AllOpAnswers();

}  // namespace rml
