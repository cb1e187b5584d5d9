// Pass fuse_linear: what follows a product with a constant matrix runs on each tile of the result.
//
//   matmul(x, W) [+ bias] [+ value of the same shape] [relu | tanh | sigmoid | gelu]   in this order
//
// becomes one step, e.g. "matmul+add+gelu". Each value in between has one reader and is no graph output. A bias is a
// constant f32 [N]; the other addend is computed and has the product's shape. The bits are those of the separate steps.
#pragma once

#include "engine/fusion/fusion_pass.h"

namespace rml {

FusionResult FuseLinear(const FusionContext& context);

}  // namespace rml
