#include "engine/ops/conv2d_step.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"
#include "engine/gemm/gemm.h"
#include "engine/ops/conv2d.h"
#include "engine/ops/conv_patches.h"
#include "engine/ops/conv_weights_step.h"

namespace rml {
namespace {

// w[O, ic, taps] as the left operand [O, taps, ic].
void ReorderWeights(const KernelTable& kernels, const float* w, const Shape& shape, float* packed) {
  const int64_t channels = shape.dim(1);
  const int64_t taps = shape.dim(2) * shape.dim(3);
  for (int64_t o = 0; o < shape.dim(0); ++o) {
    kernels.transpose(w + o * channels * taps, channels, taps, taps, packed + o * channels * taps, channels);
  }
}

class Conv2dStep : public ConvWeightsStep {
 public:
  Conv2dStep(const CompileContext& context, const ConvEpilogue& epilogue)
      : kernels_(context.kernels),
        epilogue_(epilogue),
        has_bias_(context.node.inputs.size() > 2),
        name_(absl::StrFormat("conv gemm %s %dx%d", kernels_.isa, kernels_.gemm.mr, kernels_.gemm.nr)) {}

  absl::StatusOr<std::unique_ptr<BoundStep>> Bind(const BindContext& context) const override;

 private:
  friend class BoundConv2d;

  const KernelTable& kernels_;
  ConvEpilogue epilogue_;
  bool has_bias_;
  std::string name_;
};

class BoundConv2d : public BoundStep {
 public:
  BoundConv2d(const Conv2dStep& step, const BindContext& context) : step_(step), w_shape_(context.inputs[1].shape) {
    const View& x = context.inputs[0];
    const Shape& y = context.outputs[0].shape;
    SetGeometry(context.attrs, x, y);
    groups_ = context.attrs.Int("groups");
    images_ = y.dim(0);
    group_outputs_ = w_shape_.dim(0) / groups_;
    image_stride_ = x.strides[0];
    // A kernel of one pixel at stride 1 reads the image as it is.
    ConvGeometry whole = geometry_;
    whole.kernel_h = whole.kernel_w = whole.stride_h = whole.stride_w = 1;
    whole.pad_top = whole.pad_left = 0;
    const bool dense_plane = geometry_.row_stride == geometry_.width || geometry_.height == 1;
    direct_ = whole == geometry_ && geometry_.out_height == geometry_.height &&
              geometry_.out_width == geometry_.width && dense_plane && geometry_.channel_stride >= 0;

    const GemmBForm form = direct_ ? GemmBForm::kStrided : GemmBForm::kFilled;
    const int width = std::max(1, context.max_width);
    const auto floats = [&](int threads) {
      return GemmScratchFloats(step.kernels_, form, group_outputs_, geometry_.N(), geometry_.K(), threads);
    };
    weight_floats_ = step.has_prepared_weights() ? 0 : (w_shape_.num_elements() + 15) / 16 * 16;
    floats_per_slot_ = (floats(1) + 15) / 16 * 16;
    scratch_floats_ = weight_floats_ + std::max(floats_per_slot_ * width, floats(width));
    if (y.num_elements() == 0) scratch_floats_ = 0;
    const auto outputs = static_cast<double>(y.num_elements());
    cost_ = {.flops = 2 * outputs * static_cast<double>(geometry_.K()),
             .bytes = 4 * (outputs + static_cast<double>(x.shape.num_elements() + w_shape_.num_elements()))};
  }

  absl::Status Run(void* const* operands, const RunContext& context) const override {
    const int output = step_.has_bias_ ? 3 : 2;
    auto* y = static_cast<float*>(operands[output]);
    if (images_ * group_outputs_ * groups_ * geometry_.N() == 0) return absl::OkStatus();
    auto* scratch = scratch_floats_ > 0 ? static_cast<float*>(operands[output + 1]) : nullptr;
    const auto* weights = step_.prepared_weights();
    if (!step_.has_prepared_weights()) {
      ReorderWeights(step_.kernels_, static_cast<const float*>(operands[1]), w_shape_, scratch);
      weights = scratch;
      scratch += weight_floats_;
    }
    const float* bias = step_.has_bias_ ? static_cast<const float*>(operands[2]) : step_.epilogue_.bias;
    const auto* x = static_cast<const float*>(operands[0]);
    const auto product = [&](int64_t i, float* product_scratch, GemmThreads threads) {
      RunProduct(i, x, weights, bias, y, product_scratch, threads);
    };
    // Enough products for all threads run side by side; few share each product's columns among them.
    const int64_t products = images_ * groups_;
    if (context.pool != nullptr && context.width > 1 && products >= 2 * context.width) {
      context.pool->ParallelFor(products, context.width,
                                [&](int64_t i, int slot) { product(i, scratch + slot * floats_per_slot_, {}); });
    } else {
      for (int64_t i = 0; i < products; ++i) product(i, scratch, {context.pool, context.width});
    }
    return absl::OkStatus();
  }

