#include "server/metrics/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rml {
namespace {

using testing::HasSubstr;
using testing::Not;

class RegistryTest : public testing::Test {
 protected:
  MetricsRegistry registry_{{"1.2.3", "7", "avx2"}};
};

TEST_F(RegistryTest, NamesOfTheServer) {
  const std::string text = registry_.Text();
  EXPECT_THAT(text, HasSubstr("rml_build_info{version=\"1.2.3\",numerics=\"7\",isa=\"avx2\"} 1"));
  EXPECT_THAT(text, HasSubstr("rml_model_loads_total{result=\"success\"} 0"));
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
                           "process_max_fds", "process_start_time_seconds", "process_threads"}) {
    EXPECT_THAT(text, HasSubstr(std::string("# TYPE ") + name));
  }
}

TEST_F(RegistryTest, OneModel) {
  const auto model = registry_.ForModel("mlp", 3);
  EXPECT_EQ(registry_.ForModel("mlp", 3), model);
  model->CountRequest(Method::kRun, absl::StatusCode::kOk);
  model->CountRequest(Method::kRun, absl::StatusCode::kOk);
  model->CountRequest(Method::kProfile, absl::StatusCode::kInvalidArgument);
  model->request_duration.Observe(0.00013);
  model->queue_depth = 5;
  model->ready = true;
  model->memory_bytes = 1000;
  model->wasted_compute_ns.Add(1500000000);
  const std::string text = registry_.Text();
  const std::string labels = "{model=\"mlp\",version=\"3\"";
  for (const std::string& line : {
           "rml_requests_total" + labels + ",method=\"Run\",code=\"OK\"} 2",
           "rml_requests_total" + labels + ",method=\"Profile\",code=\"INVALID_ARGUMENT\"} 1",
           "rml_request_duration_seconds_count" + labels + "} 1",
           "rml_request_duration_seconds_bucket" + labels + ",le=\"0.0001\"} 0",
           "rml_request_duration_seconds_bucket" + labels + ",le=\"0.00014\"} 1",
           "rml_request_duration_seconds_bucket" + labels + ",le=\"+Inf\"} 1",
           "rml_queue_depth" + labels + "} 5",
           "rml_requests_in_flight" + labels + "} 0",
           "rml_model_ready" + labels + "} 1",
           "rml_model_memory_bytes" + labels + "} 1000",
           "rml_wasted_compute_seconds_total" + labels + "} 1.5",
       }) {
    EXPECT_THAT(text, HasSubstr(line + "\n"));
  }
}

TEST_F(RegistryTest, UnknownModelsShareOneSeries) {
  registry_.unknown_model().CountRequest(Method::kRun, absl::StatusCode::kNotFound);
  const std::string text = registry_.Text();
  EXPECT_THAT(text, HasSubstr("rml_requests_total{model=\"\",version=\"\",method=\"Run\",code=\"NOT_FOUND\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("rml_model_ready{")));
}

}  // namespace
}  // namespace rml
