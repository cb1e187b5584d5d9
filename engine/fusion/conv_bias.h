// Pass fold_conv_bias: a conv2d without a bias whose only reader is the next node, an add of a constant f32 with one
// value per channel, becomes one step "conv2d+add".
//
// One value per channel is [O, 1, 1] or [1, O, 1, 1]. A plain [O] broadcasts along the width, not along the channels, so
// it is folded only where O is 1.
#pragma once

#include "engine/fusion/fusion_pass.h"

namespace rml {

FusionResult FoldConvBias(const FusionContext& context);

}  // namespace rml
