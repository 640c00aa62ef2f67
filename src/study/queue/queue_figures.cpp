// Figures 2, 3, 5 and 6 of the queue study, and the paper's statements about them.
#include <algorithm>
#include <utility>

#include "core/mapped.hpp"
#include "study/queue/queue_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {

using queue::Requests;

namespace {

// Which workflows a figure shows, on which queue.
struct FigureSpec {
  std::string_view name;
  std::string_view log;
  Requests requests = Requests::accurate;
  Count cap = kUsualCap;
  bool by_length = false;  // those of 250 tasks; otherwise those of medium length
};

constexpr std::array<FigureSpec, 6> kFigures = {{
    {"Figure 2", kFigureLog, Requests::accurate, kWideCap, true},
    {"Figure 3", kFigureLog, Requests::accurate, kUsualCap, true},
    {"Figure 5", kFigureLog, Requests::accurate},
    {"Figure 5", kDoubtLog, Requests::accurate},
    {"Figure 6", kFigureLog, Requests::real},
    {"Figure 6", kDoubtLog, Requests::real},
}};

// How often ZHANG falls back to another strategy, and how often it beats that one when it does not.
struct ZhangRuns {
  std::size_t runs = 0;
  std::size_t single = 0;
  std::size_t one_job = 0;
  std::size_t beats_single_tasks = 0;  // of runs - single
  std::size_t beats_one_job = 0;       // of runs - one_job

  void add(const QueueSeries& zhang, const QueueSeries& single_tasks, const QueueSeries& one) {
    for (std::size_t i = 0; i < zhang.outcomes.size(); ++i) {
      const QueueOutcome& outcome = zhang.outcomes[i];
      ++runs;
      if (outcome.single_mode) {
        ++single;
      } else if (outcome.makespan < single_tasks.outcomes[i].makespan) {
        ++beats_single_tasks;
      }
      if (outcome.is_one_job()) {
        ++one_job;
      } else if (outcome.makespan < one.outcomes[i].makespan) {
        ++beats_one_job;
      }
    }
  }
};

class FigureMaker {
 public:
  FigureMaker(const QueueCampaign& campaign, const FigureSpec& spec, std::size_t log)
      : campaign_(campaign), spec_(spec), log_(log) {}

  QueueFigure make() {
    QueueFigure figure;
    figure.name = spec_.name;
    figure.title = fmt::format(
        "{}, {}, {} requests, at most {} jobs at once", campaign_.logs[log_].name,
        spec_.by_length ? "250 tasks" : "medium length", name_of(spec_.requests), spec_.cap);
    for (std::size_t workflow = 0; workflow < campaign_.workflows.size(); ++workflow) {
      if (shows(campaign_.workflows[workflow])) add_row(figure, workflow);
    }
    if (!figure.rows.empty()) figure.facts = facts(figure);
    return figure;
  }

 private:
  bool shows(const QueueWorkflow& workflow) const {
    return spec_.by_length ? workflow.size == kFigureSize : workflow.length == QueueLength::medium;
  }

  const QueueSeries* series(std::size_t workflow, Cut cut) const {
    return campaign_.find({.setting = campaign_.setting(log_, spec_.requests),
                           .workflow = workflow,
                           .cut = cut,
                           .cap = spec_.cap});
  }

  void add_row(QueueFigure& figure, std::size_t workflow) {
    const QueueSeries* zhang = series(workflow, Cut::zhang);
    if (zhang == nullptr) return;
    QueueFigureRow row{.workflow = workflow};
    for (std::size_t i = 0; i < kComparedCuts.size(); ++i) {
      row.over_zhang[i] = improvement(*series(workflow, kComparedCuts[i]), *zhang);
    }
    ZhangRuns runs;
    const QueueSeries& single_tasks = *series(workflow, Cut::one_job_per_task);
    const QueueSeries& one_job = *series(workflow, Cut::one_job);
    runs.add(*zhang, single_tasks, one_job);
    row.single_mode = report::per_cent(runs.single, runs.runs);
    row.one_job = report::per_cent(runs.one_job, runs.runs);
    all_runs_.add(*zhang, single_tasks, one_job);
    figure.rows.push_back(row);
  }

  static std::vector<double> improvements(const QueueFigure& figure, Cut cut) {
    const auto column =
        static_cast<std::size_t>(std::ranges::find(kComparedCuts, cut) - kComparedCuts.begin());
    return mapped(figure.rows,
                  [&](const QueueFigureRow& row) { return row.over_zhang[column].mean_of_ratios; });
  }

  static std::string ahead(const Lead& lead) {
    return fmt::format("{} of {}, mean {:.1f} %, at most {:.1f} %", lead.ahead, lead.count,
                       lead.mean_ahead, lead.most_ahead);
  }
  static std::string behind(const Lead& lead) {
    return fmt::format("{} of {}, mean {:.1f} %, at most {:.1f} %", lead.behind, lead.count,
                       lead.mean_behind, lead.most_behind);
  }

