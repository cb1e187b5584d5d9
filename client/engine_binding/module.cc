// The Python module rml._engine: what rml/__init__.py offers. Signatures and texts here become its type stub.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/engine_binding/arrays.h"
#include "client/engine_binding/model.h"
#include "engine/exec/executor.h"
#include "engine/exec/program.h"
#include "engine/exec/step_profile.h"
#include "engine/kernels/dispatch.h"
#include "nanobind/nanobind.h"
#include "nanobind/stl/optional.h"
#include "nanobind/stl/string.h"
#include "nanobind/stl/unique_ptr.h"
#include "nanobind/stl/vector.h"

namespace rml {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;  // NOLINT(misc-unused-using-decls)

nb::tuple ShapeTuple(absl::Span<const int64_t> dims) {
  nb::list list;
  for (int64_t dim : dims) list.append(dim);
  return nb::tuple(list);
}

// -1 where the row count decides, as in the server's answers.
nb::tuple SymbolicShape(const TensorInfo& info) {
  nb::list list;
  for (const Dim& dim : info.shape) list.append(dim.symbolic() ? -1 : dim.factor());
  return nb::tuple(list);
}

void AddInfo(nb::module_& module) {
  nb::class_<TensorInfo>(module, "TensorInfo", "An input or output of a model.")
      .def_ro("name", &TensorInfo::name)
      .def_prop_ro("shape", &SymbolicShape, nb::sig("def shape(self) -> tuple[int, ...]"),
                   "Dims; -1 where it depends on the row count.")
      .def_prop_ro(
          "dtype", [](const TensorInfo& info) { return Numpy().dtype(info.dtype); },
          nb::sig("def dtype(self) -> numpy.dtype"), "float32 or int32.")
      .def_ro(
          "row_independent", &TensorInfo::row_independent,
          "Whether row i of the outputs depends on row i of this input alone; of an output: on row i of the inputs.")
      .def("__repr__", [](const TensorInfo& info) {
        return absl::StrFormat("<rml.TensorInfo %s: %s%s>", info.name, DTypeName(info.dtype), ToString(info.shape));
      });
  nb::class_<StepInfo>(module, "StepInfo", "One step of the compiled model, for one row count.")
      .def_ro("label", &StepInfo::label, "\"matmul\", \"fused(add+relu)\"")
      .def_ro("nodes", &StepInfo::nodes, "Indices of the graph's nodes that it covers.")
      .def_prop_ro(
          "output_shapes",
          [](const StepInfo& info) {
            nb::list shapes;
            for (const Shape& shape : info.outputs) shapes.append(ShapeTuple(shape.dims()));
            return shapes;
          },
          nb::sig("def output_shapes(self) -> list[tuple[int, ...]]"))
      .def_ro("kernel", &StepInfo::kernel)
      .def_ro("width", &StepInfo::width, "Threads.")
      .def_ro("flops", &StepInfo::flops)
      .def_ro("bytes", &StepInfo::bytes)
      .def("__repr__", [](const StepInfo& info) {
        return absl::StrFormat("<rml.StepInfo %s: %s, width %d>", info.label, info.kernel, info.width);
      });
}

void AddProfile(nb::module_& module) {
  nb::class_<ProfileRow>(module, "ProfileRow", "All steps with one label; times, flops and bytes are those of one run.")
      .def_ro("label", &ProfileRow::label)
      .def_ro("nodes", &ProfileRow::nodes, "Graph nodes that these steps cover.")
      .def_ro("calls", &ProfileRow::calls, "Steps.")
      .def_ro("seconds", &ProfileRow::seconds)
      .def_ro("share", &ProfileRow::share, "Of the time of all steps.")
      .def_ro("gflops", &ProfileRow::gflops, "1e9 operations a second; 0 where they are not counted.")
      .def_ro("gbytes", &ProfileRow::gbytes, "1e9 bytes a second.")
      .def_ro("kernel", &ProfileRow::kernel, "Of the slowest of the steps.")
      .def_ro("width", &ProfileRow::width, "Threads, the most among the steps.")
      .def_ro("peak_share", &ProfileRow::peak_share,
              "Of the speed that the machine could reach, by its measured peaks; 0 where the work is not counted.")
      .def("__repr__", [](const ProfileRow& row) {
        return absl::StrFormat("<rml.ProfileRow %s: %.1f us, %.1f %%>", row.label, 1e6 * row.seconds, 100 * row.share);
      });
  nb::class_<RunProfile>(module, "Profile", "Where a run's time goes.")
      .def_ro("rows", &RunProfile::rows, "Slowest first.")
      .def_ro("wall_seconds", &RunProfile::wall_seconds, "Of one run, the time between steps included.");
}

void AddModel(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A loaded model. Any number of threads may use it at once.")
      .def_prop_ro("inputs", [](const Model& model) { return model.program().inputs(); })
      .def_prop_ro("outputs", [](const Model& model) { return model.program().outputs(); })
      .def_prop_ro("threads", &Model::threads, "Threads that one run may use.")
      .def_prop_ro(
          "min_rows", [](const Model& model) { return model.program().min_rows(); },
          "The smallest row count B; 1 where shapes are fixed.")
      .def_prop_ro(
          "max_rows", [](const Model& model) { return model.program().max_rows(); },
          "The largest row count B; 1 where shapes are fixed.")
      .def("run", &Model::RunNamed, "inputs"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def run(self, inputs: dict[str, numpy.typing.ArrayLike], *, out: dict[str, numpy.ndarray] | "
                   "collections.abc.Sequence[numpy.ndarray] | None = None) -> dict[str, numpy.ndarray]"),
           "Runs the model on arrays by name, or in the model's order, and gives its outputs likewise.\n\n"
           "C-contiguous arrays of the model's types are read in place, `out` is filled in place and returned.")
      .def("run", &Model::RunInOrder, "inputs"_a, nb::kw_only(), "out"_a = nb::none(),
           nb::sig("def run(self, *inputs: numpy.typing.ArrayLike, out: dict[str, numpy.ndarray] | "
                   "collections.abc.Sequence[numpy.ndarray] | None = None) -> tuple[numpy.ndarray, ...]"))
      .def("profile", &Model::Profile, "inputs"_a = nb::none(), nb::kw_only(), "runs"_a = 10, "rows"_a = 1,
           nb::sig("def profile(self, inputs: dict[str, numpy.typing.ArrayLike] | "
                   "collections.abc.Sequence[numpy.typing.ArrayLike] | None = None, *, runs: int = 10, rows: int = 1) "
                   "-> Profile"),
           "The mean of `runs` runs, by step; without inputs on zeros for `rows` rows.")
      .def("step_info", &Model::StepInfos, "rows"_a = 1, "The compiled steps in order, with shapes for `rows` rows.");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): names of Python's and nanobind's
NB_MODULE(_engine, module) {
  module.attr("__version__") = RML_VERSION;
  AddInfo(module);
  AddProfile(module);
  AddModel(module);
  module.def(
      "load",
      [](nb::object path, std::optional<int> threads, bool fuse, std::vector<std::string> disabled_passes,
         std::string isa) {
        const nb::object text = nb::module_::import_("os").attr("fspath")(path);
        return Model::Load(nb::cast<std::string>(text), threads,
                           {.fuse = fuse, .disabled_passes = std::move(disabled_passes), .isa = std::move(isa)});
      },
      "path"_a, nb::kw_only(), "threads"_a = nb::none(), "fuse"_a = true,
      "disabled_passes"_a = std::vector<std::string>(), "isa"_a = "",
      nb::sig("def load(path: str | os.PathLike[str], *, threads: int | None = None, fuse: bool = True, "
              "disabled_passes: collections.abc.Sequence[str] = (), isa: str = '') -> Model"),
      "Reads and compiles NAME.json with NAME.safetensors beside it.\n\n"
      "threads: of one run; as many as the process may use if None. fuse, disabled_passes: what is done at load, for\n"
      "finding faults. isa: 'portable', 'avx2' or 'avx512'; the best that the machine has if empty.");
  module.def("isa", [] { return ActiveKernels().isa; }, "The instruction set that models are run with.");
  module.def("pass_names", [] { return Program::PassNames(); }, "What `disabled_passes` may name.");
}

}  // namespace rml
