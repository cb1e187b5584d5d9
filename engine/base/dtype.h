// The two element types of rml-graph. Both are four bytes, little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rml {

enum class DType : uint8_t { kF32, kI32 };

inline constexpr int64_t kElementBytes = 4;

constexpr const char* DTypeName(DType dtype) { return dtype == DType::kF32 ? "f32" : "i32"; }

constexpr std::optional<DType> ParseDType(std::string_view name) {
  if (name == "f32") return DType::kF32;
  if (name == "i32") return DType::kI32;
  return std::nullopt;
}

}  // namespace rml
