#include "tests/fuzz/safetensors_reference.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

// Python.h wants to come before the others of the system.
#include <sanitizer/lsan_interface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/require.h"

namespace rml {
namespace {

[[noreturn]] void FailInPython(const char* what) {
  std::fprintf(stderr, "fuzz: %s\n", what);
  PyErr_Print();
  std::abort();
}

PyObject* NotNull(PyObject* object, const char* what) {
  if (object == nullptr) FailInPython(what);
  return object;
}

std::string TextOf(PyObject* text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) FailInPython("a text of the package is not UTF-8");
  return {bytes, static_cast<size_t>(size)};
}

// The interpreter with the package; lives until the program ends.
class Package {
 public:
  Package() {
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;  // libFuzzer has its own
    PyConfig_SetBytesString(&config, &config.program_name, RML_PYTHON);
    const PyStatus status = Py_InitializeFromConfig(&config);
    Require(PyStatus_Exception(status) == 0, "Python does not start");
    PyConfig_Clear(&config);
    PyObject* module = NotNull(PyImport_ImportModule("safetensors"),
                               "no safetensors package; ./dev fuzz sets PYTHONPATH to the one in .venv/");
    deserialize_ = NotNull(PyObject_GetAttrString(module, "deserialize"), "no deserialize");
    safe_open_ = NotNull(PyObject_GetAttrString(module, "safe_open"), "no safe_open");
    error_ = NotNull(PyObject_GetAttrString(module, "SafetensorError"), "no SafetensorError");
    const std::string version = TextOf(NotNull(PyObject_GetAttrString(module, "__version__"), "no __version__"));
    std::fprintf(stderr, "comparing with safetensors %s\n", version.c_str());
    scratch_ = memfd_create("safetensors", 0);
    scratch_path_ = "/proc/self/fd/" + std::to_string(scratch_);
  }

  std::optional<ReferenceFile> Read(std::string_view file) const {
    PyObject* bytes = PyBytes_FromStringAndSize(file.data(), static_cast<Py_ssize_t>(file.size()));
    PyObject* tensors = PyObject_CallOneArg(deserialize_, bytes);
    Py_DECREF(bytes);
    if (tensors == nullptr) {
      if (PyErr_ExceptionMatches(error_) == 0) FailInPython("the package fails otherwise than by its own error");
      PyErr_Clear();
      return std::nullopt;
    }
    ReferenceFile answer;
    for (Py_ssize_t i = 0; i < PyList_Size(tensors); ++i) AddTensor(PyList_GetItem(tensors, i), answer);
    Py_DECREF(tensors);
    answer.metadata = ReadMetadata(file);
    return answer;
  }

 private:
  // From (name, {"dtype": str, "shape": [int], "data": bytearray}).
  static void AddTensor(PyObject* pair, ReferenceFile& answer) {
    PyObject* info = PyTuple_GetItem(pair, 1);
    PyObject* shape = PyDict_GetItemString(info, "shape");
    PyObject* data = PyDict_GetItemString(info, "data");
    ReferenceTensor& tensor = answer.tensors[TextOf(PyTuple_GetItem(pair, 0))];
    tensor.dtype = TextOf(PyDict_GetItemString(info, "dtype"));
    for (Py_ssize_t i = 0; i < PyList_Size(shape); ++i) {
      tensor.shape.push_back(PyLong_AsUnsignedLongLong(PyList_GetItem(shape, i)));
    }
    tensor.data.assign(PyByteArray_AsString(data), static_cast<size_t>(PyByteArray_Size(data)));
    if (PyErr_Occurred() != nullptr) FailInPython("the package's answer has another form than it used to");
  }

  // The package shows the metadata of files only.
  std::map<std::string, std::string> ReadMetadata(std::string_view file) const {
    Require(ftruncate(scratch_, 0) == 0 &&
                pwrite(scratch_, file.data(), file.size(), 0) == static_cast<ssize_t>(file.size()),
            "no memory for a file");
    PyObject* opened =
        NotNull(PyObject_CallFunction(safe_open_, "ss", scratch_path_.c_str(), "numpy"), "the package opens no file");
    PyObject* metadata = NotNull(PyObject_CallMethod(opened, "metadata", nullptr), "no metadata");
    std::map<std::string, std::string> texts;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (metadata != Py_None && PyDict_Next(metadata, &position, &key, &value) != 0)
      texts[TextOf(key)] = TextOf(value);
    Py_DECREF(metadata);
    Py_DECREF(opened);
    return texts;
  }

  PyObject* deserialize_ = nullptr;
  PyObject* safe_open_ = nullptr;
  PyObject* error_ = nullptr;
  int scratch_ = -1;
  std::string scratch_path_;
};

}  // namespace

std::optional<ReferenceFile> ReadByReference(std::string_view file) {
  // What Python keeps is no leak.
  const __lsan::ScopedDisabler no_leaks;
  static const auto* const package = new Package;
  return package->Read(file);
}

}  // namespace rml
