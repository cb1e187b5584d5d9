// Planted faults: a check that dislikes some property must be left with little more than that property.
#include "tests/engine/random/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/graph_file.h"
#include "engine/ops/check.h"
#include "engine/ops/reference.h"
#include "tests/engine/random/case_edit.h"
#include "tests/engine/random/case_file.h"
#include "tests/engine/random/features.h"
#include "tests/engine/random/generate.h"
#include "tests/engine/random/report.h"
#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

// The first generated case for which `fails` holds.
RandomCase FirstFailing(const FailsFn& fails) {
  CaseStream stream(0);
  for (int i = 0; i < 2000; ++i) {
    RandomCase made = stream.Next();
    if (made.graph.nodes.size() > 8 && fails(made)) return made;
  }
  ADD_FAILURE() << "no generated case has the property";
  return {};
}

int64_t LargestDim(const Graph& graph) {
  int64_t largest = 0;
  for (const Value& value : graph.values) {
    for (const Dim& dim : value.shape) largest = std::max(largest, dim.factor());
  }
  return largest;
}

const Node* Producer(const Graph& graph, ValueId id) {
  for (const Node& node : graph.nodes) {
    if (std::count(node.outputs.begin(), node.outputs.end(), id) > 0) return &node;
  }
  return nullptr;
}

TEST(Shrink, FindsTheOneNodeAndItsAttribute) {
  const FailsFn fails = [](const RandomCase& one) {
    for (const NodeFacts& facts : FactsOf(one.graph)) {
      if (facts.node.op == "max_pool2d" && facts.attrs.Ints("pads")[1] != facts.attrs.Ints("pads")[3]) return true;
    }
    return false;
  };
  const RandomCase small = Shrink(FirstFailing(fails), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.graph.nodes.size(), 1u) << PrintGraph(small.graph);
  EXPECT_LE(LargestDim(small.graph), 2) << PrintGraph(small.graph);
  EXPECT_FALSE(small.graph.symbolic);
}

TEST(Shrink, FindsTwoNodesThatAreTheFaultTogether) {
  const FailsFn fails = [](const RandomCase& one) {
    for (const Node& node : one.graph.nodes) {
      if (node.op != "add" && node.op != "sub") continue;
      for (ValueId id : node.inputs) {
        const Node* producer = Producer(one.graph, id);
        if (producer != nullptr && producer->op == "transpose") return true;
      }
    }
    return false;
  };
  const RandomCase small = Shrink(FirstFailing(fails), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.graph.nodes.size(), 2u) << PrintGraph(small.graph);
  EXPECT_LE(LargestDim(small.graph), 1) << PrintGraph(small.graph);
}

TEST(Shrink, FindsTheElements) {
  // A result that is NaN although no input or constant is: shrinking keeps first elements, and the NaN may be the last.
  const FailsFn fails = [](const RandomCase& one) {
    const auto is_nan = [](const Tensor& tensor) {
      const auto data = tensor.data<float>();
      return tensor.dtype() == DType::kF32 &&
             std::any_of(data.begin(), data.end(), [](float v) { return std::isnan(v); });
    };
    if (std::any_of(one.inputs.begin(), one.inputs.end(), is_nan)) return false;
    for (const Constant& constant : one.graph.constants) {
      const Value& value = one.graph.values[constant.id];
      if (is_nan(Tensor::Copy({value.dtype, ShapeAt(value, one.graph.min_rows), constant.data}))) return false;
    }
    const auto outputs = RunReference(one.graph, ViewsOf(one.inputs));
    return outputs.ok() && std::any_of(outputs->begin(), outputs->end(), is_nan);
  };
  const RandomCase small = Shrink(FirstFailing(fails), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.graph.nodes.size(), 1u) << PrintGraph(small.graph);
  EXPECT_LE(LargestDim(small.graph), 2) << PrintGraph(small.graph);
}

TEST(Shrink, KeepsB) {
  const FailsFn fails = [](const RandomCase& one) {
    return one.graph.symbolic && one.row_counts.size() > 1 && one.row_counts[0] != one.row_counts[1];
  };
  const RandomCase small = Shrink(FirstFailing(fails), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(small.graph.nodes.size(), 1u);
  EXPECT_EQ(small.row_counts.size(), 2u);
}

TEST(Shrink, EveryStepIsAGraphThatHolds) {
  const FailsFn fails = [](const RandomCase& one) {
    EXPECT_TRUE(CheckGraph(one.graph).ok()) << CheckGraph(one.graph) << PrintGraph(one.graph);
    EXPECT_TRUE(RunReference(one.graph, ViewsOf(one.inputs)).ok());
    return one.graph.nodes.size() > 3;
  };
  EXPECT_EQ(Shrink(GenerateCase(1), fails, {.max_tries = 500}).graph.nodes.size(), 4u);
}

TEST(Report, LeavesFilesThatReplay) {
  const TemporaryFolder dir;
  const CheckFn check = [](const RandomCase& one) -> std::optional<CheckFailure> {
    for (const Node& node : one.graph.nodes) {
      if (node.op == "concat") return CheckFailure{"nodes", "a concat is planted"};
    }
    return std::nullopt;
  };
  const RandomCase found = FirstFailing([&](const RandomCase& one) { return check(one).has_value(); });
  const std::string message = ReportFailure(found, *check(found), check, dir.path());
  EXPECT_NE(message.find("a concat is planted"), std::string::npos) << message;
  const auto files = FindCases(dir.path());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_NE(message.find("--replay " + files[0]), std::string::npos) << message;
  const auto read = ReadCase(files[0]);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->seed, found.seed);
  EXPECT_EQ(read->graph.nodes.size(), 1u) << PrintGraph(read->graph);
  EXPECT_TRUE(check(*read));
}

}  // namespace
}  // namespace rml
