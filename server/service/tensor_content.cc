#include "server/service/tensor_content.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/list_text.h"
#include "engine/graph/quoted.h"

static_assert(std::endian::native == std::endian::little, "raw contents are little-endian and read in place");

namespace rml {
namespace {

// What holds a message's elements.
enum class Content { kNone, kRaw, kF32, kI32, kI64 };
constexpr const char* kContentNames[] = {"none", "raw", "f32", "i32", "i64"};

// A number that this server does not know comes from a newer client; it is named by that number.
std::string WireName(v1::DType dtype) {
  switch (dtype) {
    case v1::F32:
      return "f32";
    case v1::I32:
      return "i32";
    case v1::I64:
      return "i64";
    default:
      return absl::StrFormat("number %d", static_cast<int>(dtype));
  }
}

// Works through one message; each step may assume that those before it found nothing wrong.
class Decoder {
 public:
  Decoder(const v1::Tensor& message, const TensorInfo& info, const std::string& field, Problems& problems)
      : message_(message), info_(info), field_(field), problems_(problems) {}

  DecodedTensor Decode() {
    DecodedTensor decoded;
    const bool shape_ok = CheckShape();
    if (!FindContent() || !CheckType() || !shape_ok || !CheckCount()) return decoded;
    decoded.view.dtype = info_.dtype;
    decoded.view.shape = Shape(absl::Span<const int64_t>(message_.shape().data(), message_.shape_size()));
    if (wire_dtype_ == v1::I64) {
      Narrow(decoded);
    } else {
      decoded.view.data = InPlace(decoded);
    }
    return decoded;
  }

 private:
  void Fail(const char* part, const std::string& what) {
    problems_.Add(field_ + part, absl::StrFormat("input %s %s", Quoted(info_.name), what));
  }

  // Rank and the dims that do not vary; a multiple of B for those that do.
  bool CheckShape() {
    bool ok = message_.shape_size() == static_cast<int>(info_.shape.size());
    for (int i = 0; ok && i < message_.shape_size(); ++i) {
      const int64_t got = message_.shape(i);
      const Dim& want = info_.shape[i];
      ok = want.symbolic() ? got >= 0 && got % want.factor() == 0 : got == want.factor();
    }
    if (!ok) Fail(".shape", absl::StrFormat("has shape %s; expected %s", ListText(message_.shape()), Describe(info_)));
    return ok;
  }

  // At most one of the four is filled; none will do for a tensor without elements.
  bool FindContent() {
    std::vector<const char*> found;
    const auto note = [&](Content content, bool filled) {
      if (!filled) return;
      content_ = content;
      found.push_back(kContentNames[static_cast<int>(content)]);
    };
    note(Content::kRaw, !message_.raw().empty());
    note(Content::kF32, message_.f32_size() > 0);
    note(Content::kI32, message_.i32_size() > 0);
    note(Content::kI64, message_.i64_size() > 0);
    if (found.size() <= 1) return true;
    Fail("", absl::StrFormat("has several contents (%s); expected one", absl::StrJoin(found, ", ")));
    return false;
  }

  // The type from the message and its content, which must agree, against the model's.
  bool CheckType() {
    wire_dtype_ = message_.dtype();
    const v1::DType content_dtype = content_ == Content::kF32   ? v1::F32
                                    : content_ == Content::kI32 ? v1::I32
                                    : content_ == Content::kI64 ? v1::I64
                                                                : v1::DTYPE_UNSPECIFIED;
    if (wire_dtype_ == v1::DTYPE_UNSPECIFIED) wire_dtype_ = content_dtype;
    const std::string expected = absl::StrFormat("expected %s", DTypeName(info_.dtype));
    if (wire_dtype_ == v1::DTYPE_UNSPECIFIED && content_ == Content::kNone) return true;
    if (wire_dtype_ == v1::DTYPE_UNSPECIFIED) {
      Fail(".dtype", "has raw content without a dtype; " + expected);
    } else if (content_dtype != v1::DTYPE_UNSPECIFIED && content_dtype != wire_dtype_) {
      Fail(".dtype", absl::StrFormat("has dtype %s but its content is a list of %s; %s", WireName(wire_dtype_),
                                     WireName(content_dtype), expected));
    } else if (wire_dtype_ != ToProto(info_.dtype) && !(wire_dtype_ == v1::I64 && info_.dtype == DType::kI32)) {
      Fail(".dtype", absl::StrFormat("has dtype %s; %s", WireName(wire_dtype_), expected));
    } else {
      return true;
    }
    return false;
  }

