// Transposed convolutions as products, one per phase: outputs that are a stride apart read the same taps of the kernel at
// neighbouring inputs, so that each phase is a convolution of stride 1 with a part of the kernel.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/gemm/gemm.h"
#include "engine/ops/chunks.h"
#include "engine/ops/conv_patches.h"
#include "engine/ops/conv_transpose2d.h"
#include "engine/ops/conv_weights_step.h"
#include "engine/ops/transposed_window.h"

namespace rml {
namespace {

int64_t RoundUp16(int64_t n) { return (n + 15) / 16 * 16; }

// Weights w[I, group_outputs, KH, KW] as left operands: per group and pair of tap classes a matrix
// [group_outputs, (tap row, tap column, channel)].
struct PackedWeights {
  Shape shape;
  int64_t groups = 1;
  TransposedAxis h, w;  // only kernel, stride and dilation count

  int64_t group_channels() const { return shape.dim(0) / groups; }
  int64_t GroupStride() const { return shape.num_elements() / groups; }
  // Where the matrix of classes (ch, cw) begins in a group.
  int64_t Offset(int64_t ch, int64_t cw) const {
    int64_t taps = 0;
    for (int64_t c = 0; c < ch; ++c) taps += TapsOfClass(h, c) * w.kernel;
    for (int64_t c = 0; c < cw; ++c) taps += TapsOfClass(h, ch) * TapsOfClass(w, c);
    return taps * group_channels() * shape.dim(1);
  }

  void Pack(const float* source, float* packed) const {
    for (int64_t group = 0; group < groups; ++group) {
      const float* from = source + group * GroupStride();
      for (int64_t ch = 0; ch < std::min(h.kernel, TapStep(h)); ++ch) {
        for (int64_t cw = 0; cw < std::min(w.kernel, TapStep(w)); ++cw) {
          PackClasses(from, ch, cw, packed + group * GroupStride() + Offset(ch, cw));
        }
      }
    }
  }

 private:
  void PackClasses(const float* source, int64_t ch, int64_t cw, float* packed) const {
    const int64_t channel_stride = shape.dim(1) * h.kernel * w.kernel;
    for (int64_t o = 0; o < shape.dim(1); ++o) {
      for (int64_t kh = ch; kh < h.kernel; kh += TapStep(h)) {
        for (int64_t kw = cw; kw < w.kernel; kw += TapStep(w)) {
          const float* tap = source + (o * h.kernel + kh) * w.kernel + kw;
          for (int64_t c = 0; c < group_channels(); ++c) *packed++ = tap[c * channel_stride];
        }
      }
    }
  }
};

class ConvTranspose2dStep : public ConvWeightsStep {
 public:
  explicit ConvTranspose2dStep(const CompileContext& context)
      : kernels_(context.kernels),
        has_bias_(context.node.inputs.size() > 2),
        name_(absl::StrFormat("conv_transpose gemm %s %dx%d", kernels_.isa, kernels_.gemm.mr, kernels_.gemm.nr)) {}

  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundConvTranspose2d;

