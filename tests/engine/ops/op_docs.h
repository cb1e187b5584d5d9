// docs/graph-ir.md, rendered from the op list.
#pragma once

#include <string>

namespace rml {

std::string RenderOpDocs();

}  // namespace rml
