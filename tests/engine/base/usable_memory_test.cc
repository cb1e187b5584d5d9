#include "engine/base/usable_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

struct MemoryCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<int64_t> expected;
};

class UsableMemoryTest : public testing::TestWithParam<MemoryCase> {};

TEST_P(UsableMemoryTest, IsTheLessOfMachineAndGroup) {
  const TemporaryFolder folder;
  for (const auto& [path, text] : GetParam().files) folder.Write(path, text);
  EXPECT_EQ(UsableMemory(folder.Path("")), GetParam().expected);
}

constexpr char kMeminfo[] = "MemTotal: 100 kB\nMemAvailable:   50 kB\nHugePages_Total:       0\nSwapFree: 2 kB\n";
const std::pair<std::string, std::string> kMachine = {"proc/meminfo", kMeminfo};
const std::pair<std::string, std::string> kUsed = {"sys/fs/cgroup/memory.current", "0"};

INSTANTIATE_TEST_SUITE_P(
    Memory, UsableMemoryTest,
    testing::Values(MemoryCase{"NothingThere", {}, std::nullopt},  //
                    MemoryCase{"Machine", {kMachine}, 52 * 1024},
                    MemoryCase{"NoAvailable", {{"proc/meminfo", "MemTotal: 100 kB\nSwapFree: 2 kB\n"}}, std::nullopt},
                    MemoryCase{"Garbage", {{"proc/meminfo", "MemAvailable: much\n"}}, std::nullopt},
                    MemoryCase{"GroupLess", {kMachine, kUsed, {"sys/fs/cgroup/memory.max", "4096"}}, 4096},
                    MemoryCase{"MachineLess", {kMachine, kUsed, {"sys/fs/cgroup/memory.max", "409600"}}, 52 * 1024},
                    MemoryCase{"GroupOnly", {kUsed, {"sys/fs/cgroup/memory.max", "4096"}}, 4096}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rml
