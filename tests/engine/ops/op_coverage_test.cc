// Every row of the op list has cases: right answers, and a refusal where the op can refuse.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/ops/op.h"
#include "tests/engine/ops/op_case.h"

namespace rml {
namespace {

// These take any input of any type: their only refusals are of attributes, which ResolveAttrs makes.
const std::set<std::string> kRefuseNothing = {"neg", "abs", "relu"};

TEST(OpCoverage, EveryOpHasAnswersAndRefusals) {
  std::set<std::string> answered;
  std::set<std::string> refused = kRefuseNothing;
  for (const OpCase& op_case : AllOpCases()) (op_case.error.empty() ? answered : refused).insert(op_case.op);
  for (const OpDef& op : AllOps()) {
    const std::string name(op.name);
    EXPECT_TRUE(answered.contains(name)) << "no case answers for op '" << name << "'";
    EXPECT_TRUE(refused.contains(name)) << "no case refuses for op '" << name << "'";
  }
}

TEST(OpCoverage, EveryCaseIsOfAnOp) {
  for (const OpCase& op_case : AllOpCases()) EXPECT_NE(FindOp(op_case.op), nullptr) << op_case;
}

TEST(OpCoverage, EveryAttributeIsGivenInSomeCase) {
  std::set<std::string> given;
  for (const OpCase& op_case : AllOpCases()) {
    for (const auto& [attr, value] : op_case.attrs) given.insert(op_case.op + "." + attr);
  }
  for (const OpDef& op : AllOps()) {
    for (const AttrSchema& attr : op.attrs) {
      const std::string name = std::string(op.name) + "." + attr.name;
      EXPECT_TRUE(given.contains(name)) << "no case gives " << name;
    }
  }
}

}  // namespace
}  // namespace rml
