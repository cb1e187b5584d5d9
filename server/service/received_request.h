// A request as it came, free of the protocol that it came by: views of its message, which outlives them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace rml {

// What a request says of a tensor's type. kNone: nothing; kOther: a type that no model takes.
enum class WireType : uint8_t { kF32, kI32, kI64, kNone, kOther };

struct ReceivedTensor {
  std::string_view name;
  WireType type = WireType::kNone;
  std::string other_type{};  // of kOther, as the request calls it
  absl::Span<const int64_t> shape;
  // The elements: little-endian bytes or one of the lists.
  std::string_view raw{};
  absl::Span<const float> f32{};
  absl::Span<const int32_t> i32{};
  absl::Span<const int64_t> i64{};
  const char* other_list = nullptr;  // a list, not empty, that no model takes
};

// What a protocol calls things, in messages and in the paths of fields.
struct RequestWords {
  const char* type;                  // a tensor's field for its type
  std::array<const char*, 3> types;  // f32, i32 and i64 in it
  std::array<const char*, 3> lists;  // the fields for elements of these types
  const char* list_of;               // before a list's name, where a message says what is in it
  const char* list_path;             // from a tensor to its lists
  const char* raw;                   // the field for raw elements
  bool raw_apart;                    // which is a list beside the inputs, not a field of each
  const char* content_path;          // from a tensor to where its elements should have been
  const char* output_path;           // from an element of `outputs` to its name
};

struct ReceivedRequest {
  const RequestWords& words;
  std::vector<ReceivedTensor> inputs;
  std::vector<std::string_view> outputs;  // asked for; empty: all
};

}  // namespace rml
