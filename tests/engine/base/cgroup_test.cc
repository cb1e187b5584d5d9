#include "engine/base/cgroup.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/engine/temporary_folder.h"

namespace rml {
namespace {

constexpr char kV2[] = "sys/fs/cgroup/";
constexpr char kV1Cpu[] = "sys/fs/cgroup/cpu/";
constexpr char kV1Memory[] = "sys/fs/cgroup/memory/";
constexpr char kSelf[] = "proc/self/cgroup";

using Files = std::vector<std::pair<std::string, std::string>>;

template <typename T>
struct CgroupCase {
  const char* name;
  Files files;
  std::optional<T> expected;
};

template <typename T>
void Check(const CgroupCase<T>& test, std::optional<T> (*read)(const std::string&)) {
  const TemporaryFolder folder;
  for (const auto& [path, text] : test.files) folder.Write(path, text);
  EXPECT_EQ(read(folder.Path("")), test.expected);
}

std::string V2(const char* rest) { return std::string(kV2) + rest; }
std::string V1Cpu(const char* rest) { return std::string(kV1Cpu) + rest; }
std::string V1Memory(const char* rest) { return std::string(kV1Memory) + rest; }

class CgroupCpusTest : public testing::TestWithParam<CgroupCase<double>> {};
TEST_P(CgroupCpusTest, IsTheLeastQuota) { Check(GetParam(), &CgroupCpus); }

INSTANTIATE_TEST_SUITE_P(
    Cgroup, CgroupCpusTest,
    testing::Values(
        CgroupCase<double>{"NothingThere", {}, std::nullopt},
        CgroupCase<double>{"NoSelf", {{V2("cpu.max"), "150000 100000\n"}}, 1.5},
        CgroupCase<double>{"Max", {{kSelf, "0::/\n"}, {V2("cpu.max"), "max 100000\n"}}, std::nullopt},
        CgroupCase<double>{"Own", {{kSelf, "0::/a\n"}, {V2("a/cpu.max"), "50000 100000\n"}}, 0.5},
        CgroupCase<double>{"OfAnother", {{kSelf, "0::/a\n"}, {V2("b/cpu.max"), "50000 100000\n"}}, std::nullopt},
        CgroupCase<double>{
            "NestedOuterLess",
            {{kSelf, "0::/a/b/c\n"}, {V2("a/cpu.max"), "100000 100000"}, {V2("a/b/c/cpu.max"), "400000 100000"}},
            1.0},
        CgroupCase<double>{
            "NestedInnerLess",
            {{kSelf, "0::/a/b\n"}, {V2("a/cpu.max"), "400000 100000"}, {V2("a/b/cpu.max"), "300000 100000"}},
            3.0},
        CgroupCase<double>{"PathNotVisible", {{kSelf, "0::/docker/12ab\n"}, {V2("cpu.max"), "200000 100000"}}, 2.0},
        CgroupCase<double>{"PathAboveTheRoot", {{kSelf, "0::/../../x\n"}, {V2("x/cpu.max"), "200000 100000"}}, 2.0},
        CgroupCase<double>{"PathWithColon", {{kSelf, "0::/a:b\n"}, {V2("a:b/cpu.max"), "200000 100000"}}, 2.0},
        CgroupCase<double>{"V1",
                           {{kSelf, "4:cpu,cpuacct:/\n"},
                            {V1Cpu("cpu.cfs_quota_us"), "250000\n"},
                            {V1Cpu("cpu.cfs_period_us"), "100000\n"}},
                           2.5},
        CgroupCase<double>{
            "V1None",
            {{kSelf, "4:cpu:/\n"}, {V1Cpu("cpu.cfs_quota_us"), "-1\n"}, {V1Cpu("cpu.cfs_period_us"), "100000\n"}},
            std::nullopt},
        CgroupCase<double>{"V1Nested",
                           {{kSelf, "9:name=systemd:/x\n4:cpuacct,cpu:/a/b\n0::/\n"},
                            {V1Cpu("a/cpu.cfs_quota_us"), "100000\n"},
                            {V1Cpu("a/cpu.cfs_period_us"), "100000\n"},
                            {V1Cpu("a/b/cpu.cfs_quota_us"), "-1\n"},
                            {V1Cpu("a/b/cpu.cfs_period_us"), "100000\n"}},
                           1.0},
        CgroupCase<double>{"V1WithoutPeriod", {{V1Cpu("cpu.cfs_quota_us"), "100000\n"}}, std::nullopt},
        CgroupCase<double>{"Empty", {{kSelf, ""}, {V2("cpu.max"), ""}}, std::nullopt},
        CgroupCase<double>{"Word", {{V2("cpu.max"), "lots 100000"}}, std::nullopt},
        CgroupCase<double>{"OneNumber", {{V2("cpu.max"), "100000"}}, std::nullopt},
        CgroupCase<double>{"ZeroPeriod", {{V2("cpu.max"), "100000 0"}}, std::nullopt},
        CgroupCase<double>{"ZeroQuota", {{V2("cpu.max"), "0 100000"}}, std::nullopt},
        CgroupCase<double>{"Negative", {{V2("cpu.max"), "-100000 100000"}}, std::nullopt},
        CgroupCase<double>{"TooLarge", {{V2("cpu.max"), "99999999999999999999999 100000"}}, std::nullopt},
        CgroupCase<double>{"SelfIsGarbage", {{kSelf, "\x01::\n:\n::"}, {V2("cpu.max"), "100000 100000"}}, 1.0},
        CgroupCase<double>{
            "AFolderInTheFilesPlace", {{V2("cpu.max/x"), ""}, {"proc/self/cgroup/x", ""}}, std::nullopt}),
    [](const auto& test) { return test.param.name; });

class CgroupMemoryTest : public testing::TestWithParam<CgroupCase<int64_t>> {};
TEST_P(CgroupMemoryTest, IsTheLeastThatIsLeft) { Check(GetParam(), &CgroupMemory); }

INSTANTIATE_TEST_SUITE_P(
    Cgroup, CgroupMemoryTest,
    testing::Values(
        CgroupCase<int64_t>{"NothingThere", {}, std::nullopt},
        CgroupCase<int64_t>{"Max", {{V2("memory.max"), "max"}, {V2("memory.current"), "5"}}, std::nullopt},
        CgroupCase<int64_t>{"LimitLessUsage", {{V2("memory.max"), "1000"}, {V2("memory.current"), "300"}}, 700},
        CgroupCase<int64_t>{"FilePagesAreFree",
                            {{V2("memory.max"), "1000"},
                             {V2("memory.current"), "900"},
                             {V2("memory.stat"), "anon 100\nfile 800\ninactive_file 500\nactive_file 300\n"}},
                            900},
        CgroupCase<int64_t>{
            "NoMoreThanTheLimit",
            {{V2("memory.max"), "1000"}, {V2("memory.current"), "10"}, {V2("memory.stat"), "inactive_file 500\n"}},
            1000},
        CgroupCase<int64_t>{"NeverNegative", {{V2("memory.max"), "1000"}, {V2("memory.current"), "1200"}}, 0},
        CgroupCase<int64_t>{"WithoutUsage", {{V2("memory.max"), "1000"}}, std::nullopt},
        CgroupCase<int64_t>{"NestedOuterLess",
                            {{kSelf, "0::/a/b\n"},
                             {V2("a/memory.max"), "100"},
                             {V2("a/memory.current"), "40"},
                             {V2("a/b/memory.max"), "1000"},
                             {V2("a/b/memory.current"), "40"}},
                            60},
        CgroupCase<int64_t>{"V1",
                            {{kSelf, "4:memory:/a\n"},
                             {V1Memory("a/memory.limit_in_bytes"), "1000"},
                             {V1Memory("a/memory.usage_in_bytes"), "700"},
                             {V1Memory("a/memory.stat"), "inactive_file 1\ntotal_inactive_file 100\n"}},
                            400},
        CgroupCase<int64_t>{
            "V1Unlimited",
            {{V1Memory("memory.limit_in_bytes"), "9223372036854771712"}, {V1Memory("memory.usage_in_bytes"), "700"}},
            std::nullopt},
        CgroupCase<int64_t>{"Garbage", {{V2("memory.max"), "much"}, {V2("memory.current"), "\xff"}}, std::nullopt},
        CgroupCase<int64_t>{"StatIsGarbage",
                            {{V2("memory.max"), "1000"}, {V2("memory.current"), "300"}, {V2("memory.stat"), "x\ny z"}},
                            700}),
    [](const auto& test) { return test.param.name; });

TEST(Cgroup, OfThisMachineCanBeAskedFor) {
  EXPECT_GT(CgroupCpus().value_or(1), 0);
  EXPECT_GE(CgroupMemory().value_or(0), 0);
}

}  // namespace
}  // namespace rml
