// A model with every kind of input: rows and fixed dims, several elements a row, a scalar, i32 and f32.
#pragma once

namespace rml {

// x f32[B, 3] -> y, ids i32[2*B] -> z, s f32[] -> t; B in 1..8.
inline constexpr char kEveryInput[] = R"({"format":"rml-graph","version":1,"producer":"test",
"symbols":{"B":{"min":1,"max":8}},
"inputs":[{"id":0,"name":"x","dtype":"f32","shape":["B",3]},{"id":1,"name":"ids","dtype":"i32","shape":["2*B"]},
{"id":2,"name":"s","dtype":"f32","shape":[]}],
"constants":[],
"nodes":[{"op":"relu","in":[0],"out":[3]},{"op":"neg","in":[1],"out":[4]},{"op":"neg","in":[2],"out":[5]}],
"values":[{"id":3,"dtype":"f32","shape":["B",3]},{"id":4,"dtype":"i32","shape":["2*B"]},{"id":5,"dtype":"f32","shape":[]}],
"outputs":[{"id":3,"name":"y"},{"id":4,"name":"z"},{"id":5,"name":"t"}]})";

}  // namespace rml