  std::vector<QueueFact> facts(const QueueFigure& figure) const {
    if (spec_.cap == kWideCap) return wide_cap_facts(figure);
    if (spec_.by_length) return usual_cap_facts(figure);
    return glume_facts(figure);
  }

  std::vector<QueueFact> wide_cap_facts(const QueueFigure& figure) const {
    const Lead single = lead(improvements(figure, Cut::one_job_per_task));
    const std::vector<double> one_job = improvements(figure, Cut::one_job);
    const std::vector<double> by_level = improvements(figure, Cut::level_by_level);
    const auto similar = std::ranges::count_if(one_job, [](double value) { return value > -1; });
    std::size_t levels_behind = 0;
    for (std::size_t i = 0; i < one_job.size(); ++i) levels_behind += by_level[i] < one_job[i];
    const std::size_t others = all_runs_.runs - all_runs_.single;
    return {
        {"ONEJOBPERTASK ahead of ZHANG", ahead(single), "9 of 12, mean 11.16 %, at most 21.06 %"},
        {"ONEJOBPERTASK behind ZHANG", behind(single), "3 of 12, at most 15.29 %"},
        {"ZHANG ends with single tasks",
         fmt::format("{:.2f} % of runs", report::per_cent(all_runs_.single, all_runs_.runs)),
         "23.79 % of runs"},
        {"otherwise beats ONEJOBPERTASK",
         fmt::format("{:.2f} %", report::per_cent(all_runs_.beats_single_tasks, others)),
         "under 30 %"},
        {"ONEJOB similar (within 1 %) or better", fmt::format("{} of {}", similar, one_job.size()),
         "6 of 12"},
        {"LEVELBYLEVEL behind ONEJOB", fmt::format("{} of {}", levels_behind, one_job.size()),
         "12 of 12"}};
  }

  std::vector<QueueFact> usual_cap_facts(const QueueFigure& figure) const {
    const Lead one_job = lead(improvements(figure, Cut::one_job));
    const Lead single = lead(improvements(figure, Cut::one_job_per_task));
    const std::size_t others = all_runs_.runs - all_runs_.one_job;
    return {
        {"ONEJOB ahead of ZHANG", ahead(one_job), "9 of 12"},
        {"ONEJOB behind ZHANG", behind(one_job), "3 of 12, at most 22.45 %"},
        {"ONEJOBPERTASK behind ZHANG", behind(single), "9 of 12"},
        {"ZHANG is one job",
         fmt::format("{:.2f} % of runs", report::per_cent(all_runs_.one_job, all_runs_.runs)),
         "48.32 % of runs"},
        {"otherwise beats ONEJOB",
         fmt::format("{:.2f} %", report::per_cent(all_runs_.beats_one_job, others)), "52.53 %"}};
  }

  std::vector<QueueFact> glume_facts(const QueueFigure& figure) const {
    const auto [published_ahead, published_behind] = published_glume();
    const Lead glume = lead(improvements(figure, Cut::glume));
    const Lead plus = lead(improvements(figure, Cut::glume_plus));
    return {{"GLUME ahead of ZHANG", ahead(glume), std::string(published_ahead)},
            {"GLUME behind ZHANG", behind(glume), std::string(published_behind)},
            {"GLUME+ ahead of ZHANG", ahead(plus), ""},
            {"GLUME+ behind ZHANG", behind(plus), ""}};
  }

  std::pair<std::string_view, std::string_view> published_glume() const {
    if (spec_.log == kDoubtLog) {
      return spec_.requests == Requests::real
                 ? std::pair{"", "11 of 12, mean 22.42 %, at most 55.3 %"}
                 : std::pair{"9 of 12, mean 26.6 %, at most 55.1 %", "3 of 12, at most 0.5 %"};
    }
    return spec_.requests == Requests::real
               ? std::pair{"9 of 12, mean 16.2 %, at most 47.6 %", "0 of 12"}
               : std::pair{"8 of 12, mean 10.6 %, at most 36.6 %", "2 of 12, at most 1.5 %"};
  }

  const QueueCampaign& campaign_;
  const FigureSpec& spec_;
  std::size_t log_;
  ZhangRuns all_runs_;
};

}  // namespace

std::vector<QueueFigure> queue_figures(const QueueCampaign& campaign) {
  std::vector<QueueFigure> figures;
  for (const FigureSpec& spec : kFigures) {
    for (std::size_t log = 0; log < campaign.logs.size(); ++log) {
      // The synthetic log has one figure where the paper has two.
      const bool repeats = spec.log == kDoubtLog && campaign.logs[log].name == kSyntheticLog;
      if (!stands_for(campaign.logs[log], spec.log) || repeats) continue;
      QueueFigure figure = FigureMaker(campaign, spec, log).make();
      if (!figure.rows.empty()) figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace dovetail::study
