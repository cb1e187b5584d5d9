#include "engine/ops/fused_program.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/ops/layout.h"

namespace rml {
namespace {

constexpr int64_t kTile = 512;
// Element-instructions a chunk: some 10 us of work, which pays for waking a thread.
constexpr int64_t kChunkWork = 64 << 10;

// Operands of an instruction once tile buffers are assigned.
struct Slot {
  enum class Kind : uint8_t { kTileBuffer, kInput, kOutput };
  Kind kind = Kind::kTileBuffer;
  int index = 0;
};

struct Instruction {
  UnaryFn unary = nullptr;
  const BinaryFns* binary = nullptr;
  Slot a{}, b{}, result{};
};

// A program with tile buffers assigned: a buffer is used again once its value has been read last.
struct Schedule {
  std::vector<Instruction> instructions;
  int num_inputs = 0;
  int num_outputs = 0;
  int num_buffers = 0;
  std::vector<int> last_read;  // per input: the instruction that reads it last, -1 if none
  int first_output_written_by = 0;
};

class Scheduler {
 public:
  explicit Scheduler(const FusedProgram& program) : program_(program) {}

  Schedule Run() {
    const int count = static_cast<int>(program_.instructions.size());
    schedule_.num_inputs = program_.num_inputs;
    schedule_.num_outputs = program_.num_outputs;
    schedule_.last_read.assign(program_.num_inputs, -1);
    results_.resize(count);
    last_use_.assign(count, -1);
    for (int i = 0; i < count; ++i) {
      NoteRead(program_.instructions[i].a, i);
      if (program_.instructions[i].binary != nullptr) NoteRead(program_.instructions[i].b, i);
    }
    for (int i = 0; i < count; ++i) Add(i);
    return std::move(schedule_);
  }

 private:
  void NoteRead(const FusedOperand& operand, int by) {
    (operand.is_input ? schedule_.last_read : last_use_)[operand.index] = by;
  }

  void Add(int i) {
    const FusedInstruction& source = program_.instructions[i];
    Instruction instruction{.unary = source.unary, .binary = source.binary, .a = SlotOf(source.a)};
    Release(source.a, i);
    if (source.binary != nullptr) {
      instruction.b = SlotOf(source.b);
      Release(source.b, i);
    }
    if (source.output >= 0) {
      instruction.result = {Slot::Kind::kOutput, source.output};
      if (source.output == 0) schedule_.first_output_written_by = i;
    } else {
      if (free_.empty()) free_.push_back(schedule_.num_buffers++);
      instruction.result = {Slot::Kind::kTileBuffer, free_.back()};
      free_.pop_back();
    }
    results_[i] = instruction.result;
    schedule_.instructions.push_back(instruction);
  }

  Slot SlotOf(const FusedOperand& operand) const {
    return operand.is_input ? Slot{Slot::Kind::kInput, operand.index} : results_[operand.index];
  }

  // Kernels may write over what they read, so a buffer read here for the last time can hold this result.
  void Release(const FusedOperand& operand, int by) {
    if (operand.is_input || last_use_[operand.index] != by) return;
    const Slot& slot = results_[operand.index];
    if (slot.kind != Slot::Kind::kTileBuffer) return;
    if (std::find(free_.begin(), free_.end(), slot.index) == free_.end()) free_.push_back(slot.index);
  }

