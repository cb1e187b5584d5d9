#include "client/engine_binding/arrays.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/engine_binding/errors.h"

namespace rml {
namespace {

namespace nb = nanobind;

std::string Expected(const TensorInfo& info) { return absl::StrCat(DTypeName(info.dtype), ToString(info.shape)); }

std::optional<DType> EngineType(nb::dlpack::dtype dtype) {
  if (dtype == nb::dtype<float>()) return DType::kF32;
  if (dtype == nb::dtype<int32_t>()) return DType::kI32;
  return std::nullopt;
}

// "f64", "bool8": the type in the words that the engine's messages use.
std::string TypeName(nb::dlpack::dtype dtype) {
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
    case nb::dlpack::dtype_code::Int:
      return absl::StrCat("i", dtype.bits);
    case nb::dlpack::dtype_code::UInt:
      return absl::StrCat("u", dtype.bits);
    case nb::dlpack::dtype_code::Float:
      return absl::StrCat("f", dtype.bits);
    case nb::dlpack::dtype_code::Bfloat:
      return absl::StrCat("bf", dtype.bits);
    case nb::dlpack::dtype_code::Complex:
      return absl::StrCat("complex", dtype.bits);
    case nb::dlpack::dtype_code::Bool:
      return "bool";
    default:
      return "of an unknown type";
  }
}

template <typename Array>
std::string Got(const Array& array) {
  return absl::StrFormat("%s[%s]", TypeName(array.dtype()),
                         absl::StrJoin(absl::MakeSpan(array.shape_ptr(), array.ndim()), ", "));
}

template <typename Array>
Shape ShapeOf(const Array& array) {
  return Shape(absl::MakeSpan(array.shape_ptr(), array.ndim()));
}

// Strides of dims of size 1, and all strides of an empty array, do not matter.
template <typename Array>
bool IsReadableInPlace(const Array& array) {
  if (array.ndim() > kMaxRank) return true;  // refused by its rank
  Strides strides{};
  for (size_t i = 0; i < array.ndim(); ++i) strides[i] = array.stride(i);
  return IsContiguous(ShapeOf(array), strides) && reinterpret_cast<uintptr_t>(array.data()) % kElementBytes == 0;
}

std::string TypeOf(nb::handle object) { return nb::type_name(object.type()).c_str(); }

using ReadArray = nb::ndarray<nb::ro, nb::device::cpu>;
using WriteArray = nb::ndarray<nb::device::cpu>;

// `object` as an array that can be read in place: itself, or a copy where it must be.
std::optional<ReadArray> ToReadArray(nb::handle object, const Numpy& numpy) {
  ReadArray array;
  if (nb::try_cast(object, array, /*convert=*/false) && (!EngineType(array.dtype()) || IsReadableInPlace(array))) {
    return array;
  }
  nb::object copy = numpy.require(object, nb::none(), "CA");
  if (nb::try_cast(copy, array, /*convert=*/false)) return array;
  copy = copy.attr("astype")(copy.attr("dtype").attr("newbyteorder")("="));  // a big-endian array has no DLPack type
  if (nb::try_cast(copy, array, /*convert=*/false)) return array;
  return std::nullopt;
}

std::string Names(const std::vector<TensorInfo>& infos) {
  return absl::StrJoin(infos, ", ", [](std::string* out, const TensorInfo& info) { absl::StrAppend(out, info.name); });
}

std::vector<nb::object> FromDict(const char* what, const std::vector<TensorInfo>& infos, const nb::dict& given) {
  std::vector<nb::object> objects;
  std::vector<std::string> problems;
  size_t found = 0;
  for (const TensorInfo& info : infos) {
    const nb::str name(info.name.c_str(), info.name.size());
    if (PyObject* object = PyDict_GetItemWithError(given.ptr(), name.ptr())) {
      objects.push_back(nb::borrow(object));
      ++found;
    } else if (PyErr_Occurred() != nullptr) {
      throw nb::python_error();
    } else {
      problems.push_back(absl::StrFormat("%s '%s' (%s) is missing", what, info.name, Expected(info)));
    }
  }
  if (found < nb::len(given)) {
    for (const auto& [key, value] : given) {
      const std::string name = nb::str(key).c_str();
      bool known = false;
      for (const TensorInfo& info : infos) known |= nb::isinstance<nb::str>(key) && info.name == name;
      if (!known) {
        problems.push_back(absl::StrFormat("there is no %s '%s'; the model has %s", what, name, Names(infos)));
      }
    }
  }
  if (!problems.empty()) Raise(absl::InvalidArgumentError(absl::StrJoin(problems, "; ")));
  return objects;
}

}  // namespace

