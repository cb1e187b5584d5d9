#include "client/cpp/tensor_json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace rml {
namespace {

using Json = nlohmann::ordered_json;

// 0.1f is 0.10000000149011612 as a double. The double nearest to its shortest text is written as that text again.
Json Number(float x) {
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  char text[32];
  const char* end = std::to_chars(text, text + sizeof(text), x).ptr;
  double number = 0;
  std::from_chars(text, end, number);
  return number;
}

}  // namespace

Json ElementsJson(const Tensor& tensor) {
  Json elements = Json::array();
  if (tensor.dtype() == DType::kI32) {
    for (const int32_t x : tensor.data<int32_t>()) elements.push_back(x);
  } else {
    for (const float x : tensor.data<float>()) elements.push_back(Number(x));
  }
  return elements;
}

}  // namespace rml
