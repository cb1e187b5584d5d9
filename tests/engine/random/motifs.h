// Runs of nodes as models have them, which random choice would hardly meet: what the fusion passes look for.
#pragma once

#include "tests/engine/random/graph_draft.h"

namespace rml {

// Adds one of them, or as much of it as fits. False if not even its first node did.
bool AddMotif(GraphDraft& draft);

}  // namespace rml
