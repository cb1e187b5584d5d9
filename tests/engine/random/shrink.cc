#include "tests/engine/random/shrink.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/engine/random/case_edit.h"

namespace rml {
namespace {

class Shrinker {
 public:
  Shrinker(RandomCase start, const FailsFn& fails, int max_tries)
      : best_(std::move(start)), fails_(fails), tries_left_(max_tries) {}

  RandomCase Run() {
    bool progress = true;
    while (progress && tries_left_ > 0) {
      progress = FixRows();
      progress |= DropOutputs();
      progress |= DropNodes();
      progress |= BypassNodes();
      progress |= ShrinkDims();
      progress |= SimplifyAttrs();
      progress |= ConstantsToInputs();
      progress |= SimplifyElements();
    }
    return std::move(best_);
  }

 private:
  bool Try(EditedCase candidate) {
    if (!candidate || tries_left_ <= 0) return false;
    --tries_left_;
    if (!fails_(*candidate)) return false;
    best_ = *std::move(candidate);
    return true;
  }

  bool FixRows() {
    bool progress = false;
    for (int64_t rows : std::set<int64_t>(best_.row_counts.begin(), best_.row_counts.end())) {
      if (Try(AtRows(best_, rows))) return true;
    }
    for (size_t i = 0; i < best_.row_counts.size() && best_.row_counts.size() > 1; ++i) {
      RandomCase fewer = best_.Clone();
      fewer.row_counts.erase(fewer.row_counts.begin() + static_cast<int64_t>(i));
      fewer.inputs = InputsAt(best_, fewer.max_rows());
      if (Try(std::move(fewer))) {
        progress = true;
        --i;
      }
    }
    return progress;
  }

  bool DropOutputs() {
    const size_t count = best_.graph.outputs.size();
    for (size_t i = 0; i < count && count > 1; ++i) {
      if (Try(KeepOutputs(best_, {i}))) return true;
    }
    std::vector<size_t> all(count);
    for (size_t i = 0; i < count; ++i) all[i] = i;
    for (size_t i = 0; i < count && count > 1; ++i) {
      std::vector<size_t> others = all;
      others.erase(others.begin() + static_cast<int64_t>(i));
      if (Try(KeepOutputs(best_, others))) return true;
    }
    return false;
  }

  // One node alone, then all but ever smaller parts.
  bool DropNodes() {
    bool progress = false;
    for (size_t n = best_.graph.nodes.size(); n-- > 0 && best_.graph.nodes.size() > 1;) {
      std::vector<bool> keep(best_.graph.nodes.size(), false);
      keep[n] = true;
      if (Try(KeepNodes(best_, keep))) return true;
    }
    for (size_t part = best_.graph.nodes.size() / 2; part >= 1; part /= 2) {
      for (size_t first = 0; first < best_.graph.nodes.size();) {
        std::vector<bool> keep(best_.graph.nodes.size(), true);
        for (size_t n = first; n < std::min(first + part, keep.size()); ++n) keep[n] = false;
        if (Try(KeepNodes(best_, keep))) {
          progress = true;
        } else {
          first += part;
        }
      }
    }
    return progress;
  }

  bool BypassNodes() {
    bool progress = false;
    for (size_t n = best_.graph.nodes.size(); n-- > 0;) {
      for (size_t i = 0; n < best_.graph.nodes.size() && i < best_.graph.nodes[n].inputs.size(); ++i) {
        if (!Try(Bypass(best_, n, i))) continue;
        progress = true;
        break;
      }
    }
    return progress;
  }

  static std::vector<int64_t> Smaller(int64_t size) {
    std::set<int64_t> sizes;
    for (int64_t smaller : {int64_t{1}, int64_t{2}, size / 2, size - 1}) {
      if (smaller >= 1 && smaller < size) sizes.insert(smaller);
    }
    return {sizes.begin(), sizes.end()};
  }

  bool ShrinkDims() {
    bool progress = false;
    std::set<int64_t, std::greater<>> sizes;
    for (const Value& value : best_.graph.values) {
      for (const Dim& dim : value.shape) sizes.insert(dim.factor());
    }
    for (int64_t size : sizes) {
      for (int64_t smaller : Smaller(size)) {
        // Resizing keeps the first elements; what fails may be the last.
        if (!Try(ResizeAll(best_, size, smaller)) && !Try(ResizeAll(Reversed(), size, smaller))) continue;
        progress = true;
        break;
      }
    }
    for (size_t v = 0; v < best_.graph.inputs.size() + best_.graph.constants.size(); ++v) {
      for (size_t axis = 0;; ++axis) {
        const ValueId id = IdOfTensor(v);
        if (id < 0 || axis >= best_.graph.values[id].shape.size()) break;
        for (int64_t smaller : Smaller(best_.graph.values[id].shape[axis].factor())) {
          if (!Try(ResizeOne(best_, id, axis, smaller))) continue;
          progress = true;
          break;
        }
      }
    }
    return progress;
  }

