// Every row of the op list has all that belongs to an op: a reference of its own, in C++ and in the exporter, cases with
// right answers and, where the op can refuse, refusals, a row in the documents.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/ops/all_ops.h"
#include "engine/ops/op.h"
#include "tests/engine/ops/op_answer.h"

namespace rml {
namespace {

// These take any input of any type: their only refusals are of attributes, which ResolveAttrs makes.
const std::set<std::string> kRefuseNothing = {"neg", "abs", "relu", "sign"};

std::string ReadText(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(OpCoverage, EveryOpHasAReferenceOfItsOwn) {
  std::set<ReferenceFn> seen;
  for (const OpDef& op : AllOps()) {
    ASSERT_NE(op.reference, nullptr) << op.name;
    EXPECT_TRUE(seen.insert(op.reference).second) << "op '" << op.name << "' has the reference of an op before it";
  }
}

// tests/exporter/reference holds the two lists together in full; here is what the C++ side can see.
TEST(OpCoverage, EveryOpHasAReferenceInTheExporter) {
  std::string sources;
  for (const auto& file : std::filesystem::directory_iterator("exporter/rml_export/reference")) {
    if (file.path().extension() == ".py") sources += ReadText(file.path());
  }
  for (const OpDef& op : AllOps()) {
    EXPECT_NE(sources.find(absl::StrFormat("\"%s\": ", std::string(op.name))), std::string::npos)
        << "no REFERENCE for op '" << op.name << "' in exporter/rml_export/reference";
  }
}

TEST(OpCoverage, EveryOpIsDocumented) {
  const std::string ops = ReadText("docs/graph-ir.md"), numerics = ReadText("docs/numerics.md");
  for (const OpDef& op : AllOps()) {
    const std::string row = absl::StrCat("\n| `", std::string(op.name), "` |");
    EXPECT_NE(ops.find(row), std::string::npos) << "docs/graph-ir.md has no row for op '" << op.name << "'";
    EXPECT_FALSE(op.doc.empty()) << op.name;
    // A function of real numbers has an error, and with it a row in tests/engine/kernels/accuracy/functions.cc.
    if (op.infer != &InferUnary) continue;
    EXPECT_NE(numerics.find(row), std::string::npos) << "docs/numerics.md has no row for op '" << op.name << "'";
  }
}

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
