// Every fixture against its framework's own outputs and, bit for bit, against the committed digest: fused and unfused,
// on every instruction set of the machine, on one thread and two.
//
// RML_UPDATE_BITS=1 writes the digests anew (./dev test says so when they differ); review the diff and bump
// kNumericsVersion if results changed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "engine/kernels/dispatch.h"
#include "tests/engine/exec/fixtures.h"

namespace rml {
namespace {

constexpr double kTinyTolerance = 1e-5;  // absolute, design: tiny fixtures

class GoldenTest : public testing::TestWithParam<Fixture> {
 protected:
  void SetUp() override {
    absl::StatusOr<Golden> golden = ReadGolden(GetParam().golden_path);
    ASSERT_TRUE(golden.ok()) << golden.status();
    golden_ = *std::move(golden);
  }

  // All ways of running the fixture, each with its name.
  void ForEachRun(const std::function<void(const std::string&, const std::vector<Tensor>&)>& check) {
    for (const KernelTable* kernels : AvailableKernels()) {
      for (const bool fuse : {true, false}) {
        const auto program = Program::Load(GetParam().json_path, {.fuse = fuse, .isa = kernels->isa});
        ASSERT_TRUE(program.ok()) << program.status();
        for (const int threads : {1, 2}) {
          const std::string how =
              std::string(kernels->isa) + (fuse ? " fused " : " unfused ") + std::to_string(threads) + " threads";
          const auto outputs = RunOnce(*program, golden_.inputs, threads);
          ASSERT_TRUE(outputs.ok()) << how << ": " << outputs.status();
          check(how, *outputs);
        }
      }
    }
  }

  Golden golden_;
};

TEST_P(GoldenTest, MatchesTheFramework) {
  ForEachRun([this](const std::string& how, const std::vector<Tensor>& outputs) {
    ASSERT_EQ(outputs.size(), golden_.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(outputs[i].shape(), golden_.outputs[i].shape()) << how << " output " << i;
      EXPECT_LE(MaxAbsError(outputs[i].view(), golden_.outputs[i].view()), kTinyTolerance) << how << " output " << i;
    }
  });
}

TEST_P(GoldenTest, HasTheCommittedBits) {
  std::set<std::string> digests;
  ForEachRun([&](const std::string& how, const std::vector<Tensor>& outputs) {
    digests.insert(BitsDigest(outputs));
    EXPECT_EQ(digests.size(), 1u) << how << " has other bits than the runs before it";
  });
  ASSERT_EQ(digests.size(), 1u);
  if (std::getenv("RML_UPDATE_BITS") != nullptr) std::ofstream(GetParam().bits_path) << *digests.begin() << "\n";
  std::string committed;
  std::ifstream(GetParam().bits_path) >> committed;
  EXPECT_EQ(*digests.begin(), committed) << GetParam().bits_path << " holds another digest";
}

std::string NameOf(const testing::TestParamInfo<Fixture>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Fixtures, GoldenTest, testing::ValuesIn(FindFixtures()), NameOf);

TEST(BitsDigest, TellsBitsApartButNotNaNs) {
  auto digest = [](std::vector<float> values) {
    std::vector<Tensor> tensors(1);
    tensors[0].Resize(DType::kF32, Shape{static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensors[0].data<float>().begin());
    return BitsDigest(tensors);
  };
  EXPECT_NE(digest({1.0f, 2.0f}), digest({2.0f, 1.0f}));
  EXPECT_NE(digest({0.0f}), digest({-0.0f}));
  EXPECT_NE(digest({}), digest({0.0f}));
  EXPECT_EQ(digest({std::nanf("1")}), digest({-std::nanf("2")}));
}

}  // namespace
}  // namespace rml