  const KernelTable& kernels_;
  bool has_bias_;
  std::string name_;
};

// One product: the phases whose outputs read the image alike, with their weights one below the other.
struct PhaseProduct {
  ConvGeometry geometry;
  bool direct = false;                                     // reads the image as it is
  int64_t weights = 0;                                     // offset in a group's packed weights
  std::vector<std::pair<int64_t, int64_t>> first_outputs;  // (row, column) of each phase
};

class BoundConvTranspose2d : public BoundStep {
 public:
  BoundConvTranspose2d(const ConvTranspose2dStep& step, const BindContext& context)
      : step_(step), x_(context.inputs[0]), y_shape_(context.outputs[0].shape) {
    const Shape& w = context.inputs[1].shape;
    window_ = *MakeTransposedWindow(context.attrs, x_.shape.dim(2), x_.shape.dim(3), w.dim(2), w.dim(3));
    weights_ = {w, context.attrs.Int("groups"), window_.h, window_.w};
    products_ = x_.shape.dim(0) * weights_.groups;
    // Without gaps between a phase's outputs a product writes to y itself.
    in_place_ = window_.h.stride == 1 && window_.w.stride == 1;
    if (y_shape_.num_elements() > 0) {
      for (const AxisPhase& row : PhasesOf(window_.h)) {
        for (const AxisPhase& column : PhasesOf(window_.w)) AddPhase(row, column);
      }
      SetScratch(std::max(1, context.max_width));
    }
    const auto inputs = static_cast<double>(x_.shape.num_elements());
    cost_ = {.flops = 2 * inputs * static_cast<double>(w.dim(1) * w.dim(2) * w.dim(3)),
             .bytes = 4 * (inputs + static_cast<double>(y_shape_.num_elements() + w.num_elements()))};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    if (y_shape_.num_elements() == 0) return absl::OkStatus();
    const int output = step_.has_bias_ ? 3 : 2;
    auto* scratch = scratch_floats_ > 0 ? static_cast<float*>(operands[output + 1]) : nullptr;
    const auto* weights = step_.prepared_weights();
    if (!step_.has_prepared_weights()) {
      weights_.Pack(static_cast<const float*>(operands[1]), scratch);
      weights = scratch;
      scratch += weight_floats_;
    }
    const Operands of = {static_cast<const float*>(operands[0]), weights,
                         step_.has_bias_ ? static_cast<const float*>(operands[2]) : nullptr,
                         static_cast<float*>(operands[output])};
    // Enough images and groups for all threads run side by side; few share each product's columns among them.
    if (context.pool != nullptr && context.width > 1 && products_ >= 2 * context.width) {
      context.pool->ParallelFor(products_, context.width,
                                [&](int64_t i, int slot) { RunGroup(i, of, scratch + slot * floats_per_slot_, {}); });
    } else {
      for (int64_t i = 0; i < products_; ++i) RunGroup(i, of, scratch, context);
    }
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return scratch_floats_ * kElementBytes; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.name_.c_str(); }

 private:
  struct Operands {
    const float* x;
    const float* weights;
    const float* bias;  // or nullptr
    float* y;
  };

  int64_t group_outputs() const { return weights_.shape.dim(1); }

  void AddPhase(const AxisPhase& row, const AxisPhase& column) {
    PhaseProduct product;
    product.geometry = {.channels = weights_.group_channels(),
                        .height = x_.shape.dim(2),
                        .width = x_.shape.dim(3),
                        .channel_stride = x_.strides[1],
                        .row_stride = x_.strides[2],
                        .kernel_h = row.taps,
                        .kernel_w = column.taps,
                        .pad_top = -row.first_input,
                        .pad_left = -column.first_input,
                        .dilation_h = row.input_step,
                        .dilation_w = column.input_step,
                        .out_height = row.outputs,
                        .out_width = column.outputs};
    const ConvGeometry& g = product.geometry;
    product.weights = weights_.Offset(row.tap_class, column.tap_class);
    product.first_outputs = {{row.first_output, column.first_output}};
    product.direct = g.kernel_h == 1 && g.kernel_w == 1 && g.pad_top == 0 && g.pad_left == 0 &&
                     g.out_height == g.height && g.out_width == g.width && (g.row_stride == g.width || g.height == 1) &&
                     g.channel_stride >= 0;
    if (!phases_.empty()) {
      PhaseProduct& last = phases_.back();
      const auto stacked = static_cast<int64_t>(last.first_outputs.size());
      if (last.geometry == g && product.weights == last.weights + stacked * group_outputs() * g.K()) {
        last.first_outputs.push_back(product.first_outputs[0]);
        return;
      }
    }
    phases_.push_back(std::move(product));
  }

  static int64_t Rows(const PhaseProduct& phase, int64_t outputs) {
    return static_cast<int64_t>(phase.first_outputs.size()) * outputs;
  }

  void SetScratch(int width) {
    int64_t one = 0, all = 0;  // of a product, on one thread and on all
    for (const PhaseProduct& phase : phases_) {
      const GemmBForm form = phase.direct ? GemmBForm::kStrided : GemmBForm::kFilled;
      const int64_t M = Rows(phase, group_outputs()), N = phase.geometry.N(), K = phase.geometry.K();
      one = std::max(one, GemmScratchFloats(step_.kernels_, form, M, N, K, 1));
      all = std::max(all, GemmScratchFloats(step_.kernels_, form, M, N, K, width));
      if (!in_place_) result_floats_ = std::max(result_floats_, RoundUp16(M * N));
    }
    weight_floats_ = step_.has_prepared_weights() ? 0 : RoundUp16(weights_.shape.num_elements());
    floats_per_slot_ = result_floats_ + RoundUp16(one);
    scratch_floats_ = weight_floats_ + std::max(floats_per_slot_ * width, result_floats_ + all);
  }

