// A repository with "relu" (ready, with a golden file) and "broken" (failed) behind the APIs of both protocols.
#pragma once

#include "server/health/health_board.h"
#include "server/service/inference_api.h"
#include "server/service/open_inference_api.h"
#include "tests/server/repository/model_files.h"

namespace rml {

class ServedModels : public ModelFiles {
 protected:
  ServedModels() {
    WriteRelu("relu/1");
    WriteText(root() / "relu/1/golden.safetensors", ReluGolden({0, 0, 2}));
    WriteText(root() / "relu/config.textproto", "instances: 2 max_rows: 7 warm_up_rows: 3");
    WriteText(root() / "broken/2/model.json", "{");
    repository_.Add(*ScanRepository(root()));
    repository_.LoadAll(false);
  }

  MetricsRegistry metrics_{{}};
  ModelRepository repository_{{.serve = {.default_timeout = std::chrono::seconds(60)}}, metrics_};
  HealthBoard health_;
  InferenceApi api_{repository_, metrics_};
  OpenInferenceApi open_api_{repository_, metrics_, health_, "1.2.3"};
};

}  // namespace rml