  const FusedProgram& program_;
  Schedule schedule_;
  std::vector<Slot> results_;
  std::vector<int> last_use_;
  std::vector<int> free_;
};

// The output as rows x cols, with each input's offset per row and whether it runs along the row or repeats one value.
struct Loops {
  int outer_rank = 0;
  std::array<int64_t, kMaxRank> outer_dims{};
  int64_t rows = 1;
  int64_t cols = 1;
  struct Input {
    Strides outer_strides{};
    bool repeats = false;  // one value per row
  };
  std::vector<Input> inputs;
};

// Strides of `view` seen with the output's rank: right-aligned, 0 where it repeats.
Strides AlignedStrides(const View& view, const Shape& output) {
  Strides strides{};
  const int shift = view.shape.rank() - output.rank();
  for (int i = 0; i < output.rank(); ++i) {
    const int from = i + shift;
    if (from >= 0 && view.shape.dim(from) != 1) strides[i] = view.strides[from];
  }
  return strides;
}

Loops MakeLoops(absl::Span<const View> inputs, const Shape& output) {
  std::vector<Strides> strides;
  for (const View& input : inputs) strides.push_back(AlignedStrides(input, output));
  // Merge from the inside: an axis joins the one inside it if every input lies evenly across both.
  std::array<int64_t, kMaxRank> dims{};
  std::vector<Strides> merged(inputs.size());
  int rank = 0;  // merged axes, innermost first
  for (int axis = output.rank() - 1; axis >= 0; --axis) {
    const int64_t dim = output.dim(axis);
    if (dim == 1) continue;
    bool joins = rank > 0;
    for (size_t i = 0; joins && i < inputs.size(); ++i) {
      joins = strides[i][axis] == merged[i][rank - 1] * dims[rank - 1];
    }
    if (joins) {
      dims[rank - 1] *= dim;
      continue;
    }
    for (size_t i = 0; i < inputs.size(); ++i) merged[i][rank] = strides[i][axis];
    dims[rank++] = dim;
  }
  Loops loops;
  loops.inputs.resize(inputs.size());
  if (rank > 0) loops.cols = dims[0];
  for (size_t i = 0; i < inputs.size(); ++i) loops.inputs[i].repeats = rank == 0 || merged[i][0] == 0;
  for (int d = rank - 1; d >= 1; --d) {
    loops.outer_dims[loops.outer_rank] = dims[d];
    for (size_t i = 0; i < inputs.size(); ++i) loops.inputs[i].outer_strides[loops.outer_rank] = merged[i][d];
    ++loops.outer_rank;
    loops.rows *= dims[d];
  }
  return loops;
}

class BoundFused : public BoundStep {
 public:
  BoundFused(const Schedule& schedule, const BindContext& context)
      : schedule_(schedule), loops_(MakeLoops(context.inputs, context.outputs[0].shape)) {
    const auto work = static_cast<int64_t>(schedule_.instructions.size());
    tile_cols_ = std::min(loops_.cols, kTile);
    tiles_per_row_ = tile_cols_ == 0 ? 0 : (loops_.cols + tile_cols_ - 1) / tile_cols_;
    tiles_per_chunk_ = std::max<int64_t>(1, kChunkWork / std::max<int64_t>(1, tile_cols_ * work));
    slot_floats_ = schedule_.num_buffers * kTile;
    scratch_bytes_ = slot_floats_ * kElementBytes * context.max_width;
    const double elements = static_cast<double>(loops_.rows) * static_cast<double>(loops_.cols);
    cost_.flops = elements * static_cast<double>(work) * 4;  // a transcendental is some ten, an add one
    cost_.bytes = elements * kElementBytes * schedule_.num_outputs;
    for (const View& input : context.inputs) cost_.bytes += static_cast<double>(input.shape.num_bytes());
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const int64_t tiles = loops_.rows * tiles_per_row_;
    const int64_t chunks = (tiles + tiles_per_chunk_ - 1) / tiles_per_chunk_;
    auto body = [&](int64_t chunk, int slot) {
      const int64_t end = std::min(tiles, (chunk + 1) * tiles_per_chunk_);
      float* buffers =
          scratch_bytes_ == 0
              ? nullptr
              : static_cast<float*>(operands[schedule_.num_inputs + schedule_.num_outputs]) + slot * slot_floats_;
      for (int64_t tile = chunk * tiles_per_chunk_; tile < end; ++tile) RunTile(tile, operands, buffers);
    };
    if (context.pool != nullptr && context.width > 1) {
      context.pool->ParallelFor(chunks, context.width, body);
    } else {
      for (int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk, 0);
    }
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return "elementwise"; }

