// Classes of attribute values.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tests/engine/random/features.h"

namespace rml {
namespace {

const std::vector<int64_t>& Ints(const NodeFacts& facts, const char* name) { return facts.attrs.Ints(name); }

Feature BoolFeature(const AttrSchema& attr) {
  const std::string name = attr.name;
  return OneOf(name, {"false", "true", "absent"}, [name](const NodeFacts& facts) {
    if (!facts.Gives(name)) return 2;
    return facts.attrs.Bool(name) ? 1 : 0;
  });
}

const std::vector<std::string>& ValuesOf(const OpDef& op, const std::string& attr) {
  static const std::map<std::string, std::vector<std::string>> values = {
      {"approximate", {"none", "tanh"}},
      {"to", {"f32", "i32"}},
      {"mode", {"error", "clamp", "fill"}},
      {"scatter_add mode", {"error", "clamp", "drop"}},
      {"resize2d mode", {"nearest", "linear", "cubic"}},
      {"coordinates", {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"}},
      {"rounding", {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}}};
  const auto own = values.find(std::string(op.name) + " " + attr);
  return own == values.end() ? values.at(attr) : own->second;
}

Feature StringFeature(const OpDef& op, const AttrSchema& attr) {
  const std::string name = attr.name;
  std::vector<std::string> options = ValuesOf(op, name);
  const int absent = static_cast<int>(options.size());
  const std::vector<std::string> known = options;
  if (attr.default_value || attr.optional) options.push_back("absent");
  return OneOf(name, options, [name, known, absent](const NodeFacts& facts) {
    if (!facts.Gives(name)) return absent;
    return static_cast<int>(std::find(known.begin(), known.end(), facts.attrs.String(name)) - known.begin());
  });
}

int AxisPlace(const NodeFacts& facts) {
  const int rank = facts.Input(0).rank();
  const int64_t axis = facts.attrs.Int("axis");
  if (rank == 1) return 3;
  return axis == 0 ? 0 : axis == rank - 1 ? 2 : 1;
}

int AxesCount(const NodeFacts& facts) {
  const std::vector<int64_t>& axes = Ints(facts, "axes");
  if (axes.size() < 2) return static_cast<int>(axes.size());
  if (!std::is_sorted(axes.begin(), axes.end())) return 3;
  return 2;
}

bool AllAre(const std::vector<int64_t>& list, int64_t value) {
  return std::all_of(list.begin(), list.end(), [value](int64_t v) { return v == value; });
}

// strides, dilations: one value per image axis.
Feature PairFeature(const AttrSchema& attr) {
  const std::string name = attr.name;
  std::vector<std::string> options = {"1", "equal", "unequal"};
  if (attr.default_value) options.push_back("absent");
  return OneOf(name, options, [name](const NodeFacts& facts) {
    if (!facts.Gives(name)) return 3;
    const auto& pair = Ints(facts, name.c_str());
    return pair[0] != pair[1] ? 2 : pair[0] == 1 ? 0 : 1;
  });
}

int Pads(const NodeFacts& facts) {
  if (!facts.Gives("pads")) return 3;
  const auto& pads = Ints(facts, "pads");
  if (AllAre(pads, 0)) return 0;
  return pads[0] == pads[2] && pads[1] == pads[3] ? 1 : 2;
}

int Groups(const NodeFacts& facts) {
  if (!facts.Gives("groups")) return 3;
  const int64_t groups = facts.attrs.Int("groups");
  if (groups == 1) return 0;
  return facts.Input(1).dim(1) == 1 ? 2 : 1;
}

int Perm(const NodeFacts& facts) {
  const auto& perm = Ints(facts, "perm");
  const auto rank = static_cast<int64_t>(perm.size());
  if (rank < 2) return kNotApplicable;
  if (std::is_sorted(perm.begin(), perm.end())) return 0;
  const bool head_stays = std::is_sorted(perm.begin(), perm.end() - 1) && perm[rank - 1] == rank - 2;
  if (rank >= 2 && head_stays && perm[rank - 2] == rank - 1) return 1;
  return perm[rank - 1] == rank - 1 ? 2 : 3;
}

int K(const NodeFacts& facts) {
  const int64_t k = facts.attrs.Int("k");
  const int64_t size = facts.Input(0).dim(static_cast<int>(facts.attrs.Int("axis")));
  if (k == 0) return 0;
  if (k == size) return 3;
  return k == 1 ? 1 : 2;
}

// Of each axis sliced; n is its size.
Feature SliceLimits(const std::string& name) {
  return {name, {"zero", "inside", "negative", "beyond"}, [name](const NodeFacts& facts) {
            uint32_t has = 0;
            for (size_t i = 0; i < Ints(facts, "axes").size(); ++i) {
              const int64_t n = facts.Input(0).dim(static_cast<int>(Ints(facts, "axes")[i]));
              const int64_t at = Ints(facts, name.c_str())[i];
              has |= at > n || at < -n ? 8u : at < 0 ? 4u : at == 0 ? 1u : 2u;
            }
            return has;
          }};
}

Feature SliceSteps() {
  return {"steps", {"1", "more", "-1", "less"}, [](const NodeFacts& facts) {
            uint32_t has = 0;
            for (int64_t step : Ints(facts, "steps")) has |= step == 1 ? 1u : step > 1 ? 2u : step == -1 ? 4u : 8u;
            return has;
          }};
}

Feature PadSides(const std::string& name) {
  return OneOf(name, {"zero", "one axis", "several"}, [name](const NodeFacts& facts) {
    const auto& list = Ints(facts, name.c_str());
    return static_cast<int>(
        std::min<int64_t>(2, std::count_if(list.begin(), list.end(), [](int64_t v) { return v > 0; })));
  });
}

Feature NumberFeature(const AttrSchema& attr) {
  const std::string name = attr.name;
  if (attr.optional) {
    return OneOf(name, {"given", "absent"}, [name](const NodeFacts& facts) { return facts.Gives(name) ? 0 : 1; });
  }
  std::vector<std::string> options = {"zero", "positive", "negative"};
  std::vector<double> weights = {0.25, 1, 0.5};
  if (name == "eps") options.pop_back();
  if (attr.default_value) options.push_back("absent");
  weights.resize(options.size(), 1);
  return OneOf(
      name, options,
      [name](const NodeFacts& facts) {
        if (!facts.Gives(name)) return 3;
        const double value = facts.attrs.Float(name);
        return value == 0 ? 0 : value > 0 ? 1 : 2;
      },
      weights);
}

Feature ClampBounds() {
  return OneOf("bounds", {"min", "max", "both", "crossed"}, [](const NodeFacts& facts) {
    if (!facts.attrs.Has("max")) return 0;
    if (!facts.attrs.Has("min")) return 1;
    return facts.attrs.Float("min") > facts.attrs.Float("max") ? 3 : 2;
  });
}

Feature AxesFeature(const OpDef& op) {
  if (op.name == "layer_norm") {
    return OneOf("axes", {"one", "several", "all"}, [](const NodeFacts& facts) {
      const auto count = static_cast<int>(Ints(facts, "axes").size());
      return count == facts.Input(0).rank() ? 2 : count == 1 ? 0 : 1;
    });
  }
  return OneOf("axes", {"none", "one", "several", "unsorted"}, &AxesCount);
}

Feature IntFeature(const OpDef& op, const AttrSchema& attr) {
  if (attr.name == "axis") return OneOf("axis", {"first", "middle", "last", "only"}, &AxisPlace);
  if (attr.name == "axes") return AxesFeature(op);
  if (attr.name == "strides" || attr.name == "dilations") return PairFeature(attr);
  if (attr.name == "output_pads") {
    return OneOf("output_pads", {"zero", "some", "absent"}, [](const NodeFacts& facts) {
      return !facts.Gives("output_pads") ? 2 : AllAre(Ints(facts, "output_pads"), 0) ? 0 : 1;
    });
  }
  if (attr.name == "pads") return OneOf("pads", {"zero", "even", "uneven", "absent"}, &Pads);
  if (attr.name == "groups") return OneOf("groups", {"1", "several", "depthwise", "absent"}, &Groups);
  if (attr.name == "size") {
    return OneOf("size", {"as it is", "larger", "smaller", "one of each"}, [](const NodeFacts& facts) {
      bool larger = false, smaller = false;
      for (int i = 0; i < 2; ++i) {
        larger |= Ints(facts, "size")[i] > facts.Input(0).dim(2 + i);
        smaller |= Ints(facts, "size")[i] < facts.Input(0).dim(2 + i);
      }
      return larger && smaller ? 3 : smaller ? 2 : larger ? 1 : 0;
    });
  }
  if (attr.name == "perm") {
    return OneOf("perm", {"identity", "last two", "last stays", "other"}, &Perm);
  }
  if (attr.name == "k") return OneOf("k", {"0", "1", "some", "all"}, &K, {0.2, 1, 1, 0.5});
  if (attr.name == "starts" || attr.name == "ends") return SliceLimits(attr.name);
  if (attr.name == "steps") return SliceSteps();
  if (attr.name == "before" || attr.name == "after") return PadSides(attr.name);
  if (attr.name == "kernel") {
    return OneOf("kernel", {"1 x 1", "more"},
                 [](const NodeFacts& facts) { return AllAre(Ints(facts, "kernel"), 1) ? 0 : 1; });
  }
  return {};  // "shape": ShapeFeatures
}

}  // namespace

std::vector<Feature> AttrFeatures(const OpDef& op) {
  std::vector<Feature> features;
  if (op.name == "clamp") return {ClampBounds()};
  for (const AttrSchema& attr : op.attrs) {
    if (attr.type == AttrType::kBool) features.push_back(BoolFeature(attr));
    if (attr.type == AttrType::kString) features.push_back(StringFeature(op, attr));
    if (attr.type == AttrType::kFloat) features.push_back(NumberFeature(attr));
    if (attr.type == AttrType::kInt || attr.type == AttrType::kInts) {
      if (Feature feature = IntFeature(op, attr); feature.of) features.push_back(std::move(feature));
    }
  }
  return features;
}

}  // namespace rml
