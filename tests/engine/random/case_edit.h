// Changes to a case that leave a smaller one. Each returns nullopt where the change does not apply or no graph that
// CheckGraph() accepts is left.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tests/engine/random/random_case.h"

namespace rml {

using EditedCase = std::optional<RandomCase>;

// Without the nodes for which keep[n] is false. What they made and others read becomes an input, with the elements that
// the references give. The outputs left are kept; if there are none, the last node's take their place.
EditedCase KeepNodes(const RandomCase& random_case, const std::vector<bool>& keep);

// With these outputs only (indices). What they do not need goes; so do inputs and constants that nothing reads.
EditedCase KeepOutputs(const RandomCase& random_case, const std::vector<size_t>& outputs);

// Readers of a node's output read one of its inputs of the same type instead.
EditedCase Bypass(const RandomCase& random_case, size_t node, size_t input);

// A static graph: the one that a symbolic graph is at `rows`.
EditedCase AtRows(const RandomCase& random_case, int64_t rows);

// A constant as an input.
EditedCase AsInput(const RandomCase& random_case, size_t constant);

// Every dim of `from` elements in inputs, constants and lists of attributes, or that of one value's axis alone, becomes
// `to`. Tensors keep their leading elements.
EditedCase ResizeAll(const RandomCase& random_case, int64_t from, int64_t to);
EditedCase ResizeOne(const RandomCase& random_case, ValueId value, size_t axis, int64_t to);

// After any other change of the graph: types inferred again, ids dense again, unread inputs and constants gone.
EditedCase Settle(RandomCase random_case);

// The elements of an input or constant to be changed in place: of inputs first, then of constants.
size_t NumTensors(const RandomCase& random_case);
EditedCase WithElements(const RandomCase& random_case, size_t tensor, const std::function<void(Tensor&)>& change);

}  // namespace rml
