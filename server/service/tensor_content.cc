#include "server/service/tensor_content.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/base/list_text.h"
#include "engine/graph/quoted.h"

static_assert(std::endian::native == std::endian::little, "raw contents are little-endian and read in place");

namespace rml {
namespace {

WireType ToWire(DType dtype) { return dtype == DType::kF32 ? WireType::kF32 : WireType::kI32; }

// Works through one tensor; each step may assume that those before it found nothing wrong.
class Decoder {
 public:
  Decoder(const ReceivedRequest& request, int index, const TensorInfo& info, Problems& problems)
      : words_(request.words),
        tensor_(request.inputs[static_cast<size_t>(index)]),
        index_(index),
        info_(info),
        problems_(problems) {}

  DecodedTensor Decode() {
    DecodedTensor decoded;
    const bool shape_ok = CheckShape();
    if (!FindContent() || !CheckType() || !shape_ok || !CheckCount()) return decoded;
    decoded.view.dtype = info_.dtype;
    decoded.view.shape = Shape(tensor_.shape);
    if (type_ == WireType::kI64) {
      Narrow(decoded);
    } else {
      decoded.view.data = InPlace(decoded);
    }
    return decoded;
  }

 private:
  // What holds the elements. The first three are as in WireType.
  enum class Content : uint8_t { kF32, kI32, kI64, kNone, kOther, kRaw };

  void Fail(const std::string& field, const std::string& what) {
    problems_.Add(field, absl::StrFormat("input %s %s", Quoted(info_.name), what));
  }

  std::string Field(const std::string& path) const { return absl::StrCat("inputs[", index_, "]", path); }
  std::string ContentField() const {
    if (content_ == Content::kRaw && words_.raw_apart) return absl::StrCat(words_.raw, "[", index_, "]");
    if (content_ == Content::kRaw) return Field(absl::StrCat(".", words_.raw));
    if (content_ == Content::kNone) return Field(words_.content_path);
    return Field(absl::StrCat(words_.list_path, ListName(content_)));
  }
  const char* ListName(Content list) const {
    return list == Content::kOther ? tensor_.other_list : words_.lists[static_cast<size_t>(list)];
  }
  std::string TypeName() const {
    return type_ == WireType::kOther ? tensor_.other_type : words_.types[static_cast<size_t>(type_)];
  }

  // Rank and the dims that do not vary; a multiple of B for those that do.
  bool CheckShape() {
    bool ok = tensor_.shape.size() == info_.shape.size();
    for (size_t i = 0; ok && i < info_.shape.size(); ++i) {
      const int64_t got = tensor_.shape[i];
      const Dim& want = info_.shape[i];
      ok = want.symbolic() ? got >= 0 && got % want.factor() == 0 : got == want.factor();
    }
    if (!ok) {
      Fail(Field(".shape"),
           absl::StrFormat("has shape %s; expected %s", ListText(tensor_.shape), Describe(info_, words_)));
    }
    return ok;
  }

  // At most one is filled; none will do for a tensor without elements.
  bool FindContent() {
    std::vector<const char*> found;
    const auto note = [&](Content content, const char* name, bool filled) {
      if (!filled) return;
      content_ = content;
      found.push_back(name);
    };
    note(Content::kRaw, words_.raw, !tensor_.raw.empty());
    note(Content::kF32, words_.lists[0], !tensor_.f32.empty());
    note(Content::kI32, words_.lists[1], !tensor_.i32.empty());
    note(Content::kI64, words_.lists[2], !tensor_.i64.empty());
    note(Content::kOther, tensor_.other_list, tensor_.other_list != nullptr);
    if (found.size() <= 1) return true;
    Fail(Field(""), absl::StrFormat("has several contents (%s); expected one", absl::StrJoin(found, ", ")));
    return false;
  }

  bool in_list() const { return content_ != Content::kNone && content_ != Content::kRaw; }

