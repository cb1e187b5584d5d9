// Builds zip archives and .npy arrays in memory, right ones and wrong ones.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rml {

inline std::string Little(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

// A member and what its directory row says, which a test may change.
struct TestMember {
  std::string name{};
  std::string content{};
  bool deflated = false;
  uint64_t flags = 0;
  int method = -1;      // -1: what fits `deflated`
  int64_t size = -1;    // -1: the content's
  int64_t offset = -1;  // -1: where it is
  uint32_t crc_change = 0;
};

inline std::string Deflate(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline std::string MakeZip(const std::vector<TestMember>& members) {
  std::string data, directory;
  for (const TestMember& member : members) {
    const std::string packed = member.deflated ? Deflate(member.content) : member.content;
    const uint64_t size = member.size >= 0 ? static_cast<uint64_t>(member.size) : member.content.size();
    const auto crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(member.content.data()), member.content.size()) ^ member.crc_change);
    const auto method = static_cast<uint64_t>(member.method >= 0 ? member.method : member.deflated ? 8 : 0);
    const std::string fields = Little(20, 2) + Little(member.flags, 2) + Little(method, 2) + Little(0, 4) +
                               Little(crc, 4) + Little(packed.size(), 4) + Little(size, 4) +
                               Little(member.name.size(), 2) + Little(0, 2);
    const uint64_t offset = member.offset >= 0 ? static_cast<uint64_t>(member.offset) : data.size();
    data += "PK\3\4" + fields + member.name + packed;
    directory += "PK\1\2" + Little(20, 2) + fields + Little(0, 2) + Little(0, 2) + Little(0, 2) + Little(0, 4) +
                 Little(offset, 4) + member.name;
  }
  return data + directory + "PK\5\6" + Little(0, 4) + Little(members.size(), 2) + Little(members.size(), 2) +
         Little(directory.size(), 4) + Little(data.size(), 4) + Little(0, 2);
}

// An array file: the header's dictionary and the elements' bytes.
inline std::string MakeNpy(const std::string& dictionary, const std::string& elements, int version = 1) {
  return "\x93NUMPY" + Little(static_cast<uint64_t>(version), 1) + Little(0, 1) +
         Little(dictionary.size(), version == 1 ? 2 : 4) + dictionary + elements;
}

}  // namespace rml