  // Product i: image i / groups, group i % groups.
  void RunGroup(int64_t i, const Operands& of, float* scratch, const RunContext& context) const {
    const int64_t group = i % weights_.groups;
    const float* image = of.x + i / weights_.groups * x_.strides[0] + group * weights_.group_channels() * x_.strides[1];
    const float* bias = of.bias == nullptr ? nullptr : of.bias + group * group_outputs();
    float* y = of.y + i * group_outputs() * y_shape_.dim(2) * y_shape_.dim(3);
    for (const PhaseProduct& phase : phases_) {
      const int64_t K = phase.geometry.K(), N = phase.geometry.N();
      GemmArgs args{.M = Rows(phase, group_outputs()),
                    .N = N,
                    .K = K,
                    .A = {of.weights + group * weights_.GroupStride() + phase.weights, K, 1},
                    .C = in_place_ ? y : scratch,
                    .ldc = N};
      if (in_place_) args.epilogue.row_bias = bias;
      const auto fill = [&](const PanelRequest& request) { FillPatches(phase.geometry, image, request); };
      const GemmThreads threads = {context.pool, context.width};
      if (phase.direct) {
        Gemm(step_.kernels_, args, StridedMatrix{image, phase.geometry.channel_stride, 1}, scratch + result_floats_,
             threads);
      } else {
        Gemm(step_.kernels_, args, PanelFiller(fill), scratch + result_floats_, threads);
      }
      if (!in_place_) Spread(phase, scratch, bias, y, context);
    }
  }

  // Row (phase, o) of a product's result to its outputs, which lie a stride apart; + bias[o], as the product would.
  void Spread(const PhaseProduct& phase, const float* result, const float* bias, float* y,
              const RunContext& context) const {
    const int64_t N = phase.geometry.N();
    const int64_t columns = phase.geometry.out_width, step = window_.w.stride;
    ForRows(context, Rows(phase, group_outputs()), RowsPerChunk(N), [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin; row < end; ++row) {
        const auto& [top, left] = phase.first_outputs[row / group_outputs()];
        const int64_t o = row % group_outputs();
        const float* source = result + row * N;
        for (int64_t r = 0; r < phase.geometry.out_height; ++r, source += columns) {
          const int64_t line = o * y_shape_.dim(2) + top + r * window_.h.stride;
          float* target = y + line * y_shape_.dim(3) + left;
          if (bias == nullptr) {
            for (int64_t j = 0; j < columns; ++j) target[j * step] = source[j];
          } else {
            for (int64_t j = 0; j < columns; ++j) target[j * step] = source[j] + bias[o];
          }
        }
      }
    });
  }

  const ConvTranspose2dStep& step_;
  View x_;
  Shape y_shape_;
  TransposedWindow window_;
  PackedWeights weights_;
  std::vector<PhaseProduct> phases_;
  int64_t products_ = 0;
  bool in_place_ = false;
  int64_t weight_floats_ = 0;    // of scratch, for weights that are no constant
  int64_t result_floats_ = 0;    // of scratch, for a product's result
  int64_t floats_per_slot_ = 0;  // of scratch, when products run side by side
  int64_t scratch_floats_ = 0;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> ConvTranspose2dStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundConvTranspose2d>(*this, context);
}

// Whether an attribute that the packing depends on changes with the row count.
bool PackingIsFixed(const Node& node) {
  for (const auto& [name, value] : node.attrs) {
    if (name != "strides" && name != "dilations" && name != "groups") continue;
    if (const auto* dim = std::get_if<Dim>(&value); dim != nullptr && dim->symbolic()) return false;
    const auto* dims = std::get_if<std::vector<Dim>>(&value);
    if (dims != nullptr && std::any_of(dims->begin(), dims->end(), [](const Dim& d) { return d.symbolic(); })) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> CompileConvTranspose2d(const CompileContext& context) {
  auto step = std::make_unique<ConvTranspose2dStep>(context);
  const std::optional<ConstTensorView>& weights = context.constants[1];
  if (!weights || !PackingIsFixed(context.node)) return step;
  const auto axis = [&](int i) {
    return TransposedAxis{.kernel = weights->shape.dim(2 + i),
                          .stride = context.attrs.Ints("strides")[i],
                          .dilation = context.attrs.Ints("dilations")[i]};
  };
  const PackedWeights packing{weights->shape, context.attrs.Int("groups"), axis(0), axis(1)};
  RETURN_IF_ERROR(step->Prepare(*weights, [&](const float* source, float* packed) { packing.Pack(source, packed); }));
  return step;
}

}  // namespace rml
