// Pass fuse_elementwise: runs of consecutive elementwise nodes with one output shape become one step "fused(...)".
//
// A group starts at a fusible node and takes every following node of the same shape while each is fusible, whether or
// not they feed each other. Shapes are compared without leading dims of 1.
//   fusible ops     f32: the one-input ops, add sub mul div maximum minimum, gelu, pow with a constant exponent of 1, 2,
//                   3, 0.5, -0.5 or -1; reshape, squeeze, unsqueeze of a value that the group made, adding or dropping
//                   leading dims of 1 only (a copy)
//   operands        one-input: the group's shape; two-input: the group's shape, a row repeated per row, one value per
//                   row, or a scalar
//   bound           kMaxFusedInstructions nodes
//   trimming        trailing reshapes are left out (a view costs nothing), then groups of fewer than two
//   outputs         the last member, graph outputs, unread values, values read after the group; the rest live in tiles
#pragma once

#include "engine/fusion/fusion_pass.h"

namespace rml {

FusionResult FuseElementwise(const FusionContext& context);

}  // namespace rml
