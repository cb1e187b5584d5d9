// A repository on a folder that a test changes, with a clock of the test's.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/repository/model_repository.h"
#include "tests/server/repository/model_files.h"

namespace rml {

// What Load() and Unload() came to, once they have.
struct Outcome {
  std::optional<absl::Status> status;
  ModelRepository::Done done() {
    return [this](const absl::Status& s) {
      EXPECT_FALSE(status) << "answered twice";
      status = s;
    };
  }
};

class ChangingModels : public ModelFiles {
 protected:
  ChangingModels() {
    options_.mode = RepositoryMode::kPoll;
    options_.look = [this] { return ScanRepository(root()); };
    options_.now = [this] { return now_; };
    options_.on_look_error = [this](const absl::Status& status) { errors_.emplace_back(status.message()); };
  }

  // As at the start of a server.
  void Start() {
    repository_ = std::make_unique<ModelRepository>(options_, metrics_);
    repository_->Add(*ScanRepository(root()));
    repository_->LoadAll(stop_);
  }
  // One look a second: files that were changed before are seen by the first and settled at the second.
  void Look() {
    now_ += std::chrono::seconds(1);
    repository_->Step(stop_);
  }
  void Settle() {
    Look();
    Look();
  }

  // "m/1 READY, m/2 FAILED why".
  std::vector<std::string> States() const {
    std::vector<std::string> states;
    for (const ModelStatus& status : repository_->List()) {
      const char* names[] = {"LOADING", "READY", "UNLOADING", "UNLOADED", "FAILED"};
      states.push_back(status.name + "/" + std::to_string(status.version) + " " +
                       names[static_cast<int>(status.state)]);
    }
    return states;
  }
  std::string Reason(int64_t version) const { return repository_->Get("m", version)->reason; }

  RepositoryOptions options_;
  Time now_{std::chrono::seconds(1000)};
  std::vector<std::string> errors_;
  std::atomic<bool> stop_{false};
  MetricsRegistry metrics_{{}};
  std::unique_ptr<ModelRepository> repository_;
};

}  // namespace rml
