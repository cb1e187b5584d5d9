// What the server says about a model.
#pragma once

#include "rml/v1/inference.pb.h"
#include "server/repository/model_repository.h"

namespace rml {

enum class Detail { kList, kFull };  // kFull: with the passes

void FillModel(const ModelStatus& status, Detail detail, v1::Model& message);

}  // namespace rml
