#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/random/node_makers.h"

namespace rml {
namespace {

// One image axis of a window.
struct WindowAxis {
  int64_t size = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

// strides or dilations as feature `name` wants them: 1, equal, unequal, absent.
std::vector<int64_t> Pair(GraphDraft& draft, const char* name, Attrs& attrs, bool has_default) {
  const int option = draft.Wanted(name);
  std::vector<int64_t> pair = {1, 1};
  if (has_default && option == 3) return pair;
  if (option == 1) pair = std::vector<int64_t>(2, draft.rng().Between(2, 3));
  if (option == 2) {
    pair = {1, draft.rng().Between(2, 3)};
    if (draft.rng().Chance(0.5)) std::swap(pair[0], pair[1]);
  }
  attrs.emplace_back(name, IntList({Dim(pair[0]), Dim(pair[1])}));
  return pair;
}

// Pads of both axes as feature "pads" wants them: zero, even, uneven, absent; each below `limit`.
void Pads(GraphDraft& draft, WindowAxis (&axes)[2], const std::vector<int64_t>& limits, Attrs& attrs) {
  Rng& rng = draft.rng();
  const int option = draft.Wanted("pads");
  if (option == 3) return;
  for (int i = 0; i < 2 && option != 0; ++i) {
    axes[i].before = rng.Below(limits[i]);
    axes[i].after = option == 1 ? axes[i].before : rng.Below(limits[i]);
  }
  attrs.emplace_back("pads",
                     IntList({Dim(axes[0].before), Dim(axes[1].before), Dim(axes[0].after), Dim(axes[1].after)}));
}

// An image axis that the window fits in, a little larger or much.
int64_t ImageSize(Rng& rng, const WindowAxis& axis) {
  const int64_t least = std::max<int64_t>(1, axis.extent() - axis.before - axis.after);
  return least + (rng.Chance(0.7) ? rng.Below(9) : rng.Below(24));
}

bool Fits(const Dims& dims, const WindowAxis (&axes)[2]) {
  for (int i = 0; i < 2; ++i) {
    const Dim& dim = dims[2 + i];
    if (dim.symbolic() || dim.factor() == 0) return false;
    if (dim.factor() + axes[i].before + axes[i].after < axes[i].extent()) return false;
  }
  return !dims[1].symbolic();
}

Dim Images(GraphDraft& draft) {
  if (draft.style().symbolic && draft.rng().Chance(0.8)) return Dim::TimesB(draft.rng().Chance(0.8) ? 1 : 2);
  return Dim(draft.rng().Between(draft.style().zeros ? 0 : 1, 3));
}

int64_t Outputs(const WindowAxis& axis) {
  return (axis.size + axis.before + axis.after - axis.extent()) / axis.stride + 1;
}

struct Channels {
  int64_t groups, in_per_group, out_per_group;
};

// 1, several, depthwise, absent.
Channels ChooseChannels(Rng& rng, int groups_option, bool many_terms) {
  if (groups_option == 2) return {rng.Between(2, 8), 1, rng.Between(1, 2)};
  const int64_t in = many_terms ? rng.Between(29, 40) : rng.Between(1, 6);
  const int64_t out = rng.Pick(std::vector<int64_t>{1, 2, 3, 5, 8, 12, 13, 16, 17});
  if (groups_option == 1) return {rng.Between(2, 3), std::max<int64_t>(2, in / 2), out};
  return {1, in, out};
}

}  // namespace

bool MakeConv2d(GraphDraft& draft) {
  Rng& rng = draft.rng();
  Attrs attrs;
  WindowAxis axes[2];
  const std::vector<int64_t> strides = Pair(draft, "strides", attrs, true);
  const bool one_pixel = draft.Wanted("kernel") == 0;
  const bool many_terms = rng.Chance(0.15);  // K above 256
  for (int i = 0; i < 2; ++i) {
    axes[i].stride = strides[i];
    axes[i].kernel = one_pixel ? 1 : many_terms ? 3 : rng.Between(1, 5);
  }
  if (!one_pixel && axes[0].kernel * axes[1].kernel == 1) axes[rng.Below(2)].kernel = 2;
  Pads(draft, axes, {4, 4}, attrs);
  const std::vector<int64_t> dilations = Pair(draft, "dilations", attrs, true);
  for (int i = 0; i < 2; ++i) axes[i].dilation = dilations[i];
  const int groups_option = draft.Wanted("groups");
  const Channels channels = ChooseChannels(rng, groups_option, many_terms);
  for (WindowAxis& axis : axes) axis.size = ImageSize(rng, axis);
  const int64_t in = channels.groups * channels.in_per_group;
  const ValueId x = draft.Operand(
      0, DType::kF32,
      [&](ValueId id) { return draft.rank(id) == 4 && Fits(draft.dims(id), axes) && draft.dims(id)[1].is(in); },
      {Images(draft), Dim(in), Dim(axes[0].size), Dim(axes[1].size)});
  if (x == GraphDraft::kNone) return false;
  const int64_t out = channels.groups * channels.out_per_group;
  std::vector<ValueId> inputs = {
      x,
      draft.Operand(1, DType::kF32, {Dim(out), Dim(channels.in_per_group), Dim(axes[0].kernel), Dim(axes[1].kernel)})};
  if (draft.Wanted("inputs") == 1) inputs.push_back(draft.Operand(2, DType::kF32, {Dim(out)}));
  if (groups_option != 3) attrs.emplace_back("groups", Dim(channels.groups));
  double work = static_cast<double>(draft.At(draft.dims(x)[0]) * out * channels.in_per_group);
  for (int i = 0; i < 2; ++i) {
    axes[i].size = draft.dims(x)[2 + i].factor();
    work *= static_cast<double>(Outputs(axes[i]) * axes[i].kernel);
  }
  return draft.Add("conv2d", inputs, attrs, work) != GraphDraft::kNone;
}

bool MakeConvTranspose2d(GraphDraft& draft) {
  Rng& rng = draft.rng();
  Attrs attrs;
  WindowAxis axes[2];
  const std::vector<int64_t> strides = Pair(draft, "strides", attrs, true);
  const std::vector<int64_t> dilations = Pair(draft, "dilations", attrs, true);
  const bool one_pixel = draft.Wanted("kernel") == 0;
  const bool many_terms = rng.Chance(0.15);  // K above 256
  for (int i = 0; i < 2; ++i) {
    axes[i].stride = strides[i];
    axes[i].dilation = dilations[i];
    axes[i].kernel = one_pixel ? 1 : many_terms ? 3 : rng.Between(1, 5);
    axes[i].size = rng.Between(2, 9);
  }
  if (!one_pixel && axes[0].kernel * axes[1].kernel == 1) axes[rng.Below(2)].kernel = 2;
  // Something is left of the smallest output: that of one row or column.
  Pads(draft, axes, {(axes[0].extent() + 1) / 2, (axes[1].extent() + 1) / 2}, attrs);
  const int groups_option = draft.Wanted("groups");
  const Channels channels = ChooseChannels(rng, groups_option, many_terms);
  const int64_t in = channels.groups * channels.in_per_group;
  // Depthwise is told by one output channel a group (features.cc).
  const int64_t out_per_group = groups_option == 2   ? 1
                                : groups_option == 1 ? std::max<int64_t>(2, channels.out_per_group)
                                                     : channels.out_per_group;
  const ValueId x =
      draft.Operand(0, DType::kF32,
                    [&](ValueId id) {
                      if (draft.rank(id) != 4 || !draft.dims(id)[1].is(in)) return false;
                      return std::all_of(draft.dims(id).begin() + 2, draft.dims(id).end(),
                                         [](const Dim& dim) { return !dim.symbolic() && dim.factor() > 0; });
                    },
                    {Images(draft), Dim(in), Dim(axes[0].size), Dim(axes[1].size)});
  if (x == GraphDraft::kNone) return false;
  std::vector<ValueId> inputs = {
      x, draft.Operand(1, DType::kF32, {Dim(in), Dim(out_per_group), Dim(axes[0].kernel), Dim(axes[1].kernel)})};
  if (draft.Wanted("inputs") == 1)
    inputs.push_back(draft.Operand(2, DType::kF32, {Dim(channels.groups * out_per_group)}));
  if (groups_option != 3) attrs.emplace_back("groups", Dim(channels.groups));
  const int extends = draft.Wanted("output_pads");
  if (extends < 2)
    attrs.emplace_back("output_pads", IntList({Dim(extends * rng.Between(1, 2)), Dim(extends * rng.Below(3))}));
  double work = static_cast<double>(draft.At(draft.dims(x)[0]) * in * out_per_group);
  for (int i = 0; i < 2; ++i) {
    work *= static_cast<double>((draft.dims(x)[2 + i].factor() * axes[i].stride + axes[i].extent()) * axes[i].kernel);
  }
  return draft.Add("conv_transpose2d", inputs, attrs, work) != GraphDraft::kNone;
}

bool MakePool(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const bool averages = draft.op().name == "avg_pool2d";
  WindowAxis axes[2];
  const bool one_pixel = draft.Wanted("kernel") == 0;
  for (WindowAxis& axis : axes) axis.kernel = one_pixel ? 1 : rng.Between(1, 4);
  if (!one_pixel && axes[0].kernel * axes[1].kernel == 1) axes[rng.Below(2)].kernel = 3;
  Attrs attrs = {{"kernel", IntList({Dim(axes[0].kernel), Dim(axes[1].kernel)})}};
  const std::vector<int64_t> strides = Pair(draft, "strides", attrs, false);
  std::vector<int64_t> dilations = {1, 1};
  if (!averages) dilations = Pair(draft, "dilations", attrs, true);
  for (int i = 0; i < 2; ++i) {
    axes[i].stride = strides[i];
    axes[i].dilation = dilations[i];
  }
  // No window may lie in padding.
  Pads(draft, axes, {axes[0].extent(), axes[1].extent()}, attrs);
  AddBool(draft, "ceil_mode", attrs);
  if (averages) AddBool(draft, "count_include_pad", attrs);
  for (WindowAxis& axis : axes) axis.size = ImageSize(rng, axis);
  const ValueId x = draft.Operand(
      0, DType::kF32, [&](ValueId id) { return draft.rank(id) == 4 && Fits(draft.dims(id), axes); },
      {Images(draft), Dim(rng.Between(draft.style().zeros ? 0 : 1, 4)), Dim(axes[0].size), Dim(axes[1].size)});
  if (x == GraphDraft::kNone) return false;
  const double work = static_cast<double>(draft.Elements(draft.dims(x)) * axes[0].kernel * axes[1].kernel);
  return draft.Add(draft.op().name, {x}, attrs, work) != GraphDraft::kNone;
}

bool MakeResize2d(GraphDraft& draft) {
  Rng& rng = draft.rng();
  const std::vector<std::string> modes = {"nearest", "linear", "cubic"};
  const std::vector<std::string> roundings = {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};
  const int exclude = draft.Wanted("exclude_outside");  // false, true, absent
  const std::string mode = exclude == 1 ? "cubic" : modes[draft.Wanted("mode")];
  const ValueId x =
      draft.Operand(0, DType::kF32,
                    [&](ValueId id) {
                      if (draft.rank(id) != 4) return false;
                      return std::all_of(draft.dims(id).begin() + 2, draft.dims(id).end(),
                                         [](const Dim& dim) { return !dim.symbolic() && dim.factor() > 0; });
                    },
                    {Images(draft), Dim(rng.Between(draft.style().zeros ? 0 : 1, 4)), Dim(rng.Between(1, 20)),
                     Dim(rng.Between(1, 20))});
  if (x == GraphDraft::kNone) return false;
  const int form = draft.Wanted("size");  // as it is, larger, smaller, one of each
  int64_t size[2];
  for (int i = 0; i < 2; ++i) {
    const int64_t has = draft.dims(x)[2 + i].factor();
    const bool larger = form == 1 || (form == 3 && i == 0);
    size[i] = form == 0 ? has : larger ? has + rng.Between(1, 2 * has) : rng.Between(1, std::max<int64_t>(1, has - 1));
  }
  Attrs attrs = {{"mode", mode}, {"size", IntList({Dim(size[0]), Dim(size[1])})}};
  const int coordinates = draft.Wanted("coordinates");
  const std::vector<std::string> kinds = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                          "asymmetric"};
  if (coordinates < 5) attrs.emplace_back("coordinates", kinds[coordinates]);
  if (mode == "nearest") {
    const int rounding = draft.Wanted("rounding");
    attrs.emplace_back("rounding", rounding < 4 ? roundings[rounding] : rng.Pick(roundings));
  }
  if (draft.Wanted("scale_h") == 0) {
    for (int i = 0; i < 2; ++i) {
      const double ratio = static_cast<double>(size[i]) / static_cast<double>(draft.dims(x)[2 + i].factor());
      attrs.emplace_back(i == 0 ? "scale_h" : "scale_w", ratio * (1 + static_cast<double>(rng.Below(9)) / 32));
    }
  }
  if (mode == "cubic") attrs.emplace_back("cubic_a", rng.Pick(std::vector<double>{-0.75, -0.5, 0.25}));
  if (exclude < 2) attrs.emplace_back("exclude_outside", exclude == 1);
  double work = 16 * static_cast<double>(draft.At(draft.dims(x)[0]) * draft.At(draft.dims(x)[1]));
  work *= static_cast<double>(size[0] * size[1]);
  return draft.Add("resize2d", {x}, attrs, work) != GraphDraft::kNone;
}

}  // namespace rml
