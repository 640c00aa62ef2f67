// The inputs of the queue study: logs, workflows, instants, and the list of series.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/pegasus.hpp"
#include "gen/reservation_logs.hpp"
#include "gen/workload.hpp"
#include "study/queue/queue_study.hpp"

namespace dovetail::study {
namespace {

constexpr std::array<double, 4> kLeastUtilisations = {0.25, 0.5, 0.75, 0.9};

constexpr std::size_t kQuickInstants = 6;

// The prefix of the published files, by application.
std::string_view file_prefix(std::string_view application) {
  constexpr std::array<std::string_view, kQueueApplications.size()> kPrefixes = {
      "CYBERSHAKE", "GENOME", "MONTAGE", "SIPHT"};
  const auto found = std::ranges::find(kQueueApplications, application);
  return kPrefixes[static_cast<std::size_t>(found - kQueueApplications.begin())];
}

bool is_wanted(const QueueStudyOptions& options, const QueueLog& log) {
  if (options.doubt) return log.name == kDoubtLog;
  return options.logs.empty() || std::ranges::count(options.logs, log.name) > 0;
}

std::vector<QueueLog> chosen_logs(const QueueStudyOptions& options) {
  const std::vector<QueueLog> known = published_queue_logs();
  require_known_logs(options.logs,
                     mapped(known, [](const QueueLog& log) { return std::string_view(log.name); }));
  if (options.doubt && !options.logs.empty() &&
      options.logs != std::vector{std::string(kDoubtLog)}) {
    throw InputError(fmt::format("the doubt is about {} alone; leave out --log", kDoubtLog));
  }
  if (options.synthetic) return {{.name = std::string(kSyntheticLog), .file = "", .nodes = 128}};
  std::vector<QueueLog> chosen;
  std::ranges::copy_if(known, std::back_inserter(chosen),
                       [&](const QueueLog& log) { return is_wanted(options, log); });
  return chosen;
}

bool is_wanted(const QueueStudyOptions& options, const QueueWorkflow& workflow) {
  if (options.doubt && workflow.length != QueueLength::medium) return false;
  if (options.workflows.empty()) return true;
  return std::ranges::any_of(options.workflows, [&](const std::string& pattern) {
    return matches(workflow.name, pattern);
  });
}

// Finds or generates the tasks; false when there is no file and none may be generated.
class WorkflowSource {
 public:
  explicit WorkflowSource(const QueueStudyOptions& options) : options_(options) {
    if (options.synthetic || options.source == QueueWorkflows::generated) return;
    const auto folder =
        std::filesystem::path(study_data_folder(options.data_dir)) / "dax" / "glume";
    if (std::filesystem::is_directory(folder)) folder_ = folder;
  }

  bool fill(QueueWorkflow& workflow) const {
    const std::string file = fmt::format("{}_{}_{}.dax", file_prefix(workflow.application),
                                         workflow.size, hours_of(workflow.length) * 3600);
    const bool is_there = !folder_.empty() && std::filesystem::exists(folder_ / file);
    if (!folder_.empty() && !is_there && options_.source == QueueWorkflows::published) return false;
    workflow.generated = !is_there;
    workflow.tasks = std::make_shared<const queue::LeveledTasks>(
        is_there ? read_workflow((folder_ / file).string())
                 : generated_queue_workflow(options_.seed, workflow.application, workflow.size,
                                            workflow.length),
        Cluster{.name = "node", .processors = 1});
    return true;
  }

