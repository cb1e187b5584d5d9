// The op list as a whole: its rows and their documentation.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/ops/op.h"
#include "tests/engine/ops/op_docs.h"

namespace rml {
namespace {

TEST(OpList, EveryRowIsWhole) {
  for (const OpDef& op : AllOps()) {
    EXPECT_FALSE(op.doc.empty()) << op.name;
    EXPECT_NE(op.infer, nullptr) << op.name;
    EXPECT_NE(op.reference, nullptr) << op.name;
  }
}

TEST(OpList, NamesInputsAndCountsThem) {
  const OpDef& norm = *FindOp("layer_norm");
  EXPECT_EQ(norm.min_inputs, 1);
  EXPECT_EQ(norm.max_inputs, 3);
  EXPECT_EQ(norm.InputName(2), "bias");
  EXPECT_EQ(FindOp("concat")->InputName(3), "x3");
  EXPECT_EQ(FindOp("top_k")->num_outputs, 2);
  EXPECT_EQ(FindOp("flash_attention"), nullptr);
}

TEST(OpList, TheDocumentedOpsAreTheseOps) {
  const std::string path = "docs/graph-ir.md";
  if (std::getenv("RML_UPDATE_DOCS") != nullptr) std::ofstream(path) << RenderOpDocs();
  std::stringstream committed;
  committed << std::ifstream(path).rdbuf();
  EXPECT_EQ(committed.str(), RenderOpDocs())
      << path << " is not what the op list says; RML_UPDATE_DOCS=1 writes it anew";
}

}  // namespace
}  // namespace rml
