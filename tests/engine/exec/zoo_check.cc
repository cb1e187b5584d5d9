// zoo_check DIR MODEL: the exports of one model at batches 1, 2 and 8 (DIR/MODEL_b1/1/model.json and so on) against the
// framework and against each other. Prints one JSON line; exit code 0 if all holds, 1 if not (reasons on stderr).
//
//   golden  each batch, fused and unfused, within the golden file's tolerance of the framework's outputs
//   bits    equal on avx2 and avx512 (portable is for tiny models), on 1 thread and 2, fused and unfused
//   rows    each row of batch 8 has the bits of that row alone, where outputs have one row per row of the inputs
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/kernels/dispatch.h"
#include "tests/engine/exec/fixtures.h"

namespace rml {
namespace {

class ZooCheck {
 public:
  ZooCheck(std::string dir, std::string model) : dir_(std::move(dir)), model_(std::move(model)) {}

  bool Run() {
    for (const int batch : {1, 2, 8}) CheckBatch(batch);
    CheckRows();
    std::vector<std::string> digests;
    for (const auto& [batch, digest] : digests_) digests.push_back(absl::StrCat("\"", batch, "\":\"", digest, "\""));
    std::printf("{\"model\":\"%s\",\"worst\":%.3g,\"rows_compared\":%d,\"digests\":{%s}}\n", model_.c_str(), worst_,
                rows_compared_, absl::StrJoin(digests, ",").c_str());
    for (const std::string& problem : problems_) std::fprintf(stderr, "%s: %s\n", model_.c_str(), problem.c_str());
    return problems_.empty();
  }

 private:
  std::string PathOf(int batch, const char* file) const {
    return absl::StrCat(dir_, "/", model_, "_b", batch, "/1/", file);
  }

  void Fail(std::string problem) { problems_.push_back(std::move(problem)); }

  void CheckBatch(int batch) {
    absl::StatusOr<Golden> golden = ReadGolden(PathOf(batch, "golden.safetensors"));
    if (!golden.ok()) return Fail(golden.status().ToString());
    std::set<std::string> digests;
    for (const KernelTable* kernels : AvailableKernels()) {
      if (std::strcmp(kernels->isa, "portable") == 0) continue;
      for (const bool fuse : {true, false}) {
        const auto program = Program::Load(PathOf(batch, "model.json"), {.fuse = fuse, .isa = kernels->isa});
        if (!program.ok()) return Fail(program.status().ToString());
        for (const int threads : {1, 2}) {
          auto outputs = RunOnce(*program, golden->inputs, threads);
          if (!outputs.ok()) return Fail(outputs.status().ToString());
          digests.insert(BitsDigest(*outputs));
          CompareWithFramework(batch, *golden, *outputs);
          outputs_[batch] = *std::move(outputs);
        }
      }
    }
    if (digests.size() != 1) Fail(absl::StrCat("batch ", batch, ": bits differ: ", absl::StrJoin(digests, ", ")));
    digests_[batch] = *digests.begin();
    goldens_[batch] = *std::move(golden);
  }

  void CompareWithFramework(int batch, const Golden& golden, const std::vector<Tensor>& outputs) {
    const auto errors = CompareOutputs(Views(outputs), golden);
    if (!errors.ok()) return Fail(errors.status().ToString());
    for (size_t i = 0; i < errors->size(); ++i) {
      const auto& [error, allowed] = (*errors)[i];
      worst_ = std::max(worst_, error / allowed);
      if (!(error <= allowed)) {
        Fail(absl::StrCat("batch ", batch, " output ", i, ": error ", error, "; expected at most ", allowed));
      }
    }
  }

  static bool HasRows(const Tensor& one, const Tensor& many) {
    Shape shape = one.shape();
    if (shape.rank() == 0 || shape.dim(0) == 0 || many.shape().rank() != shape.rank()) return false;
    shape.set_dim(0, 8 * shape.dim(0));
    return shape == many.shape();
  }

  // Runs batch 1 on each row of batch 8's inputs.
  void CheckRows() {
    if (goldens_.size() != 3) return;
    const auto program = Program::Load(PathOf(1, "model.json"));
    if (!program.ok()) return Fail(program.status().ToString());
    for (int row = 0; row < 8; ++row) {
      std::vector<Tensor> inputs;
      for (size_t i = 0; i < goldens_[1].inputs.size(); ++i) {
        const Tensor& one = goldens_[1].inputs[i];
        const Tensor& many = goldens_[8].inputs[i];
        if (!HasRows(one, many)) {
          inputs.push_back(many.Clone());
          continue;
        }
        const auto* source = static_cast<const char*>(many.raw()) + row * one.shape().num_bytes();
        inputs.push_back(Tensor::Copy({one.dtype(), one.shape(), source}));
      }
      const auto outputs = RunOnce(*program, inputs, 1);
      if (!outputs.ok()) return Fail(outputs.status().ToString());
      for (size_t i = 0; i < outputs->size(); ++i) CompareRow(row, i, (*outputs)[i]);
    }
  }

  void CompareRow(int row, size_t output, const Tensor& alone) {
    const Tensor& batch = outputs_[8][output];
    if (!HasRows(alone, batch)) return;
    ++rows_compared_;
    const auto* in_batch = static_cast<const char*>(batch.raw()) + row * alone.shape().num_bytes();
    if (std::memcmp(in_batch, alone.raw(), alone.shape().num_bytes()) != 0) {
      Fail(absl::StrCat("row ", row, " of output ", output, " has other bits alone than in a batch of 8"));
    }
  }

  std::string dir_;
  std::string model_;
  std::map<int, Golden> goldens_;
  std::map<int, std::vector<Tensor>> outputs_;
  std::map<int, std::string> digests_;
  double worst_ = 0;  // error over what is allowed
  int rows_compared_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace
}  // namespace rml

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: zoo_check DIR MODEL\n");
    return 2;
  }
  return rml::ZooCheck(argv[1], argv[2]).Run() ? 0 : 1;
}
