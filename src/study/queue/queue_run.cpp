// Runs the queue study: every log is replayed once and forked at every instant; each fork runs all
// workflows under all strategies.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "queue/sim/workflow_run.hpp"
#include "study/parallel.hpp"
#include "study/queue/queue_study.hpp"

namespace dovetail::study {
namespace {

constexpr Time kWeek = 604'800 * kSecond;

// List schedules of every workflow, for one thread at a time. They are the most expensive part of a
// decision and the same at every instant, so each set is reused.
class Shelf {
 public:
  using Set = std::vector<queue::RunTimes>;

  Shelf(const std::vector<QueueWorkflow>& workflows, queue::Pick pick)
      : workflows_(workflows), pick_(pick) {}

  std::unique_ptr<Set> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!unused_.empty()) {
        auto set = std::move(unused_.back());
        unused_.pop_back();
        return set;
      }
    }
    auto set = std::make_unique<Set>();
    for (const QueueWorkflow& workflow : workflows_) set->emplace_back(*workflow.tasks, pick_);
    return set;
  }

  void put_back(std::unique_ptr<Set> set) {
    const std::lock_guard lock(mutex_);
    unused_.push_back(std::move(set));
  }

 private:
  const std::vector<QueueWorkflow>& workflows_;
  queue::Pick pick_;
  std::mutex mutex_;  // guards the line below
  std::vector<std::unique_ptr<Set>> unused_;
};

// One setting: its series, and the queue as it is at every instant.
struct Stage {
  QueueSettingFacts facts;
  std::vector<std::size_t> series = {};
  std::vector<queue::Background> forks = {};  // by instant
};

std::vector<Stage> make_stages(const QueueCampaign& campaign) {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < campaign.series.size(); ++i) {
    const QueueSetting& setting = campaign.series[i].key.setting;
    auto stage = std::ranges::find_if(
        stages, [&](const Stage& known) { return known.facts.setting == setting; });
    if (stage == stages.end()) {
      stages.push_back({.facts = {.setting = setting}});
      stage = std::prev(stages.end());
    }
    stage->series.push_back(i);
  }
  return stages;
}

double first_week_load(const std::vector<queue::Job>& jobs, Count nodes) {
  double held = 0;
  for (const queue::Job& job : jobs) {
    if (job.submit < kWeek) held += static_cast<double>(job.run) * job.ask.nodes;
  }
  return held / (static_cast<double>(kWeek) * nodes);
}

void replay_background(const QueueCampaign& campaign, const QueueStudyOptions& options,
                       Stage& stage) {
  const QueueSetting& setting = stage.facts.setting;
  const QueueLog& log = campaign.logs[setting.log];
  auto jobs = std::make_shared<const std::vector<queue::Job>>(
      read_queue_log(log, setting, options.data_dir, options.seed).jobs);
  stage.facts.jobs = jobs->size();
  stage.facts.first_week = first_week_load(*jobs, log.nodes);
  const queue::QueueRules rules{.room = {.nodes = log.nodes, .contiguous = setting.contiguous}};
  stage.forks = queue::forks_at(queue::Background(rules, std::move(jobs)), campaign.instants);
}

QueueOutcome run_one(const queue::Background& fork, const QueueSeriesKey& key,
                     queue::RunTimes& run_times, queue::StrategyOptions options) {
  options.cap = key.cap;
  options.min_utilisation = key.min_utilisation;
  const queue::WorkflowResult result =
      queue::run_workflow(fork, *queue::find_strategy(name_of(key.cut)), run_times, options);
  return {.makespan = result.makespan,
          .held = result.held,
          .jobs = static_cast<std::uint32_t>(result.jobs.size()),
          .expired = static_cast<std::uint32_t>(result.count(queue::PilotOutcome::expired)),
          .single_mode = result.single_mode};
}

// Runs the series of the campaign, at its instants and on its workflows.
void run_series(QueueCampaign& campaign, const QueueStudyOptions& options) {
  std::vector<Stage> stages = make_stages(campaign);
  parallel_for(stages.size(), options.threads,
               [&](std::size_t i) { replay_background(campaign, options, stages[i]); });
  for (QueueSeries& series : campaign.series) series.outcomes.resize(campaign.instants.size());
  const queue::StrategyOptions strategies = strategy_options(options.rules);
  Shelf shelf(campaign.workflows, strategies.pick);
  const auto run_item = [&](std::size_t item) {
    const Stage& stage = stages[item / campaign.instants.size()];
    const std::size_t instant = item % campaign.instants.size();
    auto run_times = shelf.take();
    for (const std::size_t number : stage.series) {
      QueueSeries& series = campaign.series[number];
      series.outcomes[instant] =
          run_one(stage.forks[instant], series.key, (*run_times)[series.key.workflow], strategies);
    }
    shelf.put_back(std::move(run_times));
  };
  parallel_for(stages.size() * campaign.instants.size(), options.threads, run_item,
               options.progress);
  for (Stage& stage : stages) campaign.settings.push_back(stage.facts);
}

}  // namespace

double QueueSeries::mean_makespan() const { return mean(outcomes, &QueueOutcome::makespan); }

const QueueSeries* QueueCampaign::find(const QueueSeriesKey& key) const {
  const auto found = std::ranges::find(series, key, &QueueSeries::key);
  return found == series.end() ? nullptr : &*found;
}

std::string_view to_string(QueueStudyRules rules) {
  return rules == QueueStudyRules::paper ? "paper" : "authors";
}

queue::StrategyOptions strategy_options(QueueStudyRules rules) {
  if (rules == QueueStudyRules::paper) return {};
  return {.requests = queue::RequestRule::authors,
          .zhang = queue::ZhangRule::code,
          .glume = queue::GlumeRule::code,
          .leeway = queue::LeewayRule::code};
}

QueueStudyResult run_queue_study(const QueueStudyOptions& options) {
  QueueStudyResult result{plan_queue_campaign(options)};
  result.scale = options.scale;
  result.seed = options.seed;
  result.rules = options.rules;
  run_series(result, options);
  result.tables = queue_tables(result);
  return result;
}

}  // namespace dovetail::study
