#include "tests/engine/random/case_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/base/status_macros.h"
#include "engine/exec/flush_constants.h"
#include "engine/graph/graph_file.h"
#include "engine/graph/safetensors.h"
#include "engine/ops/check.h"
#include "tests/engine/random/node_tolerance.h"

namespace rml {
namespace {

std::string Stem(const std::string& dir, const std::string& name) { return absl::StrCat(dir, "/", name); }

absl::StatusOr<int64_t> ReadNumber(const std::string& key, const std::string& text) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::InvalidArgumentError(absl::StrCat("metadata '", key, "' has '", text, "'; expected a number"));
}

absl::StatusOr<std::vector<int64_t>> ReadRowCounts(const SafetensorsFile& file) {
  const auto it = file.metadata().find("row_counts");
  if (it == file.metadata().end()) return absl::InvalidArgumentError("there is no metadata 'row_counts'");
  std::vector<int64_t> counts;
  for (const std::string& text : std::vector<std::string>(absl::StrSplit(it->second, ','))) {
    ASSIGN_OR_RETURN(const int64_t count, ReadNumber("row_counts", text));
    counts.push_back(count);
  }
  return counts;
}

// The values of all nodes by the references, and how exactly others have to agree.
struct ReferenceValues {
  std::map<ValueId, Tensor> values;
  std::map<ValueId, OutputTolerance> tolerances;
};

absl::StatusOr<ReferenceValues> Evaluate(const Graph& graph, int64_t rows, const std::vector<Tensor>& inputs) {
  std::vector<ConstTensorView> views(graph.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) views[graph.inputs[i].id] = inputs[i].view();
  for (const Constant& constant : graph.constants) {
    const Value& value = graph.values[constant.id];
    views[constant.id] = {value.dtype, ShapeAt(value, rows), constant.data};
  }
  ReferenceValues result;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const OpDef& op = *FindOp(node.op);
    ASSIGN_OR_RETURN(const OpAttrs attrs, ResolveAttrs(op, node.attrs, rows));
    NodeRun run{op, attrs, {}};
    for (ValueId id : node.inputs) run.inputs.push_back(views[id]);
    absl::StatusOr<std::vector<Tensor>> outputs = RunNodeReference(run);
    if (!outputs.ok()) return Annotate(outputs.status(), graph.NodeLabel(n));
    std::vector<OutputTolerance> tolerances = TolerancesOf(run, *outputs);
    for (size_t i = 0; i < outputs->size(); ++i) {
      const ValueId id = node.outputs[i];
      views[id] = result.values.insert_or_assign(id, std::move((*outputs)[i])).first->second.view();
      result.tolerances[id] = std::move(tolerances[i]);
    }
  }
  return result;
}

Tensor BoundsTensor(const OutputTolerance& tolerance, const Shape& shape) {
  Tensor bounds(DType::kF32, shape);
  std::transform(tolerance.bounds.begin(), tolerance.bounds.end(), bounds.data<float>().begin(),
                 [](float bound) { return std::isinf(bound) ? -1.0f : bound; });
  return bounds;
}

}  // namespace

absl::Status WriteCase(const RandomCase& random_case, const std::string& dir, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return absl::InternalError(absl::StrCat("cannot make '", dir, "': ", error.message()));
  RETURN_IF_ERROR(WriteGraphFile(random_case.graph, Stem(dir, name) + ".json"));
  std::vector<NamedTensor> inputs;
  for (size_t i = 0; i < random_case.inputs.size(); ++i) {
    inputs.push_back({absl::StrCat("input.", i), random_case.inputs[i].view()});
  }
  return WriteSafetensors(
      Stem(dir, name) + ".inputs.safetensors", inputs,
      {{"row_counts", absl::StrJoin(random_case.row_counts, ",")}, {"seed", absl::StrCat(random_case.seed)}});
}

absl::StatusOr<RandomCase> ReadCase(const std::string& json_path) {
  RandomCase read;
  ASSIGN_OR_RETURN(read.graph, ReadGraphFile(json_path));
  const std::string path = std::filesystem::path(json_path).replace_extension(".inputs.safetensors");
  ASSIGN_OR_RETURN(const std::shared_ptr<const SafetensorsFile> file, SafetensorsFile::Open(path));
  for (size_t i = 0; i < read.graph.inputs.size(); ++i) {
    const SafetensorsEntry* entry = file->Find(absl::StrCat("input.", i));
    if (entry == nullptr) return absl::InvalidArgumentError(absl::StrCat(path, " has no tensor input.", i));
    ASSIGN_OR_RETURN(Tensor tensor, ToTensor(*entry));
    read.inputs.push_back(std::move(tensor));
  }
  ASSIGN_OR_RETURN(read.row_counts, ReadRowCounts(*file));
  if (const auto it = file->metadata().find("seed"); it != file->metadata().end()) {
    ASSIGN_OR_RETURN(const int64_t seed, ReadNumber("seed", it->second));
    read.seed = static_cast<uint64_t>(seed);
  }
  return read;
}

std::vector<std::string> FindCases(const std::string& dir) {
  std::vector<std::string> cases;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().extension() == ".json") cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

absl::Status WriteValues(const RandomCase& random_case, const std::string& dir, const std::string& name) {
  const int64_t rows = random_case.max_rows();
  Graph graph = random_case.graph;
  RETURN_IF_ERROR(FlushConstants(graph));
  ASSIGN_OR_RETURN(const ReferenceValues reference, Evaluate(graph, rows, random_case.inputs));
  std::vector<NamedTensor> tensors;
  std::vector<Tensor> bounds;
  bounds.reserve(reference.values.size());
  std::vector<ValueId> bits, values;
  for (const auto& [id, value] : reference.values) {
    tensors.push_back({absl::StrCat("value.", id), value.view()});
    const OutputTolerance& tolerance = reference.tolerances.at(id);
    if (tolerance.agreement == Agreement::kBits) bits.push_back(id);
    if (tolerance.agreement == Agreement::kValues) values.push_back(id);
    if (tolerance.agreement != Agreement::kBounds) continue;
    bounds.push_back(BoundsTensor(tolerance, value.shape()));
    tensors.push_back({absl::StrCat("bound.", id), bounds.back().view()});
  }
  return WriteSafetensors(
      Stem(dir, name) + ".values.safetensors", tensors,
      {{"rows", absl::StrCat(rows)}, {"bits", absl::StrJoin(bits, ",")}, {"values", absl::StrJoin(values, ",")}});
}

}  // namespace rml
