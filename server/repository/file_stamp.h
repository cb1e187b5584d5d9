// Tells whether a model's files are still the ones that were seen before, without reading them.
#pragma once

#include <string>

namespace rml {

// Of the files in a version's folder that a model is loaded from. Two stamps are equal if none of them was written to,
// replaced, added or removed between: inode, size, and the times of the last write and of the last change of anything
// (which a copy that restores the time of writing changes too).
std::string StampOfVersion(const std::string& directory);

// The same for the config.textproto of a model's folder.
std::string StampOfConfig(const std::string& directory);

}  // namespace rml
