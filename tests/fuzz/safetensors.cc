// Fuzz target: a safetensors file. What the reader takes lies inside the file, and can be had as tensors or is refused by
// name. Under ./dev fuzz the reader must also say the same as the official Python package, of every file: the same ones are
// taken, with the same names, types, shapes, bytes and metadata.
#include "engine/graph/safetensors.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/require.h"
#ifdef RML_SAFETENSORS_REFERENCE
#include "tests/fuzz/safetensors_reference.h"
#endif

namespace rml {
namespace {

void RequireSound(const SafetensorsFile& file) {
  const char* at = file.bytes().data();
  const char* const end = at + file.bytes().size();
  if (!file.entries().empty()) at = file.entries().front().data;
  for (const SafetensorsEntry& entry : file.entries()) {
    Require(entry.data == at && entry.size_bytes >= 0 && entry.size_bytes <= end - at,
            absl::StrCat("tensor '", entry.name, "' does not begin where the one before ends"));
    Require(file.Find(entry.name) == &entry, absl::StrCat("tensor '", entry.name, "' is not found by its name"));
    (void)ToTensor(entry);
    at += entry.size_bytes;
  }
  Require(file.entries().empty() || at == end, "the last tensor does not end where the file does");
}

#ifdef RML_SAFETENSORS_REFERENCE
std::string Describe(const ReferenceFile& file) {
  std::string text;
  for (const auto& [name, tensor] : file.tensors) {
    absl::StrAppend(&text, " '", name, "' ", tensor.dtype, "[");
    for (uint64_t dim : tensor.shape) absl::StrAppend(&text, dim, ",");
    absl::StrAppend(&text, "] of ", tensor.data.size(), " bytes;");
  }
  for (const auto& [key, value] : file.metadata) absl::StrAppend(&text, " metadata '", key, "' = '", value, "';");
  return text;
}

void RequireSameAsReference(std::string_view bytes,
                            const absl::StatusOr<std::shared_ptr<const SafetensorsFile>>& file) {
  const std::optional<ReferenceFile> reference = ReadByReference(bytes);
  Require(file.ok() || !reference, absl::StrCat("refused, taken by the package: ", file.status().message()));
  Require(!file.ok() || reference, "taken, refused by the package");
  if (!file.ok()) return;
  ReferenceFile ours;
  ours.metadata = (*file)->metadata();
  for (const SafetensorsEntry& entry : (*file)->entries()) {
    ours.tensors[entry.name] = {entry.dtype, entry.shape,
                                std::string(entry.data, static_cast<size_t>(entry.size_bytes))};
  }
  Require(ours == *reference, absl::StrCat("read as", Describe(ours), "\nby the package as", Describe(*reference)));
}
#endif

}  // namespace
}  // namespace rml

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto file = rml::SafetensorsFile::Parse(bytes);
  if (file.ok()) rml::RequireSound(**file);
#ifdef RML_SAFETENSORS_REFERENCE
  rml::RequireSameAsReference(bytes, file);
#endif
  return 0;
}
