// What is known about one version of a model.
//
//            files seen          loaded, verified, warm
//   UNLOADED ──────────> LOADING ──────────────────────> READY ──> UNLOADING ──> UNLOADED, or not known any more
//                           └──> FAILED, with the reason   │ last request answered, memory given back
//                                                          └ a reload that is refused changes the reason only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "server/metrics/model_metrics.h"
#include "server/repository/served_model.h"

namespace rml {

enum class ModelState : uint8_t { kLoading, kReady, kUnloading, kUnloaded, kFailed };

using VersionKey = std::pair<std::string, int64_t>;  // model, version; version 0: the model as a whole

// A snapshot. `served` keeps the model from being unloaded: hold it no longer than a request takes.
struct ModelStatus {
  std::string name;
  int64_t version = 0;  // 0: a model that is unusable as a whole
  ModelState state = ModelState::kLoading;
  std::string reason{};  // of kFailed; of kLoading while its files change; of kReady: why the files that are there now
                         // were refused and older ones go on serving
  double load_seconds = 0;
  std::shared_ptr<ServedModel> served{};    // of kReady
  std::shared_ptr<ModelMetrics> metrics{};  // of all but kUnloaded
  std::string tried{};                      // the stamp (ModelSource) of the files of the last load, however it ended
};

// "model 'mlp' version 1", how errors and the log name it; without a version for 0.
std::string ModelLabel(const std::string& name, int64_t version);

}  // namespace rml
