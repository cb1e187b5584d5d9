// Pass fold_conv_bias: a conv2d without a bias whose only reader is the next node, an add of a constant f32 [O],
// [O, 1, 1] or [1, O, 1, 1] along the channels, becomes one step "conv2d+add". ([O] only where it is the channel axis
// that it meets: a plain [O] broadcasts along the width, so it folds only if the output's last axis is 1 long or O is 1.)
#pragma once

#include <vector>

#include "engine/fusion/fused_step.h"
#include "engine/fusion/readers.h"
#include "engine/kernels/kernel_table.h"

namespace rml {

FusionResult FoldConvBias(const Graph& graph, const Readers& readers, const std::vector<bool>& covered,
                          const KernelTable& kernels);

}  // namespace rml
