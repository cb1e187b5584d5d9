#include "engine/graph/graph_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "tests/engine/graph/model_text.h"

namespace rml {
namespace {

using testing::HasSubstr;

TEST(ReadGraphFile, ErrorsNameTheFileWithoutItsFolder) {
  const TemporaryFolder folder;
  const auto missing = ReadGraphFile(folder.Path("model.json"));
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(missing.status().message(), "opening file 'model.json': No such file or directory");
  const std::string json = folder.Write("model.json", kModelJson);
  const auto no_weights = ReadGraphFile(json);
  EXPECT_TRUE(absl::IsNotFound(no_weights.status())) << no_weights.status();
  EXPECT_EQ(no_weights.status().message(), "graph file 'model.json': there is no weights file; expected constants 'w'");
  folder.Write("model.safetensors", "short");
  EXPECT_EQ(ReadGraphFile(json).status().message(), "file 'model.safetensors': has 5 bytes; expected at least 8");
  folder.Write("model.safetensors", ModelWeights());
  EXPECT_TRUE(ReadGraphFile(json).ok()) << ReadGraphFile(json).status();
  EXPECT_EQ(ReadGraphFile(json, {.max_json_bytes = 10}).status().message(),
            "file 'model.json' has " + std::to_string(std::string(kModelJson).size()) + " bytes; expected at most 10");
}

TEST(ReadGraphFile, NoRegularFileIsRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.Path("folder.json"));
  EXPECT_EQ(ReadGraphFile(folder.Path("folder.json")).status().message(), "'folder.json' is no regular file");
  ASSERT_EQ(mkfifo(folder.Path("pipe.json").c_str(), 0600), 0);
  EXPECT_EQ(ReadGraphFile(folder.Path("pipe.json")).status().message(), "'pipe.json' is no regular file");
}

TEST(ReadGraphFile, AChecksumWithoutWeightsIsNotPassedOver) {
  const TemporaryFolder folder;
  std::string model = ModelWith(R"("symbols")", R"("weights":{"bytes":75,"crc32":"00000000"},"symbols")");
  EXPECT_TRUE(absl::IsNotFound(ReadGraphFile(folder.Write("model.json", model)).status()));
}

TEST(ReadGraphFile, AlignedConstantsAreReadInPlaceAndOutliveTheRead) {
  const TemporaryFolder folder;
  const auto graph = ReadGraph(kModelJson, ModelWeights());
  ASSERT_TRUE(graph.ok());
  ASSERT_TRUE(WriteGraphFile(*graph, folder.Path("m.json")).ok());
  const auto read = ReadGraphFile(folder.Path("m.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  std::filesystem::remove(folder.Path("m.safetensors"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(read->constants[0].data) % 64, 0u);
  EXPECT_EQ(static_cast<const float*>(read->constants[0].data)[1], 2);
}

TEST(ReadGraph, MisalignedConstantsAreCopiedToAlignment) {
  const auto graph = ReadGraph(kModelJson, ModelWeights());
  ASSERT_TRUE(graph.ok());
  for (const Constant& constant : graph->constants) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(constant.data) % 64, 0u);
  }
}

// Every cut and every changed byte is answered, never a crash or a read outside; sanitizers watch.
TEST(ReadGraph, AnyDamageIsAnswered) {
  const std::string json = kModelJson;
  for (size_t size = 0; size + 1 < json.size(); ++size) {
    EXPECT_FALSE(ReadGraph(json.substr(0, size), ModelWeights()).ok()) << size;
  }
  const std::string values = "{}[]\",:0123456789-.eEB*nt \n\\\x80\xff" + std::string(1, '\0');
  for (size_t at = 0; at < json.size(); ++at) {
    for (char value : values) {
      std::string damaged = json;
      damaged[at] = value;
      const auto graph = ReadGraph(damaged, ModelWeights());
      if (!graph.ok()) continue;
      EXPECT_TRUE(CheckStructure(*graph).ok());
    }
  }
}

TEST(WriteGraphFile, GivesTheBytesOfWhatWasRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteGraphFile(*ReadGraph(kModelJson, ModelWeights()), folder.Path("a.json")).ok());
  const auto again = ReadGraphFile(folder.Path("a.json"));
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_TRUE(WriteGraphFile(*again, folder.Path("b.json")).ok());
  EXPECT_EQ(FileBytes(folder.Path("a.json")), FileBytes(folder.Path("b.json")));
  EXPECT_EQ(FileBytes(folder.Path("a.safetensors")), FileBytes(folder.Path("b.safetensors")));
  EXPECT_EQ(folder.NumFiles(), 4u) << "no temporary file stays";
}