  // The type from the tensor and its content, which must agree, against the model's.
  bool CheckType() {
    type_ = tensor_.type;
    if (type_ == WireType::kNone && in_list()) type_ = static_cast<WireType>(content_);
    if (type_ == WireType::kNone && content_ == Content::kNone) return true;
    const WireType want = ToWire(info_.dtype);
    const std::string field = Field(absl::StrCat(".", words_.type));
    const char* expected = words_.types[static_cast<size_t>(want)];
    if (type_ == WireType::kNone) {
      Fail(field, absl::StrFormat("has raw content without a %s; expected %s", words_.type, expected));
    } else if (in_list() && type_ != WireType::kOther && static_cast<WireType>(content_) != type_) {
      Fail(field, absl::StrFormat("has %s %s but its content is %s%s; expected %s", words_.type, TypeName(),
                                  words_.list_of, ListName(content_), expected));
    } else if (type_ != want && !(type_ == WireType::kI64 && want == WireType::kI32)) {
      Fail(field, absl::StrFormat("has %s %s; expected %s", words_.type, TypeName(), expected));
    } else {
      return true;
    }
    return false;
  }

  size_t NumListed() const {
    return content_ == Content::kF32   ? tensor_.f32.size()
           : content_ == Content::kI32 ? tensor_.i32.size()
                                       : tensor_.i64.size();
  }

  // As many elements or bytes as the shape says. Products that do not fit are refused, not wrapped.
  bool CheckCount() {
    const absl::StatusOr<int64_t> count = CheckedNumElements(tensor_.shape);
    if (!count.ok() || *count > std::numeric_limits<int64_t>::max() / 8) {
      Fail(Field(".shape"),
           absl::StrFormat("has shape %s, whose size does not fit in 63 bits", ListText(tensor_.shape)));
      return false;
    }
    if (content_ == Content::kRaw) {
      const int64_t expected = *count * (type_ == WireType::kI64 ? 8 : kElementBytes);
      if (static_cast<int64_t>(tensor_.raw.size()) == expected) return true;
      Fail(ContentField(), absl::StrFormat("has %d bytes of raw content; expected %d for %s%s", tensor_.raw.size(),
                                           expected, TypeName(), ListText(tensor_.shape)));
      return false;
    }
    if (static_cast<int64_t>(NumListed()) == *count) return true;
    Fail(ContentField(),
         absl::StrFormat("has %d elements; expected %d for shape %s", NumListed(), *count, ListText(tensor_.shape)));
    return false;
  }

  // Raw bytes at an odd address are the only ones that are copied.
  const void* InPlace(DecodedTensor& decoded) const {
    if (content_ == Content::kF32) return tensor_.f32.data();
    if (content_ == Content::kI32) return tensor_.i32.data();
    const void* raw = tensor_.raw.data();
    if (reinterpret_cast<uintptr_t>(raw) % kElementBytes == 0) return raw;
    decoded.storage.Resize(info_.dtype, decoded.view.shape);
    std::memcpy(decoded.storage.raw(), raw, tensor_.raw.size());
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
        std::memcpy(&value, tensor_.raw.data() + i * sizeof(value), sizeof(value));
      } else {
        value = tensor_.i64[i];
      }
      to[i] = static_cast<int32_t>(value);
      if (to[i] == value) continue;
      Fail(ContentField(), absl::StrFormat("has %d at element %d; expected a number that fits in %s", value, i,
                                           words_.types[static_cast<size_t>(WireType::kI32)]));
      return;
    }
  }

  const RequestWords& words_;
  const ReceivedTensor& tensor_;
  const int index_;
  const TensorInfo& info_;
  Problems& problems_;
  Content content_ = Content::kNone;
  WireType type_ = WireType::kNone;
};

}  // namespace

std::string Describe(const TensorInfo& info, const RequestWords& words) {
  return words.types[static_cast<size_t>(ToWire(info.dtype))] + ToString(info.shape);
}

DecodedTensor DecodeTensor(const ReceivedRequest& request, int index, const TensorInfo& info, Problems& problems) {
  return Decoder(request, index, info, problems).Decode();
}

}  // namespace rml
