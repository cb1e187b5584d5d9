// The micro-kernels keep their accumulators in registers: no instruction of a loop with fused multiply-adds writes to the
// stack. Reads this program's own machine code with objdump.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "engine/kernels/kernel_table.h"

namespace rml {
namespace {

struct Instruction {
  uint64_t address;
  std::string text;
};

struct Function {
  std::string name;
  std::vector<Instruction> code;
};

std::vector<Function> GemmTiles() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen("objdump -d -C --no-show-raw-insn /proc/$PPID/exe 2>/dev/null", "r"), pclose);
  std::vector<Function> functions;
  bool wanted = false;
  char line[4096];
  while (pipe != nullptr && std::fgets(line, sizeof(line), pipe.get()) != nullptr) {
    const std::string text = line;
    if (text.find(">:") != std::string::npos) {
      wanted = text.find("::GemmTile<") != std::string::npos || text.find("::GemmRow<") != std::string::npos;
      if (wanted) functions.push_back({text, {}});
    } else if (const size_t colon = text.find(':'); wanted && colon != std::string::npos) {
      functions.back().code.push_back({std::strtoull(text.c_str(), nullptr, 16), text.substr(colon + 1)});
    }
  }
  return functions;
}

// The instructions of every loop that has an FMA and no other jump in it.
std::vector<std::vector<Instruction>> FmaLoops(const Function& function) {
  static const std::regex jump(R"(\bj\w+\s+([0-9a-f]+) )");
  std::vector<std::vector<Instruction>> loops;
  for (size_t end = 0; end < function.code.size(); ++end) {
    std::smatch match;
    if (!std::regex_search(function.code[end].text, match, jump)) continue;
    const uint64_t target = std::strtoull(match[1].str().c_str(), nullptr, 16);
    if (target > function.code[end].address || target < function.code.front().address) continue;
    std::vector<Instruction> body;
    bool has_fma = false;
    int jumps = 0;
    for (const Instruction& instruction : function.code) {
      if (instruction.address < target || instruction.address > function.code[end].address) continue;
      body.push_back(instruction);
      has_fma |= instruction.text.find("vfmadd") != std::string::npos;
      jumps += std::regex_search(instruction.text, jump) ? 1 : 0;
    }
    if (has_fma && jumps == 1) loops.push_back(std::move(body));
  }
  return loops;
}

TEST(DisassemblyTest, NoStackStoresInTheKLoop) {
  // Sanitizers store to the stack around every load, and so does code that is not optimised: neither is what ships.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "instrumented or not optimised";
#endif
  // binutils comes with the compiler, but a binary may be run where there is none, or stripped.
  if (std::system("objdump --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "objdump is not installed";
  const std::vector<Function> tiles = GemmTiles();
  if (tiles.empty()) GTEST_SKIP() << "no symbols in this program";
  static const std::regex stack_store(R"(\bv?mov\w*\s+%\w+,.*\(%r[sb]p)");
  for (const Function& tile : tiles) {
    const auto loops = FmaLoops(tile);
    EXPECT_FALSE(loops.empty()) << tile.name;
    for (const auto& loop : loops) {
      for (const Instruction& instruction : loop) {
        EXPECT_FALSE(std::regex_search(instruction.text, stack_store)) << tile.name << instruction.text;
      }
    }
  }
  EXPECT_EQ(tiles.size(), 2u * 5 + 4 + 2 * 11 + 4) << "tiles of two widths and rows, for AVX2 and AVX-512";
}

}  // namespace
}  // namespace rml