  RandomCase Reversed() const {
    EditedCase changed = best_.Clone();
    for (size_t t = 0; changed && t < NumTensors(best_); ++t) {
      changed = WithElements(*changed, t, [](Tensor& tensor) {
        auto* elements = static_cast<int32_t*>(tensor.raw());
        std::reverse(elements, elements + tensor.num_elements());
      });
    }
    return changed ? *std::move(changed) : best_.Clone();
  }

  ValueId IdOfTensor(size_t tensor) const {
    const size_t inputs = best_.graph.inputs.size();
    if (tensor < inputs) return best_.graph.inputs[tensor].id;
    return tensor - inputs < best_.graph.constants.size() ? best_.graph.constants[tensor - inputs].id : -1;
  }

  bool TryAttrs(size_t node, const std::function<void(Attrs&)>& change) {
    RandomCase changed = best_.Clone();
    change(changed.graph.nodes[node].attrs);
    if (changed.graph.nodes[node].attrs == best_.graph.nodes[node].attrs) return false;
    return Try(Settle(std::move(changed)));
  }

  bool SimplifyAttrs() {
    bool progress = false;
    for (size_t n = 0; n < best_.graph.nodes.size(); ++n) {
      if (!best_.graph.nodes[n].name.empty()) {
        RandomCase unnamed = best_.Clone();
        unnamed.graph.nodes[n].name.clear();
        progress |= Try(std::move(unnamed));
      }
      for (size_t a = 0; a < best_.graph.nodes[n].attrs.size(); ++a) {
        const auto drop = [a](Attrs& attrs) { attrs.erase(attrs.begin() + static_cast<int64_t>(a)); };
        if (TryAttrs(n, drop)) {
          progress = true;
          --a;
          continue;
        }
        progress |= SimplifyAttr(n, a);
      }
    }
    return progress;
  }

  bool SimplifyAttr(size_t node, size_t a) {
    bool progress = false;
    const size_t length = [&] {
      const auto* list = std::get_if<std::vector<Dim>>(&best_.graph.nodes[node].attrs[a].second);
      return list == nullptr ? size_t{1} : list->size();
    }();
    for (size_t i = 0; i < length; ++i) {
      const auto is_plain = [&](int64_t plain) {
        const AttrValue& value = best_.graph.nodes[node].attrs[a].second;
        const auto* dim = std::get_if<Dim>(&value);
        const auto* list = std::get_if<std::vector<Dim>>(&value);
        return (dim != nullptr && *dim == Dim(plain)) || (list != nullptr && (*list)[i] == Dim(plain));
      };
      for (int64_t plain : {0, 1}) {
        if (is_plain(plain)) break;
        const auto change = [&](Attrs& attrs) {
          AttrValue& value = attrs[a].second;
          if (auto* dim = std::get_if<Dim>(&value)) *dim = Dim(plain);
          if (auto* number = std::get_if<double>(&value)) *number = static_cast<double>(plain);
          if (auto* flag = std::get_if<bool>(&value)) *flag = false;
          if (auto* list = std::get_if<std::vector<Dim>>(&value)) (*list)[i] = Dim(plain);
        };
        if (TryAttrs(node, change)) {
          progress = true;
          break;
        }
      }
    }
    return progress;
  }

  bool ConstantsToInputs() {
    bool progress = false;
    for (size_t c = best_.graph.constants.size(); c-- > 0;) progress |= Try(AsInput(best_, c));
    return progress;
  }

  // Ever smaller parts of each tensor become ones, or zeros.
  bool SimplifyElements() {
    bool progress = false;
    for (size_t t = 0; t < NumTensors(best_); ++t) {
      const int64_t count = ElementsOf(t);
      for (int64_t part = count; part >= 1; part /= 2) {
        for (int64_t first = 0; first < count && tries_left_ > 0; first += part) {
          for (const int plain : {1, 0}) {
            if (SetElements(t, first, std::min(count, first + part), plain)) {
              progress = true;
              break;
            }
          }
        }
      }
    }
    return progress;
  }

  int64_t ElementsOf(size_t tensor) const {
    const Value& value = best_.graph.values[IdOfTensor(tensor)];
    return ShapeAt(value, best_.max_rows()).num_elements();
  }

  bool SetElements(size_t tensor, int64_t first, int64_t last, int plain) {
    bool changes = false;
    EditedCase changed = WithElements(best_, tensor, [&](Tensor& elements) {
      for (int64_t i = first; i < last; ++i) {
        // 0 and 1 are both plain, so that the passes come to an end.
        if (elements.dtype() == DType::kF32) {
          float& element = elements.data<float>()[i];
          changes |= element != 0.0f && element != 1.0f;
          element = static_cast<float>(plain);
        } else {
          int32_t& element = elements.data<int32_t>()[i];
          changes |= element != 0 && element != 1;
          element = plain;
        }
      }
    });
    return changes && Try(std::move(changed));
  }

  RandomCase best_;
  const FailsFn& fails_;
  int tries_left_;
};

}  // namespace

RandomCase Shrink(const RandomCase& random_case, const FailsFn& fails, const ShrinkLimits& limits) {
  return Shrinker(random_case.Clone(), fails, limits.max_tries).Run();
}

}  // namespace rml