Numpy::Numpy() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  empty = numpy.attr("empty");
  require = numpy.attr("require");
  float32 = numpy.attr("dtype")("float32");
  int32 = numpy.attr("dtype")("int32");
}

std::vector<nb::object> InModelOrder(const char* what, const std::vector<TensorInfo>& infos, nb::handle given) {
  if (nb::isinstance<nb::dict>(given)) return FromDict(what, infos, nb::borrow<nb::dict>(given));
  if (!nb::isinstance<nb::tuple>(given) && !nb::isinstance<nb::list>(given)) {
    Raise(absl::InvalidArgumentError(
        absl::StrFormat("%ss are a dict by name, a list or a tuple; got %s", what, TypeOf(given))));
  }
  std::vector<nb::object> objects;
  for (nb::handle object : given) objects.push_back(nb::borrow(object));
  if (objects.size() != infos.size()) {
    Raise(absl::InvalidArgumentError(
        absl::StrFormat("the model has %d %ss (%s); got %d", infos.size(), what, Names(infos), objects.size())));
  }
  return objects;
}

InputArrays::InputArrays(const Program& program, const Numpy& numpy, const std::vector<nb::object>& objects) {
  arrays_.reserve(objects.size());
  views_.reserve(objects.size());
  std::vector<std::string> problems;
  for (size_t i = 0; i < objects.size(); ++i) {
    const TensorInfo& info = program.inputs()[i];
    std::optional<ReadArray> array = ToReadArray(objects[i], numpy);
    const std::optional<DType> dtype = array ? EngineType(array->dtype()) : std::nullopt;
    if (!array) {
      problems.push_back(absl::StrFormat("input '%s' is a %s, no array of numbers; expected %s", info.name,
                                         TypeOf(objects[i]), Expected(info)));
    } else if (!dtype || array->ndim() > kMaxRank) {
      problems.push_back(absl::StrFormat("input '%s' is %s; expected %s", info.name, Got(*array), Expected(info)));
    } else {
      views_.push_back({*dtype, ShapeOf(*array), array->data()});
      arrays_.emplace_back(*array);
    }
  }
  if (!problems.empty()) Raise(absl::InvalidArgumentError(absl::StrJoin(problems, "; ")));
}

OutputArrays::OutputArrays(const Program& program, const Numpy& numpy, int64_t rows) {
  for (const TensorInfo& info : program.outputs()) {
    const Shape shape = ShapeAt(info, rows);
    nb::list dims;
    for (int64_t dim : shape.dims()) dims.append(dim);
    objects_.push_back(numpy.empty(dims, numpy.dtype(info.dtype)));
  }
  for (size_t i = 0; i < objects_.size(); ++i) {
    const std::string problem = Add(program.outputs()[i], objects_[i]);
    if (!problem.empty()) Raise(absl::InternalError(problem));
  }
}

OutputArrays::OutputArrays(const Program& program, std::vector<nb::object> objects) : objects_(std::move(objects)) {
  std::vector<std::string> problems;
  for (size_t i = 0; i < objects_.size(); ++i) {
    std::string problem = Add(program.outputs()[i], objects_[i]);
    if (!problem.empty()) problems.push_back(std::move(problem));
  }
  if (!problems.empty()) Raise(absl::InvalidArgumentError(absl::StrJoin(problems, "; ")));
}

std::string OutputArrays::Add(const TensorInfo& info, nb::handle object) {
  auto wrong = [&](const std::string& what) { return absl::StrFormat("output '%s' %s", info.name, what); };
  ReadArray readable;
  if (!nb::ndarray_check(object) || !nb::try_cast(object, readable, /*convert=*/false)) {
    return wrong(absl::StrFormat("is a %s; expected an array %s", TypeOf(object), Expected(info)));
  }
  const std::optional<DType> dtype = EngineType(readable.dtype());
  if (!dtype || readable.ndim() > kMaxRank) {
    return wrong(absl::StrFormat("is %s; expected %s", Got(readable), Expected(info)));
  }
  if (!IsReadableInPlace(readable)) return wrong("is not C-contiguous or not aligned; expected an array that is");
  WriteArray array;
  if (!nb::try_cast(object, array, /*convert=*/false)) return wrong("is read-only; expected a writable array");
  views_.push_back({*dtype, ShapeOf(array), array.data()});
  arrays_.emplace_back(array);
  return "";
}

}  // namespace rml
