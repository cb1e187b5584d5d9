// Every row of the op list has cases: right answers, and a refusal where the op can refuse.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/ops/op.h"
#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

// These take any input of any type: their only refusals are of attributes, which ResolveAttrs makes.
const std::set<std::string> kRefuseNothing = {"neg", "abs", "relu"};

TEST(OpCoverage, EveryOpHasAnswersAndRefusals) {
  std::set<std::string> answered;
  std::set<std::string> refused = kRefuseNothing;
  for (const OpAnswer& answer : AllOpAnswers()) (answer.error.empty() ? answered : refused).insert(answer.op);
  for (const OpDef& op : AllOps()) {
    const std::string name(op.name);
    EXPECT_TRUE(answered.contains(name)) << "no case answers for op '" << name << "'";
    EXPECT_TRUE(refused.contains(name)) << "no case refuses for op '" << name << "'";
  }
}

TEST(OpCoverage, EveryCaseIsOfAnOp) {
  for (const OpAnswer& answer : AllOpAnswers()) EXPECT_NE(FindOp(answer.op), nullptr) << answer;
}

TEST(OpCoverage, EveryAttributeIsGivenInSomeCase) {
  std::set<std::string> given;
  for (const OpAnswer& answer : AllOpAnswers()) {
    for (const auto& [attr, value] : answer.attrs) given.insert(answer.op + "." + attr);
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
