// One function per op (families share one): adds a node of that op with operands and attributes as the coverage wants
// them.
#pragma once

#include <string_view>

#include "tests/engine/random/graph_draft.h"

namespace rml {

// Adds a node of draft.op() on data of draft.data_type(), and what it needs before it. False if it found no way; values
// that it made until then stay.
using NodeMaker = bool (*)(GraphDraft& draft);

// The maker of the op of that name, nullptr if there is none.
NodeMaker FindMaker(std::string_view name);

// By family: make_<family>.cc.
bool MakeUnary(GraphDraft& draft);  // elementwise
bool MakeGelu(GraphDraft& draft);
bool MakeBinary(GraphDraft& draft);
bool MakeWhere(GraphDraft& draft);
bool MakeClamp(GraphDraft& draft);
bool MakeCast(GraphDraft& draft);
bool MakeSoftmax(GraphDraft& draft);  // rows
bool MakeLayerNorm(GraphDraft& draft);
bool MakeReduce(GraphDraft& draft);
bool MakeArgExtreme(GraphDraft& draft);
bool MakeCumsum(GraphDraft& draft);
bool MakeTopK(GraphDraft& draft);
bool MakeMatMul(GraphDraft& draft);  // products
bool MakeSdpa(GraphDraft& draft);
bool MakeConv2d(GraphDraft& draft);  // windows
bool MakeConvTranspose2d(GraphDraft& draft);
bool MakePool(GraphDraft& draft);
bool MakeResize2d(GraphDraft& draft);
bool MakeGather(GraphDraft& draft);          // moves
bool MakeElementIndexed(GraphDraft& draft);  // gather_elements, scatter_add
bool MakeConcat(GraphDraft& draft);
bool MakePad(GraphDraft& draft);
bool MakeReshape(GraphDraft& draft);  // views
bool MakeTranspose(GraphDraft& draft);
bool MakeSqueeze(GraphDraft& draft);
bool MakeUnsqueeze(GraphDraft& draft);
bool MakeBroadcastTo(GraphDraft& draft);
bool MakeSlice(GraphDraft& draft);

// What feature `name` of an op with a default says: its option "absent" leaves the attribute out.
// {"keep_dims", true}, or nothing.
void AddBool(GraphDraft& draft, const char* name, Attrs& attrs);

}  // namespace rml
