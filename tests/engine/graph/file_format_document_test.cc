// The example in docs/file-format.md is a file that the reader takes.
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "gtest/gtest.h"
#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

TEST(FileFormatDocument, ExampleIsRead) {
  const std::string page = FileBytes("docs/file-format.md");
  const size_t begin = page.find("```json\n");
  ASSERT_NE(begin, std::string::npos);
  std::string example = page.substr(begin + 8, page.find("```", begin + 8) - begin - 8);
  const Tensor weight(DType::kF32, {784, 512});
  const std::string weights = SerializeSafetensors({{"fc1.weight.T", weight.view()}});
  EXPECT_NE(example.find(absl::StrCat("\"bytes\":", weights.size(), ",")), std::string::npos) << weights.size();
  // The page's checksum is of weights that are not in it.
  const size_t line = example.find("\"weights\"");
  ASSERT_NE(line, std::string::npos);
  example.erase(line, example.find('\n', line) + 1 - line);
  const absl::StatusOr<Graph> graph = ReadGraph(example, weights);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(graph->nodes.size(), 3u);
  EXPECT_TRUE(graph->symbolic);
}

}  // namespace
}  // namespace rml
