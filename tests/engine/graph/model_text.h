// A small graph file as text, and files made by hand, for tests of the readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "tests/engine/temporary_folder.h"

namespace rml {

// A file of a header and data, whatever they are.
inline std::string SafetensorsBytes(const std::string& header, const std::string& data = "") {
  const uint64_t size = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &size, 8);
  return file + header + data;
}

// relu(x * w + 0.5) with w[3] = {1, 2, 3}; x and y have B rows.
inline const char* const kModelJson = R"({"format":"rml-graph","version":1,"producer":"a test",
"symbols":{"B":{"min":1,"max":64}},
"inputs":[
{"id":0,"name":"x","dtype":"f32","shape":["B",3],"rows":true}
],
"constants":[
{"id":1,"name":"w","dtype":"f32","shape":[3]},
{"id":2,"dtype":"f32","shape":[],"data":[0.5]}
],
"nodes":[
{"op":"mul","in":[0,1],"out":[3]},
{"op":"add","in":[3,2],"out":[4],"name":"layer/add"},
{"op":"clamp","in":[4],"out":[5],"attrs":{"min":0.0,"max":6}}
],
"values":[
{"id":3,"dtype":"f32","shape":["B",3]},
{"id":4,"dtype":"f32","shape":["B",3]},
{"id":5,"dtype":"f32","shape":["B",3]}
],
"outputs":[
{"id":5,"name":"y","rows":true}
]}
)";

inline std::string ModelWeights() {
  const float w[] = {1, 2, 3};
  return SafetensorsBytes(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})",
                          std::string(reinterpret_cast<const char*>(w), sizeof(w)));
}

// The model with one text replaced by another; the text must be there.
inline std::string ModelWith(const std::string& text, const std::string& replacement) {
  std::string model = kModelJson;
  const size_t at = model.find(text);
  if (at == std::string::npos) {
    ADD_FAILURE() << "the model has no " << text;
    return model;
  }
  return model.replace(at, text.size(), replacement);
}

}  // namespace rml
