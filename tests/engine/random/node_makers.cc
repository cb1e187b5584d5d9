#include "tests/engine/random/node_makers.h"

#include <functional>
#include <map>
#include <string>

namespace rml {

NodeMaker FindMaker(std::string_view name) {
  static const auto* makers = [] {
    auto* map = new std::map<std::string, NodeMaker, std::less<>>{{"gelu", &MakeGelu},
                                                                  {"where", &MakeWhere},
                                                                  {"clamp", &MakeClamp},
                                                                  {"cast", &MakeCast},
                                                                  {"softmax", &MakeSoftmax},
                                                                  {"log_softmax", &MakeSoftmax},
                                                                  {"layer_norm", &MakeLayerNorm},
                                                                  {"matmul", &MakeMatMul},
                                                                  {"conv2d", &MakeConv2d},
                                                                  {"conv_transpose2d", &MakeConvTranspose2d},
                                                                  {"max_pool2d", &MakePool},
                                                                  {"avg_pool2d", &MakePool},
                                                                  {"resize2d", &MakeResize2d},
                                                                  {"sdpa", &MakeSdpa},
                                                                  {"gather", &MakeGather},
                                                                  {"gather_elements", &MakeElementIndexed},
                                                                  {"scatter_add", &MakeElementIndexed},
                                                                  {"argmax", &MakeArgExtreme},
                                                                  {"argmin", &MakeArgExtreme},
                                                                  {"cumsum", &MakeCumsum},
                                                                  {"top_k", &MakeTopK},
                                                                  {"reshape", &MakeReshape},
                                                                  {"transpose", &MakeTranspose},
                                                                  {"squeeze", &MakeSqueeze},
                                                                  {"unsqueeze", &MakeUnsqueeze},
                                                                  {"broadcast_to", &MakeBroadcastTo},
                                                                  {"concat", &MakeConcat},
                                                                  {"slice", &MakeSlice},
                                                                  {"pad", &MakePad}};
    for (const char* op :
         {"neg",   "abs",  "relu",  "sign",       "floor", "ceil", "round_even", "exp",     "log", "expm1",
          "log1p", "sqrt", "rsqrt", "reciprocal", "sin",   "cos",  "tanh",       "sigmoid", "erf", "erfc"}) {
      map->emplace(op, &MakeUnary);
    }
    for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "remainder", "floor_div", "eq",
                           "ne", "lt", "le", "gt", "ge"}) {
      map->emplace(op, &MakeBinary);
    }
    for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"}) {
      map->emplace(op, &MakeReduce);
    }
    return map;
  }();
  const auto it = makers->find(name);
  return it == makers->end() ? nullptr : it->second;
}

void AddBool(GraphDraft& draft, const char* name, Attrs& attrs) {
  const int option = draft.Wanted(name);  // false, true, absent
  if (option < 2) attrs.emplace_back(name, option == 1);
}

}  // namespace rml
