// Numbers, names and attributes as a graph file spells them. Private to engine/graph.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace rml {

std::string JsonString(const std::string& text);

// The shortest text that reads back as the same number, with a fraction or an exponent so that it reads as a float, and
// written as Python does: an exponent below 1e-4 and from 1e16 on. Requires a finite number.
std::string JsonNumber(double number);
std::string JsonNumber(float number);

std::string JsonDims(const std::vector<Dim>& dims);
std::string JsonAttr(const AttrValue& value);

}  // namespace rml