TEST(WriteGraphFile, KeepsTheTextOfTheModel) {
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteGraphFile(*ReadGraph(kModelJson, ModelWeights()), folder.Path("a.json")).ok());
  std::string text = FileBytes(folder.Path("a.json"));
  const size_t begin = text.find("\"weights\"");
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  EXPECT_EQ(text, kModelJson);
}

// The exporter's files, byte for byte: both writers agree on every spelling.
TEST(WriteGraphFile, GivesTheBytesOfTheExporter) {
  const TemporaryFolder folder;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fixtures")) {
    const std::string weights = std::filesystem::path(entry.path()).replace_extension(".safetensors").string();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(weights)) continue;
    ++files;
    const auto graph = ReadGraphFile(entry.path().string());
    ASSERT_TRUE(graph.ok()) << graph.status();
    ASSERT_TRUE(WriteGraphFile(*graph, folder.Path("copy.json")).ok());
    EXPECT_EQ(FileBytes(entry.path().string()), FileBytes(folder.Path("copy.json"))) << entry.path();
    EXPECT_TRUE(FileBytes(weights) == FileBytes(folder.Path("copy.safetensors"))) << weights;
  }
  EXPECT_GT(files, 0);
}

TEST(WriteGraphFile, StoresUnnamedConstantsThatCannotBeInline) {
  Graph graph = *ReadGraph(kModelJson, ModelWeights());
  static const float kInf[] = {std::numeric_limits<float>::infinity()};
  static const float kMany[17] = {};
  graph.constants[0].name = "const.0";
  graph.constants[1].data = kInf;
  graph.values.push_back({DType::kF32, {17}});
  graph.constants.push_back({.id = 6, .name = "", .data = kMany, .owner = nullptr});
  const TemporaryFolder folder;
  ASSERT_TRUE(WriteGraphFile(graph, folder.Path("m.json")).ok());
  const auto read = ReadGraphFile(folder.Path("m.json"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->constants[0].name, "const.0");
  EXPECT_EQ(read->constants[1].name, "const.1");
  EXPECT_EQ(read->constants[2].name, "const.2");
  EXPECT_EQ(static_cast<const float*>(read->constants[1].data)[0], kInf[0]);
}

TEST(WriteGraphFile, RefusesWhatAFileCannotSay) {
  const TemporaryFolder folder;
  Graph graph = *ReadGraph(kModelJson, ModelWeights());
  graph.nodes[1].attrs = {{"value", std::nan("")}};
  EXPECT_THAT(std::string(WriteGraphFile(graph, folder.Path("m.json")).message()),
              HasSubstr("node 1 'layer/add' (add): attribute 'value' is nan; expected a finite number"));
  graph.nodes[1].attrs.clear();
  graph.outputs.clear();
  EXPECT_THAT(std::string(WriteGraphFile(graph, folder.Path("m.json")).message()), HasSubstr("no outputs"));
  EXPECT_EQ(folder.NumFiles(), 0u);
}

TEST(PrintGraph, OneLineAValueOrNode) {
  EXPECT_EQ(PrintGraph(*ReadGraph(kModelJson, ModelWeights())),
            "B from 1 to 64\n"
            "%0 = input 'x' f32[B, 3]\n"
            "%1 = constant 'w' f32[3]\n"
            "%2 = constant (inline) f32[]\n"
            "%3 = mul(%0, %1) f32[B, 3]\n"
            "%4 = add(%3, %2) f32[B, 3]  # layer/add\n"
            "%5 = clamp(%4) {min=0.0, max=6} f32[B, 3]\n"
            "output 'y' = %5\n");
}

}  // namespace
}  // namespace rml
