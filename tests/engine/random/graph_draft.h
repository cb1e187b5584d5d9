// A graph under construction, with what the node makers need to know about its values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/ops/op.h"
#include "tests/engine/random/coverage.h"
#include "tests/engine/random/random_case.h"
#include "tests/engine/random/random_values.h"
#include "tests/engine/random/rng.h"

namespace rml {

using Dims = std::vector<Dim>;

// What a whole graph is like.
struct DraftStyle {
  bool symbolic = false;
  int64_t min_rows = 1, max_rows = 1;  // bounds of B in the file
  int64_t rows = 1;                    // the most that will be run
  bool zeros = false;                  // dims of 0
  bool special_values = false;         // NaN, infinities and the like in inputs and constants
  bool large = false;                  // sizes above the thresholds of threads and chunks
  double work = 3e6;                   // multiplications and copied elements that the reference may make
  int max_nodes = 40;
};

// Values and nodes are added only; ids are dense and in order of definition, as in a finished graph.
class GraphDraft {
 public:
  static constexpr ValueId kNone = -1;

  GraphDraft(const DraftStyle& style, Rng& rng, Coverage& coverage);

  Rng& rng() { return rng_; }
  const DraftStyle& style() const { return style_; }
  const Graph& graph() const { return graph_; }
  const Dims& dims(ValueId id) const { return graph_.values[id].shape; }
  DType dtype(ValueId id) const { return graph_.values[id].dtype; }
  int rank(ValueId id) const { return static_cast<int>(dims(id).size()); }
  ValueId last() const { return last_; }  // the newest node's first output; kNone before the first

  // -- The node under way: what it is wanted to be like --
  void Begin(const OpDef& op, DType data_type);
  const OpDef& op() const { return *op_; }
  DType data_type() const { return data_type_; }
  int Wanted(std::string_view feature);

  // -- Shapes --
  Dim RandomDim();
  // At most `max_elements` (0: the style's bound). May have B in front, zeros and ones.
  Dims RandomDims(int rank, int64_t max_elements = 0);
  // The rank that feature "rank" asks for, where its first option is `lowest`; at least `at_least`, at most `at_most`.
  int WantedRank(int lowest, int at_least, int at_most);
  int64_t At(const Dim& dim) const { return dim.At(style_.rows); }
  int64_t Elements(const Dims& dims) const;
  // The same with dims of 0 counted as 1: what the style bounds, as such a dim may be left out of a derived shape.
  int64_t Extent(const Dims& dims) const;

  // -- Operands --
  // Operand `index` of the node under way, from where the coverage asks for: a value that fits, else a new one of type
  // `dtype` and shape `dims`.
  ValueId Operand(int index, DType dtype, const std::function<bool(ValueId)>& fits, const Dims& dims);
  // The same with exactly these dims.
  ValueId Operand(int index, DType dtype, const Dims& dims);
  // Elements within `range`, whatever runs: for gather's indices.
  ValueId Indices(int index, const Dims& dims, IntRange range);
  // These give kNone for what would be too large.
  ValueId NewInput(DType dtype, const Dims& dims);
  // Requires dims without B.
  ValueId NewConstant(DType dtype, const Dims& dims);
  // A constant f32 whose elements are all `value`.
  ValueId NewFilled(const Dims& dims, float value);
  // A value of that origin; an input if a constant would need B.
  ValueId New(Origin origin, DType dtype, const Dims& dims);
  // What the numbers of new f32 operands are, until called again; without: as the style has them.
  void ForceKind(std::optional<FloatKind> kind) { forced_kind_ = kind; }

  // -- Nodes --
  // The node's first output, or kNone if the op refuses the inputs, a dim is no multiple of B, or it would cost more
  // than is left. `work`: multiplications of the reference; at least the output's elements.
  ValueId Add(std::string_view op, std::vector<ValueId> inputs, Attrs attrs = {}, double work = 0);
  int num_nodes() const { return static_cast<int>(graph_.nodes.size()); }

  // The graph with these outputs, and inputs for it.
  RandomCase Finish(const std::vector<ValueId>& outputs, std::vector<int64_t> row_counts);

 private:
  struct Facts {  // of a value
    Origin origin = Origin::kComputed;
    std::optional<IntRange> range{};  // i32: where its elements lie
    FloatKind kind = FloatKind::kModerate;
    int wildness = 0;  // how likely its numbers are to be out of hand
  };

  ValueId Define(DType dtype, Dims dims, Facts facts);
  bool IsTooLarge(const Dims& dims) const;
  ValueId Existing(DType dtype, Origin origin, const std::function<bool(ValueId)>& fits);
  ValueId NewComputed(DType dtype, const Dims& dims);
  // A view of a new value, and that value. kNone if the form does not suit the dims.
  ValueId NewView(DType dtype, const Dims& dims, int depth);
  ValueId ViewBase(DType dtype, const Dims& dims, int depth);
  ValueId Transposed(DType dtype, const Dims& dims, int depth);
  ValueId Sliced(DType dtype, const Dims& dims, int depth);
  ValueId Repeated(DType dtype, const Dims& dims, int depth);
  ValueId Reshaped(DType dtype, const Dims& dims, int depth);
  ValueId WithoutOnes(DType dtype, const Dims& dims, int depth);
  Facts NewFacts(DType dtype, Origin origin);
  Tensor DrawElements(DType dtype, const Shape& shape, const Facts& facts);
  Facts OutputFacts(const Node& node, size_t output) const;
  NodeFacts FactsOfNode(const OpDef& op, const Node& node) const;

  DraftStyle style_;
  Rng& rng_;
  Coverage& coverage_;
  Graph graph_;
  std::vector<Facts> facts_;
  ValueId last_ = kNone;
  const OpDef* op_ = nullptr;
  DType data_type_ = DType::kF32;
  std::optional<FloatKind> forced_kind_;
  std::optional<IntRange> forced_range_;
};

inline AttrValue IntList(Dims dims) { return AttrValue(std::move(dims)); }

}  // namespace rml
