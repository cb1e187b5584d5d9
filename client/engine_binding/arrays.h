// NumPy arrays as the inputs and outputs of a run. All of this needs the GIL, but for views().
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/exec/executor.h"
#include "engine/exec/program.h"
#include "nanobind/nanobind.h"
#include "nanobind/ndarray.h"

namespace rml {

// What is called of NumPy, looked up once a model: a look-up costs as much as a small model's run.
struct Numpy {
  Numpy();
  // numpy.float32 or numpy.int32 as a dtype.
  const nanobind::object& dtype(DType type) const { return type == DType::kF32 ? float32 : int32; }

  nanobind::object empty, require, float32, int32;
};

// What a caller gave for some of a model's inputs or outputs: one object per name in the model's order.
//   what    "input" or "output", for errors
//   given   a dict by name, or a sequence in the model's order
// Raises InvalidArgument listing all unknown and missing names, or the wrong number.
std::vector<nanobind::object> InModelOrder(const char* what, const std::vector<TensorInfo>& infos,
                                           nanobind::handle given);

// The memory of a call's input arrays. An array that is C-contiguous and aligned is read in place; others (and what
// is no array: lists, numbers) go through numpy.require, which copies them once.
class InputArrays {
 public:
  // Raises InvalidArgument listing every input that is not an array of float32 or int32 as the model wants it; shapes are
  // the engine's to check.
  InputArrays(const Program& program, const Numpy& numpy, const std::vector<nanobind::object>& objects);

  absl::Span<const ConstTensorView> views() const { return views_; }

 private:
  std::vector<nanobind::ndarray<nanobind::ro>> arrays_;  // keep the memory alive
  std::vector<ConstTensorView> views_;
};

// The memory of arrays that a run fills: the caller's, or new ones.
class OutputArrays {
 public:
  // New arrays for `rows` rows.
  OutputArrays(const Program& program, const Numpy& numpy, int64_t rows);
  // The caller's. Raises InvalidArgument listing every one that is not a writable, C-contiguous, aligned NumPy array of
  // float32 or int32; shapes are the engine's to check.
  OutputArrays(const Program& program, std::vector<nanobind::object> objects);

  absl::Span<const TensorView> views() const { return views_; }
  const std::vector<nanobind::object>& objects() const { return objects_; }

 private:
  // What is wrong with objects_[i], empty if nothing is: then it has a view.
  std::string Add(const TensorInfo& info, nanobind::handle object);

  std::vector<nanobind::object> objects_;
  std::vector<nanobind::ndarray<>> arrays_;  // keep the memory alive
  std::vector<TensorView> views_;
};

}  // namespace rml
