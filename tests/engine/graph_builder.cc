#include "tests/engine/graph_builder.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/ops/op.h"

namespace rml {
namespace {

[[noreturn]] void Misuse(const std::string& what) {
  std::fprintf(stderr, "GraphBuilder: %s\n", what.c_str());
  std::abort();
}

template <typename T>
T Require(absl::StatusOr<T> result, const std::string& what) {
  if (!result.ok()) Misuse(absl::StrCat(what, ": ", result.status().ToString()));
  return *std::move(result);
}

// Types at one row count from the recorded ones.
std::vector<TensorType> TypesAt(const Graph& graph, const std::vector<ValueId>& ids, int64_t rows) {
  std::vector<TensorType> types;
  for (ValueId id : ids) types.push_back({graph.values[id].dtype, ShapeAt(graph.values[id], rows)});
  return types;
}

std::vector<TensorType> InferAt(const Graph& graph, const Node& node, int64_t rows) {
  const OpDef* op = FindOp(node.op);
  if (op == nullptr) Misuse(absl::StrCat("no op is named ", node.op));
  const OpAttrs attrs = Require(ResolveAttrs(*op, node.attrs, rows), node.op);
  return Require(op->infer(attrs, TypesAt(graph, node.inputs, rows)), node.op);
}

// The dim that is `a` at row count 101 and `b` at 103: a number, or a multiple of B.
Dim Generalise(int64_t a, int64_t b) { return a == b ? Dim(a) : Dim::TimesB(a / 101); }

}  // namespace

GraphBuilder& GraphBuilder::Symbolic(int64_t min_rows, int64_t max_rows) {
  graph_.symbolic = true;
  graph_.min_rows = min_rows;
  graph_.max_rows = max_rows;
  return *this;
}

ValueId GraphBuilder::AddValue(DType dtype, std::vector<Dim> shape) {
  graph_.values.push_back({dtype, std::move(shape)});
  return static_cast<ValueId>(graph_.values.size()) - 1;
}

ValueId GraphBuilder::Input(const std::string& name, std::vector<Dim> shape, DType dtype, bool rows) {
  const ValueId id = AddValue(dtype, std::move(shape));
  graph_.inputs.push_back({id, name, rows});
  return id;
}

ValueId GraphBuilder::AddConstant(DType dtype, const Shape& shape, const void* elements) {
  auto tensor = std::make_shared<Tensor>(dtype, shape);
  if (shape.num_elements() > 0) std::memcpy(tensor->raw(), elements, shape.num_bytes());
  const ValueId id = AddValue(dtype, {shape.dims().begin(), shape.dims().end()});
  graph_.constants.push_back({id, absl::StrCat("c", id), tensor->raw(), tensor});
  return id;
}

ValueId GraphBuilder::Constant(const Shape& shape, const std::vector<float>& values) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) Misuse("a constant's values do not fill its shape");
  return AddConstant(DType::kF32, shape, values.data());
}

ValueId GraphBuilder::ConstantI32(const Shape& shape, const std::vector<int32_t>& values) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) Misuse("a constant's values do not fill its shape");
  return AddConstant(DType::kI32, shape, values.data());
}

ValueId GraphBuilder::RandomConstant(const Shape& shape) {
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(shape.num_elements());
  for (float& value : values) value = uniform(random_);
  return AddConstant(DType::kF32, shape, values.data());
}

ValueId GraphBuilder::Node(const std::string& op, std::vector<ValueId> inputs, Attrs attrs, const std::string& name) {
  rml::Node node{op, name, std::move(inputs), {}, std::move(attrs)};
  const int64_t a_rows = graph_.symbolic ? 101 : 1;
  const int64_t b_rows = graph_.symbolic ? 103 : 1;
  const std::vector<TensorType> a = InferAt(graph_, node, a_rows);
  const std::vector<TensorType> b = InferAt(graph_, node, b_rows);
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<Dim> shape;
    for (int d = 0; d < a[i].shape.rank(); ++d) shape.push_back(Generalise(a[i].shape.dim(d), b[i].shape.dim(d)));
    node.outputs.push_back(AddValue(a[i].dtype, std::move(shape)));
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs[0];
}

GraphBuilder& GraphBuilder::Output(ValueId id, const std::string& name, bool rows) {
  graph_.outputs.push_back({id, name.empty() ? absl::StrCat("y", graph_.outputs.size()) : name, rows});
  return *this;
}

AttrValue Ints(std::initializer_list<Dim> dims) { return std::vector<Dim>(dims); }

Tensor RandomTensor(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2.0f, 2.0f);
  Tensor tensor(DType::kF32, shape);
  for (float& value : tensor.data<float>()) value = uniform(random);
  return tensor;
}

}  // namespace rml
