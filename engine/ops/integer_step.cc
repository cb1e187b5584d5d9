#include "engine/ops/integer_step.h"

#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace rml {
namespace {

constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();

constexpr int32_t Wrap(uint32_t bits) { return static_cast<int32_t>(bits); }
constexpr uint32_t Bits(int32_t value) { return static_cast<uint32_t>(value); }

struct Neg {
  int32_t operator()(int32_t x) const { return Wrap(0U - Bits(x)); }
};
struct Abs {
  int32_t operator()(int32_t x) const { return x < 0 ? Wrap(0U - Bits(x)) : x; }
};
struct Relu {
  int32_t operator()(int32_t x) const { return x < 0 ? 0 : x; }
};
struct Sign {
  int32_t operator()(int32_t x) const { return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0); }
};
struct Add {
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(Bits(a) + Bits(b)); }
};
struct Sub {
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(Bits(a) - Bits(b)); }
};
struct Mul {
  int32_t operator()(int32_t a, int32_t b) const { return Wrap(Bits(a) * Bits(b)); }
};
struct Div {
  int32_t operator()(int32_t a, int32_t b) const {
    if (b == 0) return -1;
    return a == kLowest && b == -1 ? kLowest : a / b;
  }
};
struct Remainder {
  int32_t operator()(int32_t a, int32_t b) const {
    if (b == 0) return a;
    return b == -1 ? 0 : a % b;
  }
};
struct FloorDiv {
  int32_t operator()(int32_t a, int32_t b) const {
    const int32_t rest = Remainder{}(a, b);
    return Div{}(a, b) - (b != 0 && rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
  }
};
struct Maximum {
  int32_t operator()(int32_t a, int32_t b) const { return a > b ? a : b; }
};
struct Minimum {
  int32_t operator()(int32_t a, int32_t b) const { return a < b ? a : b; }
};
struct Eq {
  float operator()(int32_t a, int32_t b) const { return a == b ? 1.0f : 0.0f; }
};
struct Ne {
  float operator()(int32_t a, int32_t b) const { return a != b ? 1.0f : 0.0f; }
};
struct Lt {
  float operator()(int32_t a, int32_t b) const { return a < b ? 1.0f : 0.0f; }
};
struct Le {
  float operator()(int32_t a, int32_t b) const { return a <= b ? 1.0f : 0.0f; }
};
struct Gt {
  float operator()(int32_t a, int32_t b) const { return a > b ? 1.0f : 0.0f; }
};
struct Ge {
  float operator()(int32_t a, int32_t b) const { return a >= b ? 1.0f : 0.0f; }
};

template <typename Op>
class UnaryKernelI32 : public SegmentKernel {
 public:
  void Run(const Segment& segment) const override {
    const auto* x = static_cast<const int32_t*>(segment.inputs[0]);
    auto* y = static_cast<int32_t*>(segment.output);
    for (int64_t i = 0; i < segment.n; ++i) y[i] = Op{}(x[i]);
  }
  const char* name() const override { return "loop i32"; }
};

template <typename Op, typename Result>
class BinaryKernelI32 : public SegmentKernel {
 public:
  void Run(const Segment& segment) const override {
    const auto* a = static_cast<const int32_t*>(segment.inputs[0]);
    const auto* b = static_cast<const int32_t*>(segment.inputs[1]);
    auto* y = static_cast<Result*>(segment.output);
    if (segment.scalar[0]) {
      const int32_t left = *a;
      for (int64_t i = 0; i < segment.n; ++i) y[i] = Op{}(left, b[i]);
    } else if (segment.scalar[1]) {
      const int32_t right = *b;
      for (int64_t i = 0; i < segment.n; ++i) y[i] = Op{}(a[i], right);
    } else {
      for (int64_t i = 0; i < segment.n; ++i) y[i] = Op{}(a[i], b[i]);
    }
  }
  const char* name() const override { return "loop i32"; }
};

std::unique_ptr<const SegmentKernel> UnaryKernelFor(std::string_view op) {
  if (op == "neg") return std::make_unique<UnaryKernelI32<Neg>>();
  if (op == "abs") return std::make_unique<UnaryKernelI32<Abs>>();
  if (op == "sign") return std::make_unique<UnaryKernelI32<Sign>>();
  if (op == "relu") return std::make_unique<UnaryKernelI32<Relu>>();
  return nullptr;
}

std::unique_ptr<const SegmentKernel> BinaryKernelFor(std::string_view op) {
  if (op == "add") return std::make_unique<BinaryKernelI32<Add, int32_t>>();
  if (op == "sub") return std::make_unique<BinaryKernelI32<Sub, int32_t>>();
  if (op == "mul") return std::make_unique<BinaryKernelI32<Mul, int32_t>>();
  if (op == "div") return std::make_unique<BinaryKernelI32<Div, int32_t>>();
  if (op == "remainder") return std::make_unique<BinaryKernelI32<Remainder, int32_t>>();
  if (op == "floor_div") return std::make_unique<BinaryKernelI32<FloorDiv, int32_t>>();
  if (op == "maximum") return std::make_unique<BinaryKernelI32<Maximum, int32_t>>();
  if (op == "minimum") return std::make_unique<BinaryKernelI32<Minimum, int32_t>>();
  return nullptr;
}

}  // namespace

std::unique_ptr<const SegmentKernel> IntegerComparison(std::string_view op) {
  if (op == "eq") return std::make_unique<BinaryKernelI32<Eq, float>>();
  if (op == "ne") return std::make_unique<BinaryKernelI32<Ne, float>>();
  if (op == "lt") return std::make_unique<BinaryKernelI32<Lt, float>>();
  if (op == "le") return std::make_unique<BinaryKernelI32<Le, float>>();
  if (op == "gt") return std::make_unique<BinaryKernelI32<Gt, float>>();
  if (op == "ge") return std::make_unique<BinaryKernelI32<Ge, float>>();
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Step>> CompileInteger(const CompileContext& context) {
  const std::string& op = context.node.op;
  if (auto kernel = UnaryKernelFor(op)) return MakeSegmentStep(std::move(kernel), 1);
  if (auto kernel = BinaryKernelFor(op)) return MakeSegmentStep(std::move(kernel), 2);
  return absl::UnimplementedError(absl::StrCat("op '", op, "' has no i32 kernel"));
}

}  // namespace rml
