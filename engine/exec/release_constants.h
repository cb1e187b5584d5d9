// Constants whose elements nobody reads once the steps are made.
#pragma once

#include "engine/exec/program_impl.h"

namespace rml {

// Lets go of the elements of constants and of folded results that no step reads, because the steps hold them packed
// (Step::Prepared) or the nodes that read them have been run: a weight is in memory once. Their `data` is then nullptr.
// Adds what stays to the program's memory bill. Requires the program's steps.
void ReleaseConstants(ProgramImpl& program);

}  // namespace rml
