#include "client/cpp/zip_file.h"

#include <zlib.h>

#include <cstdint>
#include <limits>

#include "absl/strings/str_format.h"
#include "engine/base/status_macros.h"

namespace rml {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kMemberSignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22, kMemberSize = 46, kLocalSize = 30;
constexpr size_t kMaxComment = 65535;
constexpr uint32_t kInZip64 = 0xffffffff;  // the real value is in the extra field
constexpr uint16_t kZip64Extra = 1;
// A deflate stream can stand for about 1032 times its size; a member that claims more is not one.
constexpr uint64_t kMaxInflation = 1040;

absl::Status Wrong(const std::string& what) { return absl::InvalidArgumentError("zip archive: " + what); }

uint64_t Little(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// A row of the central directory.
struct Row {
  std::string name;
  uint64_t flags, method, crc, packed_size, size, local_offset;
};

// Replaces the sizes and the offset that did not fit in 32 bits, which the extra field holds in this order.
absl::Status ReadZip64(std::string_view extra, Row& row) {
  while (extra.size() >= 4) {
    const uint64_t id = Little(extra, 0, 2), size = Little(extra, 2, 2);
    if (size > extra.size() - 4) break;
    if (id == kZip64Extra) {
      std::string_view fields = extra.substr(4, size);
      for (uint64_t* field : {&row.size, &row.packed_size, &row.local_offset}) {
        if (*field != kInZip64) continue;
        if (fields.size() < 8) return Wrong(absl::StrFormat("member '%s': zip64 field is too short", row.name));
        *field = Little(fields, 0, 8);
        fields.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + size);
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> FindEnd(std::string_view bytes) {
  if (bytes.size() >= kEndSize) {
    for (size_t at = bytes.size() - kEndSize;; --at) {
      if (Little(bytes, at, 4) == kEndSignature && at + kEndSize + Little(bytes, at + 20, 2) == bytes.size()) return at;
      if (at == 0 || bytes.size() - at > kEndSize + kMaxComment) break;
    }
  }
  return Wrong("there is no end record; not a zip file, or cut short");
}

absl::StatusOr<std::string> Inflate(const Row& row, std::string_view packed) {
  std::string content(row.size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return absl::InternalError("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib reads it only
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int result = inflate(&stream, Z_FINISH);
  const uint64_t written = stream.total_out;
  inflateEnd(&stream);
  if (result == Z_STREAM_END && written == row.size) return content;
  return Wrong(absl::StrFormat("member '%s': deflated data are damaged", row.name));
}

absl::StatusOr<std::string> ReadContent(std::string_view bytes, const Row& row) {
  const uint64_t at = row.local_offset;
  const auto wrong = [&row](const char* what) { return Wrong(absl::StrFormat("member '%s': %s", row.name, what)); };
  if (row.flags & 1) return wrong("is encrypted");
  if (row.method != 0 && row.method != Z_DEFLATED) {
    return Wrong(absl::StrFormat("member '%s': compression method %d; expected 0 (stored) or 8 (deflated)", row.name,
                                 row.method));
  }
  if (at > bytes.size() || bytes.size() - at < kLocalSize || Little(bytes, at, 4) != kLocalSignature) {
    return wrong("there is no local header where the directory says");
  }
  const uint64_t data = at + kLocalSize + Little(bytes, at + 26, 2) + Little(bytes, at + 28, 2);
  if (data > bytes.size() || row.packed_size > bytes.size() - data) return wrong("data reach past the end of the file");
  const std::string_view packed = bytes.substr(data, row.packed_size);
  std::string content;
  if (row.method == 0) {
    if (row.size != row.packed_size) return wrong("is stored, but its two sizes differ");
    content = packed;
  } else {
    if (row.size / kMaxInflation > row.packed_size || row.size > std::numeric_limits<uInt>::max() ||
        row.packed_size > std::numeric_limits<uInt>::max()) {
      return wrong("claims an impossible size");
    }
    ASSIGN_OR_RETURN(content, Inflate(row, packed));
  }
  if (crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != row.crc)
    return wrong("checksum is wrong");
  return content;
}

}  // namespace

absl::StatusOr<std::vector<ZipMember>> ReadZip(std::string_view bytes) {
  ASSIGN_OR_RETURN(const size_t end, FindEnd(bytes));
  const uint64_t count = Little(bytes, end + 10, 2);
  uint64_t at = Little(bytes, end + 16, 4);
  if (Little(bytes, end + 4, 2) != 0 || Little(bytes, end + 8, 2) != count) return Wrong("is one part of several");
  std::vector<ZipMember> members;
  for (uint64_t i = 0; i < count; ++i) {
    if (at > end || end - at < kMemberSize || Little(bytes, at, 4) != kMemberSignature) {
      return Wrong(absl::StrFormat("directory is damaged at member %d of %d", i, count));
    }
    const uint64_t name_size = Little(bytes, at + 28, 2), extra_size = Little(bytes, at + 30, 2);
    const uint64_t next = at + kMemberSize + name_size + extra_size + Little(bytes, at + 32, 2);
    if (next > end) return Wrong(absl::StrFormat("directory is damaged at member %d of %d", i, count));
    Row row{.name = std::string(bytes.substr(at + kMemberSize, name_size)),
            .flags = Little(bytes, at + 8, 2),
            .method = Little(bytes, at + 10, 2),
            .crc = Little(bytes, at + 16, 4),
            .packed_size = Little(bytes, at + 20, 4),
            .size = Little(bytes, at + 24, 4),
            .local_offset = Little(bytes, at + 42, 4)};
    RETURN_IF_ERROR(ReadZip64(bytes.substr(at + kMemberSize + name_size, extra_size), row));
    ASSIGN_OR_RETURN(std::string content, ReadContent(bytes, row));
    members.push_back({row.name, std::move(content)});
    at = next;
  }
  return members;
}

}  // namespace rml
