// The process metrics that Prometheus clients agree on, read from /proc.
#pragma once

#include <vector>

#include "prometheus/metric_family.h"

namespace rml {

// Appends process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes, process_threads,
// process_open_fds, process_max_fds and process_start_time_seconds; those that cannot be read are left out.
void AppendProcessMetrics(std::vector<prometheus::MetricFamily>& families);

}  // namespace rml