  // As many elements or bytes as the shape says. Products that do not fit are refused, not wrapped.
  bool CheckCount() {
    const absl::StatusOr<int64_t> count =
        CheckedNumElements(absl::Span<const int64_t>(message_.shape().data(), message_.shape_size()));
    if (!count.ok() || *count > std::numeric_limits<int64_t>::max() / 8) {
      Fail(".shape", absl::StrFormat("has shape %s, whose size does not fit in 63 bits", ListText(message_.shape())));
      return false;
    }
    const int64_t element_bytes = wire_dtype_ == v1::I64 ? 8 : kElementBytes;
    if (content_ == Content::kRaw) {
      const auto got = static_cast<int64_t>(message_.raw().size());
      if (got == *count * element_bytes) return true;
      Fail(".raw", absl::StrFormat("has %d bytes of raw content; expected %d for %s%s", got, *count * element_bytes,
                                   WireName(wire_dtype_), ListText(message_.shape())));
      return false;
    }
    const int64_t got = content_ == Content::kF32   ? message_.f32_size()
                        : content_ == Content::kI32 ? message_.i32_size()
                                                    : message_.i64_size();
    if (got == *count) return true;
    const std::string list = absl::StrFormat(".%s", content_ == Content::kNone ? "raw" : WireName(wire_dtype_));
    Fail(list.c_str(),
         absl::StrFormat("has %d elements; expected %d for shape %s", got, *count, ListText(message_.shape())));
    return false;
  }

  // Raw bytes at an odd address are the only ones that are copied.
  const void* InPlace(DecodedTensor& decoded) const {
    if (content_ == Content::kF32) return message_.f32().data();
    if (content_ == Content::kI32) return message_.i32().data();
    const void* raw = message_.raw().data();
    if (reinterpret_cast<uintptr_t>(raw) % kElementBytes == 0) return raw;
    decoded.storage.Resize(info_.dtype, decoded.view.shape);
    std::memcpy(decoded.storage.raw(), raw, message_.raw().size());
    return decoded.storage.raw();
  }

  // i64 to i32, naming the first element that does not fit.
  void Narrow(DecodedTensor& decoded) {
    decoded.storage.Resize(DType::kI32, decoded.view.shape);
    decoded.view.data = decoded.storage.raw();
    const absl::Span<int32_t> to = decoded.storage.data<int32_t>();
    for (size_t i = 0; i < to.size(); ++i) {
      int64_t value = 0;
      if (content_ == Content::kRaw) {
        std::memcpy(&value, message_.raw().data() + i * sizeof(value), sizeof(value));
      } else {
        value = message_.i64(static_cast<int>(i));
      }
      to[i] = static_cast<int32_t>(value);
      if (to[i] == value) continue;
      Fail(content_ == Content::kRaw ? ".raw" : ".i64",
           absl::StrFormat("has %d at element %d; expected a number that fits in i32", value, i));
      return;
    }
  }

  const v1::Tensor& message_;
  const TensorInfo& info_;
  const std::string& field_;
  Problems& problems_;
  Content content_ = Content::kNone;
  v1::DType wire_dtype_ = v1::DTYPE_UNSPECIFIED;
};

}  // namespace

v1::DType ToProto(DType dtype) { return dtype == DType::kF32 ? v1::F32 : v1::I32; }

std::string Describe(const TensorInfo& info) { return DTypeName(info.dtype) + ToString(info.shape); }

DecodedTensor DecodeTensor(const v1::Tensor& message, const TensorInfo& info, const std::string& field,
                           Problems& problems) {
  return Decoder(message, info, field, problems).Decode();
}

void EncodeTensor(const Tensor& tensor, const std::string& name, bool as_list, v1::Tensor& message) {
  message.set_name(name);
  message.set_dtype(ToProto(tensor.dtype()));
  const absl::Span<const int64_t> dims = tensor.shape().dims();
  message.mutable_shape()->Assign(dims.begin(), dims.end());
  if (!as_list) {
    message.set_raw(tensor.raw(), static_cast<size_t>(tensor.shape().num_bytes()));
  } else if (tensor.dtype() == DType::kF32) {
    const absl::Span<const float> elements = tensor.data<float>();
    message.mutable_f32()->Assign(elements.begin(), elements.end());
  } else {
    const absl::Span<const int32_t> elements = tensor.data<int32_t>();
    message.mutable_i32()->Assign(elements.begin(), elements.end());
  }
}

}  // namespace rml
