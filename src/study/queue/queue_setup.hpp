// The inputs of the queue study: logs, workflows, instants, and the list of series.
#pragma once

#include "study/queue/queue_study.hpp"

namespace dovetail {

// The 289 instants of the paper, half an hour apart after a day of warm-up, or `count` of them,
// spread evenly.
inline constexpr std::size_t kQueueInstants = 289;
std::vector<Time> queue_instants(std::size_t count);

// The four logs, with the machines of the archive. The paper states 100 nodes for HPC2N, which had
// 120 of two processors.
std::vector<QueueLog> published_queue_logs();

// Whether a name matches a pattern, in which * matches anything; case is ignored.
bool matches(std::string_view name, std::string_view pattern);

// One of the 36 workflows, generated; the same for the same seed, whatever else is generated.
Workflow generated_queue_workflow(std::uint64_t seed, std::string_view application,
                                  std::uint32_t size, QueueLength length);

// Instants, logs, workflows, and the series to run, without outcomes. Throws InputError.
QueueCampaign plan_queue_campaign(const QueueStudyOptions& options);

// The jobs of a log as a setting reads them.
Trace read_queue_log(const QueueLog& log, const QueueSetting& setting, const std::string& data_dir,
                     std::uint64_t seed);

}  // namespace dovetail
