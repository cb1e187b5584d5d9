// A repository with "relu" (ready, with a golden file) and "broken" (failed) behind an InferenceApi.
#pragma once

#include "server/service/inference_api.h"
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
  InferenceApi api_{repository_, metrics_};
};

}  // namespace rml