  int64_t scratch_bytes() const override { return scratch_floats_ * kElementBytes; }
  StepCost cost() const override { return cost_; }
  const char* kernel() const override { return step_.name_.c_str(); }

 private:
  void SetGeometry(const OpAttrs& attrs, const View& x, const Shape& y) {
    const auto& strides = attrs.Ints("strides");
    const auto& pads = attrs.Ints("pads");
    const auto& dilations = attrs.Ints("dilations");
    geometry_ = {.channels = w_shape_.dim(1),
                 .height = x.shape.dim(2),
                 .width = x.shape.dim(3),
                 .channel_stride = x.strides[1],
                 .row_stride = x.strides[2],
                 .kernel_h = w_shape_.dim(2),
                 .kernel_w = w_shape_.dim(3),
                 .stride_h = strides[0],
                 .stride_w = strides[1],
                 .pad_top = pads[0],
                 .pad_left = pads[1],
                 .dilation_h = dilations[0],
                 .dilation_w = dilations[1],
                 .out_height = y.dim(2),
                 .out_width = y.dim(3)};
  }

  // Product i: image i / groups, group i % groups.
  void RunProduct(int64_t i, const float* x, const float* weights, const float* bias, float* y, float* scratch,
                  GemmThreads threads) const {
    const int64_t group = i % groups_;
    const int64_t first_output = group * group_outputs_;
    const float* image = x + i / groups_ * image_stride_ + group * geometry_.channels * geometry_.channel_stride;
    const int64_t K = geometry_.K();
    const int64_t N = geometry_.N();
    GemmArgs args{.M = group_outputs_,
                  .N = N,
                  .K = K,
                  .A = {weights + first_output * K, K, 1},
                  .C = y + i * group_outputs_ * N,
                  .ldc = N};
    args.epilogue.row_bias = bias == nullptr ? nullptr : bias + first_output;
    args.epilogue.activation = step_.epilogue_.activation;
    const auto fill = [&](const PanelRequest& request) { FillPatches(geometry_, image, request); };
    if (direct_) {
      Gemm(step_.kernels_, args, StridedMatrix{image, geometry_.channel_stride, 1}, scratch, threads);
    } else {
      Gemm(step_.kernels_, args, PanelFiller(fill), scratch, threads);
    }
  }

  const Conv2dStep& step_;
  Shape w_shape_;
  ConvGeometry geometry_;
  int64_t groups_ = 1;
  int64_t images_ = 0;
  int64_t group_outputs_ = 0;
  int64_t image_stride_ = 0;
  bool direct_ = false;
  int64_t weight_floats_ = 0;    // of scratch, for weights that are no constant
  int64_t floats_per_slot_ = 0;  // of scratch, when products run side by side
  int64_t scratch_floats_ = 0;
  StepCost cost_;
};

absl::StatusOr<std::unique_ptr<BoundStep>> Conv2dStep::Bind(const BindContext& context) const {
  return std::make_unique<BoundConv2d>(*this, context);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Step>> MakeConv2dStep(const CompileContext& context, const ConvEpilogue& epilogue) {
  auto step = std::make_unique<Conv2dStep>(context, epilogue);
  const std::optional<ConstTensorView>& weights = context.constants[1];
  if (weights) {
    RETURN_IF_ERROR(step->Prepare(*weights, [&](const float* source, float* packed) {
      ReorderWeights(context.kernels, source, weights->shape, packed);
    }));
  }
  return step;
}

absl::StatusOr<std::unique_ptr<Step>> CompileConv2d(const CompileContext& context) {
  return MakeConv2dStep(context, {});
}

}  // namespace rml
