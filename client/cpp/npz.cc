#include "client/cpp/npz.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "client/cpp/zip_file.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

absl::Status Wrong(const std::string& what) { return absl::InvalidArgumentError(what); }

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

// Reads the Python dictionary of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  absl::StatusOr<Header> Read() {
    Header header;
    bool descr = false, order = false, shape = false;
    if (!Take("{")) return Damaged();
    while (!Take("}")) {
      const std::optional<std::string> key = Quoted();
      if (!key || !Take(":")) return Damaged();
      if (*key == "descr") {
        const std::optional<std::string> value = Quoted();
        if (!value) return Wrong("has a structured type; expected '<f4', '<i4' or '<i8'");
        header.descr = *value;
        descr = true;
      } else if (*key == "fortran_order") {
        header.fortran_order = Take("True");
        if (!header.fortran_order && !Take("False")) return Damaged();
        order = true;
      } else if (*key == "shape") {
        ASSIGN_OR_RETURN(header.shape, ReadShape());
        shape = true;
      } else {
        return Wrong(absl::StrFormat("header has the unknown key '%s'", *key));
      }
      if (Take(",")) continue;
      if (!Take("}")) return Damaged();
      break;
    }
    if (!descr || !order || !shape) return Wrong("header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  static absl::Status Damaged() { return Wrong("header is damaged"); }

  bool Take(std::string_view token) {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string> Quoted() {
    const std::string_view quote = Take("'") ? "'" : Take("\"") ? "\"" : "";
    const size_t end = quote.empty() ? std::string_view::npos : rest_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }

  absl::StatusOr<Shape> ReadShape() {
    std::vector<int64_t> dims;
    if (!Take("(")) return Damaged();
    while (!Take(")")) {
      const size_t digits = Take("") ? std::min(rest_.find_first_not_of("0123456789"), rest_.size()) : 0;
      int64_t dim = 0;
      if (digits == 0 || !absl::SimpleAtoi(std::string(rest_.substr(0, digits)), &dim)) return Damaged();
      rest_.remove_prefix(digits);
      dims.push_back(dim);
      if (Take(",")) continue;
      if (!Take(")")) return Damaged();
      break;
    }
    if (dims.size() > static_cast<size_t>(kMaxRank)) {
      return Wrong(absl::StrFormat("has rank %d; expected at most %d", dims.size(), kMaxRank));
    }
    RETURN_IF_ERROR(CheckedNumElements(dims).status());
    return Shape(dims);
  }

  std::string_view rest_;
};

absl::StatusOr<Tensor> Narrow(const Shape& shape, std::string_view data) {
  Tensor tensor(DType::kI32, shape);
  const absl::Span<int32_t> elements = tensor.data<int32_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    int64_t element;
    std::memcpy(&element, data.data() + i * sizeof element, sizeof element);
    if (element < std::numeric_limits<int32_t>::min() || element > std::numeric_limits<int32_t>::max()) {
      return Wrong(absl::StrFormat("element %d is %d; it does not fit in i32", i, element));
    }
    elements[i] = static_cast<int32_t>(element);
  }
  return tensor;
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10) return Wrong("is not an .npy array");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version != 1 && version != 2) return Wrong(absl::StrFormat("has format version %d; expected 1 or 2", version));
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return Wrong("is cut short in its header");
  size_t header_size = 0;
  for (size_t i = start; i-- > 8;) header_size = header_size << 8 | static_cast<unsigned char>(bytes[i]);
  if (header_size > bytes.size() - start) return Wrong("is cut short in its header");
  ASSIGN_OR_RETURN(const Header header, HeaderReader(bytes.substr(start, header_size)).Read());
  const bool wide = header.descr == "<i8";
  if (!wide && header.descr != "<f4" && header.descr != "<i4") {
    return Wrong(absl::StrFormat("has type '%s'; expected '<f4', '<i4' or '<i8'", header.descr));
  }
  if (header.fortran_order && header.shape.rank() > 1) {
    return Wrong("is in column-major order; save numpy.ascontiguousarray() of it");
  }
  const std::string_view data = bytes.substr(start + header_size);
  const size_t expected = static_cast<size_t>(header.shape.num_bytes());
  if (data.size() / (wide ? 2 : 1) != expected || (wide && data.size() % 2 != 0)) {
    return Wrong(absl::StrFormat("has %d bytes of elements; shape %s of type '%s' needs %d", data.size(),
                                 ToString(header.shape), header.descr, expected * (wide ? 2 : 1)));
  }
  if (wide) return Narrow(header.shape, data);
  Tensor tensor(header.descr == "<f4" ? DType::kF32 : DType::kI32, header.shape);
  if (expected > 0) std::memcpy(tensor.raw(), data.data(), expected);
  return tensor;
}

absl::StatusOr<std::vector<NamedArray>> ParseNpz(std::string_view bytes) {
  ASSIGN_OR_RETURN(const std::vector<ZipMember> members, ReadZip(bytes));
  std::vector<NamedArray> arrays;
  for (const ZipMember& member : members) {
    std::string name = member.name;
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0) name.resize(name.size() - 4);
    absl::StatusOr<Tensor> tensor = ParseNpy(member.content);
    if (!tensor.ok()) return Wrong(absl::StrFormat("array '%s' %s", name, tensor.status().message()));
    arrays.push_back({std::move(name), *std::move(tensor)});
  }
  return arrays;
}

}  // namespace rml