 private:
  // Pointers of one tile: outputs and full inputs at the tile's first element, repeating inputs at their value.
  struct Tile {
    void* const* operands;
    float* buffers;
    int64_t row;
    int64_t col;
    int64_t n;
  };

  const float* InputAt(const Tile& tile, int index) const {
    const Loops::Input& input = loops_.inputs[index];
    int64_t offset = input.repeats ? 0 : tile.col;
    int64_t row = tile.row;
    for (int d = loops_.outer_rank - 1; d > 0; --d) {
      offset += row % loops_.outer_dims[d] * input.outer_strides[d];
      row /= loops_.outer_dims[d];
    }
    return static_cast<const float*>(tile.operands[index]) + offset + row * input.outer_strides[0];
  }

  float* ResultAt(const Tile& tile, const Slot& slot) const {
    if (slot.kind == Slot::Kind::kTileBuffer) return tile.buffers + slot.index * kTile;
    return static_cast<float*>(tile.operands[schedule_.num_inputs + slot.index]) + tile.row * loops_.cols + tile.col;
  }

  const float* SourceAt(const Tile& tile, const Slot& slot) const {
    return slot.kind == Slot::Kind::kInput ? InputAt(tile, slot.index) : ResultAt(tile, slot);
  }

  bool Repeats(const Slot& slot) const { return slot.kind == Slot::Kind::kInput && loops_.inputs[slot.index].repeats; }

  void RunTile(int64_t index, void* const* operands, float* buffers) const {
    Tile tile{operands, buffers, index, 0, tile_cols_};
    if (tiles_per_row_ != 1) {
      tile.row = index / tiles_per_row_;
      tile.col = index % tiles_per_row_ * tile_cols_;
      tile.n = std::min(tile_cols_, loops_.cols - tile.col);
    }
    for (const Instruction& instruction : schedule_.instructions) {
      const float* a = SourceAt(tile, instruction.a);
      float* y = ResultAt(tile, instruction.result);
      if (instruction.binary != nullptr) {
        RunBinary(*instruction.binary, a, Repeats(instruction.a), SourceAt(tile, instruction.b), Repeats(instruction.b),
                  tile.n, y);
      } else if (Repeats(instruction.a)) {
        if (instruction.unary != nullptr)
          instruction.unary(a, 1, y);
        else
          *y = *a;
        std::fill_n(y + 1, tile.n - 1, *y);
      } else if (instruction.unary != nullptr) {
        instruction.unary(a, tile.n, y);
      } else if (y != a) {
        std::copy_n(a, tile.n, y);
      }
    }
  }

  static void RunBinary(const BinaryFns& fns, const float* a, bool a_repeats, const float* b, bool b_repeats, int64_t n,
                        float* y) {
    if (a_repeats && b_repeats) {
      fns.vs(a, *b, 1, y);
      std::fill_n(y + 1, n - 1, *y);
    } else if (a_repeats) {
      fns.sv(*a, b, n, y);
    } else if (b_repeats) {
      fns.vs(a, *b, n, y);
    } else {
      fns.vv(a, b, n, y);
    }
  }

  const Schedule& schedule_;  // the step's, which outlives every plan
  Loops loops_;
  int64_t tile_cols_ = 0;
  int64_t tiles_per_row_ = 0;
  int64_t tiles_per_chunk_ = 1;
  int64_t slot_floats_ = 0;
  int64_t scratch_bytes_ = 0;
  StepCost cost_;
};

class FusedStep : public Step {
 public:
  explicit FusedStep(const FusedProgram& program) : schedule_(Scheduler(program).Run()) {}

  bool ReadsInPlace(int, const View& input) const override { return InnermostDenseOrRepeated(input); }

  bool CanOverwrite(int index) const override {
    return schedule_.last_read[index] <= schedule_.first_output_written_by;
  }

  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override {
    return std::make_unique<BoundFused>(schedule_, context);
  }

 private:
  Schedule schedule_;
};

}  // namespace

std::unique_ptr<Step> MakeFusedStep(const FusedProgram& program) { return std::make_unique<FusedStep>(program); }

}  // namespace rml