 private:
  const QueueStudyOptions& options_;
  std::filesystem::path folder_;  // empty: all are generated
};

std::vector<QueueWorkflow> chosen_workflows(const QueueStudyOptions& options) {
  const WorkflowSource source(options);
  std::vector<QueueWorkflow> chosen;
  for (const std::string_view application : kQueueApplications) {
    for (const std::uint32_t size : kQueueSizes) {
      for (const QueueLength length : kQueueLengths) {
        QueueWorkflow workflow{.name = fmt::format("{}-{}-{}", application, size, name_of(length)),
                               .application = application,
                               .size = size,
                               .length = length};
        if (is_wanted(options, workflow) && source.fill(workflow)) {
          chosen.push_back(std::move(workflow));
        }
      }
    }
  }
  if (chosen.empty()) {
    throw InputError(
        "the study has no such workflow; names are like Montage-250-medium, with CyberShake, "
        "Epigenomics, Montage or Sipht, 50, 250 or 500, short, medium or long, and * for anything");
  }
  return chosen;
}

// Calls use(log, workflow) for the logs that stand for the named one.
template <typename Use>
void for_each_workflow(const QueueCampaign& campaign, std::string_view log_name, Use use) {
  for (std::size_t log = 0; log < campaign.logs.size(); ++log) {
    if (!stands_for(campaign.logs[log], log_name)) continue;
    for (std::size_t workflow = 0; workflow < campaign.workflows.size(); ++workflow) {
      use(log, workflow);
    }
  }
}

// The scenarios of Table 2; those of the figures are among them.
void add_table(QueueCampaign& campaign) {
  for (std::size_t log = 0; log < campaign.logs.size(); ++log) {
    for (const queue::Requests requests : {queue::Requests::accurate, queue::Requests::real}) {
      for (std::size_t workflow = 0; workflow < campaign.workflows.size(); ++workflow) {
        for (const Count cap : campaign.caps) {
          for (const Cut cut : kCuts) {
            campaign.series.push_back({.key = {.setting = campaign.setting(log, requests),
                                               .workflow = workflow,
                                               .cut = cut,
                                               .cap = cap}});
          }
        }
      }
    }
  }
}

void add_front(QueueCampaign& campaign) {
  for_each_workflow(campaign, kFigureLog, [&](std::size_t log, std::size_t workflow) {
    if (campaign.workflows[workflow].length != QueueLength::medium) return;
    for (const double least : kLeastUtilisations) {
      campaign.series.push_back(
          {.key = {.setting = campaign.setting(log, queue::Requests::accurate),
                   .workflow = workflow,
                   .cut = Cut::glume_plus,
                   .min_utilisation = least}});
    }
  });
}

void add_doubt(QueueCampaign& campaign) {
  for_each_workflow(campaign, kDoubtLog, [&](std::size_t log, std::size_t workflow) {
    for (const bool contiguous : {false, true}) {
      for (const queue::NeverRan never_ran : {queue::NeverRan::drop, queue::NeverRan::request}) {
        for (const Cut cut : {Cut::zhang, Cut::glume}) {
          campaign.series.push_back(
              {.key = {.setting = {log, queue::Requests::real, contiguous, never_ran},
                       .workflow = workflow,
                       .cut = cut}});
        }
      }
    }
  });
}

}  // namespace

std::vector<Time> queue_instants(std::size_t count) {
  constexpr Time kFirst = 86'400 * kSecond;
  constexpr Duration kStep = 1'800 * kSecond;
  count = std::min(count, kQueueInstants);
  std::vector<Time> instants;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t number = (2 * i + 1) * kQueueInstants / (2 * count);
    instants.push_back(kFirst + static_cast<Time>(number) * kStep);
  }
  return instants;
}

std::vector<QueueLog> published_queue_logs() {
  return {{"KTH-SP2", "KTH-SP2-1996-2.1-cln.swf.gz", 100, 1},
          {"SDSC-SP2", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, 1},
          {"HPC2N", "HPC2N-2002-2.2-cln.swf.gz", 120, 2},
          {"CTC-SP2", "CTC-SP2-1996-3.1-cln.swf.gz", 338, 1}};
}

bool matches(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches(name, pattern.substr(1)) || (!name.empty() && matches(name.substr(1), pattern));
  }
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return !name.empty() && lower(name.front()) == lower(pattern.front()) &&
         matches(name.substr(1), pattern.substr(1));
}

Workflow generated_queue_workflow(std::uint64_t seed, std::string_view application,
                                  std::uint32_t size, QueueLength length) {
  constexpr std::array kMakers = {gen::cybershake, gen::epigenomics, gen::montage, gen::sipht};
  const auto number = static_cast<std::size_t>(std::ranges::find(kQueueApplications, application) -
                                               kQueueApplications.begin());
  Random random = Random(seed).split(number).split(size).split(static_cast<std::uint64_t>(length));
  return kMakers[number]({.tasks = size, .hours = static_cast<double>(hours_of(length))}, random,
                         fmt::format("{}-{}-{}", application, size, name_of(length)));
}

QueueCampaign plan_queue_campaign(const QueueStudyOptions& options) {
  const bool is_quick = options.scale == StudyScale::quick;
  QueueCampaign campaign;
  campaign.instants =
      queue_instants(options.instants.value_or(is_quick ? kQuickInstants : kQueueInstants));
  if (campaign.instants.empty()) throw InputError("the study needs at least one instant");
  campaign.doubt = options.doubt;
  campaign.contiguous = options.contiguous;
  campaign.never_ran = options.never_ran;
  campaign.caps = options.caps.empty() ? std::vector{kUsualCap, kWideCap} : options.caps;
  campaign.logs = chosen_logs(options);
  campaign.workflows = chosen_workflows(options);
  if (options.doubt) {
    add_doubt(campaign);
  } else {
    add_table(campaign);
    if (std::ranges::count(campaign.caps, kUsualCap) > 0) add_front(campaign);
  }
  return campaign;
}

queue::Trace read_queue_log(const QueueLog& log, const QueueSetting& setting,
                            const std::string& data_dir, std::uint64_t seed) {
  const queue::TraceRules rules{.requests = setting.requests,
                                .never_ran = setting.never_ran,
                                .nodes = log.nodes,
                                .processors_per_node = log.processors_per_node};
  if (!log.file.empty()) {
    return queue::read_trace(gen::archive_log_path(log.file, study_data_folder(data_dir)), rules);
  }
  // Enough jobs for the week and for the workflows' time after it.
  constexpr std::uint32_t kJobs = 4'000;
  const gen::Workload workload = gen::make_workload(
      {.seed = seed, .lublin = {.processors = log.nodes, .jobs = kJobs}, .load = 0.8});
  return queue::all_of(queue::TraceFile(io::format_swf(gen::to_swf(workload)), log.name, rules));
}

}  // namespace dovetail::study
