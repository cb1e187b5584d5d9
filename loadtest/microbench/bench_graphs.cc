#include "loadtest/microbench/bench_graphs.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "tests/engine/graph_builder.h"

namespace rml {
namespace {

Attrs Slice(int64_t axis, int64_t start, int64_t end) {
  return {{"axes", Ints({axis})}, {"starts", Ints({start})}, {"ends", Ints({end})}, {"steps", Ints({1})}};
}

struct ConvSize {
  int64_t batch, channels_in, channels_out, image, kernel;
};

BenchGraph Convolution(const ConvSize& s) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {s.batch, s.channels_in, s.image, s.image});
  const ValueId w = b.RandomConstant({s.channels_out, s.channels_in, s.kernel, s.kernel});
  const int64_t pad = s.kernel / 2;
  b.Output(b.Node("conv2d", {x, w, b.RandomConstant({s.channels_out})},
                  {{"strides", Ints({1, 1})}, {"pads", Ints({pad, pad, pad, pad})}}));
  return {absl::StrFormat("conv %dx%dx%dx%d, %d of %dx%d", s.batch, s.channels_in, s.image, s.image, s.channels_out,
                          s.kernel, s.kernel),
          b.Build()};
}

BenchGraph Attention(int64_t batch, int64_t heads, int64_t length, int64_t depth, bool causal) {
  GraphBuilder b;
  std::vector<ValueId> qkv;
  for (const char* name : {"q", "k", "v"}) qkv.push_back(b.Input(name, {batch, heads, length, depth}));
  b.Output(b.Node("sdpa", qkv, {{"scale", 0.125}, {"causal", causal}}));
  return {absl::StrFormat("sdpa %dx%dx%dx%d%s", batch, heads, length, depth, causal ? " causal" : ""), b.Build()};
}

// h = tanh(x_t + h * W), x_t sliced from the projected sequence.
BenchGraph Rnn(int64_t batch, int64_t length, int64_t size) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {length, batch, size});
  const ValueId w = b.RandomConstant({size, size});
  ValueId h = b.Input("h", {batch, size});
  for (int64_t t = 0; t < length; ++t) {
    const ValueId slice = b.Node("slice", {x}, Slice(0, t, t + 1));
    const ValueId now = b.Node("reshape", {slice}, {{"shape", Ints({batch, size})}});
    h = b.Node("tanh", {b.Node("add", {b.Node("matmul", {h, w}), now})});
  }
  b.Output(h);
  return {absl::StrFormat("rnn batch %d, %d steps of %d", batch, length, size), b.Build()};
}

BenchGraph Lstm(int64_t batch, int64_t length, int64_t size) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {length, batch, 4 * size});
  const ValueId w = b.RandomConstant({size, 4 * size});
  ValueId h = b.Input("h", {batch, size}), c = b.Input("c", {batch, size});
  for (int64_t t = 0; t < length; ++t) {
    const ValueId slice = b.Node("slice", {x}, Slice(0, t, t + 1));
    const ValueId now = b.Node("reshape", {slice}, {{"shape", Ints({batch, 4 * size})}});
    const ValueId gates = b.Node("add", {b.Node("matmul", {h, w}), now});
    std::vector<ValueId> parts;
    for (int64_t i = 0; i < 4; ++i) {
      parts.push_back(b.Node("slice", {gates}, Slice(1, i * size, (i + 1) * size)));
    }
    const ValueId keep = b.Node("mul", {b.Node("sigmoid", {parts[1]}), c});
    const ValueId add = b.Node("mul", {b.Node("sigmoid", {parts[0]}), b.Node("tanh", {parts[2]})});
    c = b.Node("add", {keep, add});
    h = b.Node("mul", {b.Node("sigmoid", {parts[3]}), b.Node("tanh", {c})});
  }
  b.Output(h);
  return {absl::StrFormat("lstm batch %d, %d steps of %d", batch, length, size), b.Build()};
}

}  // namespace

BenchGraph IdentityReshape() {
  GraphBuilder b;
  b.Output(b.Node("reshape", {b.Input("x", {2, 3})}, {{"shape", Ints({2, 3})}}));
  return {"identity reshape", b.Build()};
}

BenchGraph ChainOfTinySteps(int steps) {
  GraphBuilder b;
  ValueId x = b.Input("x", {1, 4});
  for (int i = 0; i < steps; ++i) x = b.Node("add", {x, b.Scalar(1.0f)});
  b.Output(x);
  return {absl::StrFormat("chain of %d tiny steps", steps), b.Build()};
}

std::vector<BenchGraph> Convolutions() {
  std::vector<BenchGraph> graphs;
  for (const ConvSize& size : {ConvSize{8, 1, 16, 28, 3},
                               {8, 16, 32, 14, 3},
                               {1, 3, 32, 32, 3},
                               {8, 32, 32, 32, 3},
                               {8, 96, 32, 32, 3},
                               {1, 64, 64, 16, 3},
                               {8, 64, 64, 16, 1}}) {
    graphs.push_back(Convolution(size));
  }
  return graphs;
}

std::vector<BenchGraph> Attentions() {
  std::vector<BenchGraph> graphs;
  for (const int64_t batch : {1, 8}) {
    graphs.push_back(Attention(batch, 4, 64, 64, false));
    graphs.push_back(Attention(batch, 8, 128, 32, true));
  }
  return graphs;
}

std::vector<BenchGraph> Recurrences() {
  std::vector<BenchGraph> graphs;
  for (const int64_t batch : {1, 8}) {
    graphs.push_back(Rnn(batch, 64, 256));
    graphs.push_back(Lstm(batch, 64, 256));
  }
  return graphs;
}

}  // namespace rml
