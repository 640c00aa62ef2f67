#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "study/anytime/anytime_study.hpp"

namespace dovetail::study {
namespace {

using Metric = AnytimeMetric;

constexpr AnytimePart kAllTasks = {};
constexpr AnytimePart kShapes = {.shapes = true};
constexpr AnytimePart tasks(std::size_t count) { return {.shapes = false, .tasks = count}; }

// Measured: means over 288 instances (39 of real shapes) of the program used to design the planner.
constexpr std::array kReferences = {
    AnytimeReference{Metric::turnaround_best16, tasks(50), 10, -7.0, -6.0},
    AnytimeReference{Metric::turnaround_best16, tasks(50), 1000, -7.7, -7.0},
    AnytimeReference{Metric::turnaround_best16, tasks(100), 100, -6.5, -5.5},
    AnytimeReference{Metric::turnaround_best16, tasks(100), 1000, -7.1, -6.5},
    AnytimeReference{Metric::turnaround_best16, kAllTasks, 10, -7.8, {}},
    AnytimeReference{Metric::turnaround_best16, kAllTasks, 1000, -8.6, {}},
    AnytimeReference{Metric::turnaround_best16, kShapes, 1000, -13.1, -10.0},
    AnytimeReference{Metric::hours_any, kAllTasks, 1000, 127, {}},
    AnytimeReference{Metric::turnaround_cpar, tasks(50), 1000, -5.8, -5.0},
    AnytimeReference{Metric::hours_cpar_end, tasks(50), 10, -11.9, -10.0},
    AnytimeReference{Metric::hours_cpar_end, tasks(50), 1000, -14.5, -13.0},
    AnytimeReference{Metric::hours_cpar_end, kAllTasks, 10, -13.6, {}},
    AnytimeReference{Metric::hours_cpar_end, kAllTasks, 1000, -16.1, {}},
    AnytimeReference{Metric::hours_cpar_possible, kAllTasks, 1000, -20.2, {}},
    AnytimeReference{Metric::hours_loose, tasks(50), 100, -45, -40.0},
    AnytimeReference{Metric::hours_loose, kAllTasks, 100, -41.9, {}},
    AnytimeReference{Metric::gap_loose, tasks(50), 100, {}, 5.0},
    AnytimeReference{Metric::gap_loose, kAllTasks, 100, 2.8, {}},
    AnytimeReference{Metric::gap_best_dl, kAllTasks, 100, 110, {}},
    AnytimeReference{Metric::gap, kAllTasks, 1000, 2.0, 3.0},
    AnytimeReference{Metric::gap_best16, kAllTasks, 1000, 12.1, {}},
    AnytimeReference{Metric::bound_path, kAllTasks, 1000, 92.3, {}},
    AnytimeReference{Metric::bound_calendar, kAllTasks, 1000, 93.5, {}},
    AnytimeReference{Metric::bound_flow, kAllTasks, 1000, 98.1, {}},
};

// Nothing when the base is missing, because the published planners have no answer, or zero.
std::optional<double> ratio(Area value, std::optional<Area> base) {
  if (!base || *base == 0) return std::nullopt;
  return static_cast<double>(value) / static_cast<double>(*base);
}

// By which share the value is above the base.
std::optional<double> excess(std::optional<Area> value, std::optional<Area> base) {
  const auto share = value ? ratio(*value, base) : std::nullopt;
  return share ? std::optional(*share - 1) : std::nullopt;
}

using Question = AnytimeQuestion;
using CaseRef = const AnytimeCase&;
using AnswerRef = const AnytimeAnswer&;

// The question whose answers a metric measures, its value, and words for the promise about it.
struct MetricInfo {
  std::string_view name;
  AnytimeQuestion question;
  std::optional<double> (*value)(CaseRef one, AnswerRef answer);
  std::string_view words = {};
};

constexpr auto kOverBest16 = [](CaseRef one, AnswerRef a) {
  return excess(a.turnaround, one.best16);
};
constexpr auto kOverCpar = [](CaseRef one, AnswerRef a) { return excess(a.turnaround, one.cpar); };
constexpr auto kHoursOverCpar = [](CaseRef one, AnswerRef a) {
  return excess(a.area, one.cpar_area);
};
constexpr auto kGap = [](CaseRef, AnswerRef a) { return std::optional(a.gap); };

constexpr std::array<MetricInfo, kAnytimeMetrics> kMetrics = {{
    {"turnaround_best16", Question::any_hours, kOverBest16,
     "turn-around against the best of sixteen"},
    {"hours_any", Question::any_hours, kHoursOverCpar},
    {"turnaround_cpar", Question::cpar_hours, kOverCpar,
     "turn-around at the CPU-hours of BL_CPAR_BD_CPAR"},
    {"turnaround_default", Question::default_hours, kOverCpar},
    {"hours_default", Question::default_hours, kHoursOverCpar},
    {"turnaround_default16", Question::default_hours, kOverBest16},
    {"hours_cpar_end", Question::cpar_end, kHoursOverCpar, "CPU-hours at its turn-around"},
    {"hours_cpar_possible", Question::cpar_end,
     [](CaseRef one, AnswerRef a) { return excess(a.least_area, one.cpar_area); }},
    {"hours_loose", Question::loose_deadline,
     [](CaseRef one, AnswerRef a) { return excess(a.area, one.loose_area); },
     "CPU-hours at 1.5 x the tightest deadline, best DL_*"},
    {"gap_loose", Question::loose_deadline, kGap, "the same, above the certified minimum"},
    {"gap_best_dl", Question::loose_deadline,
     [](CaseRef one, AnswerRef a) { return excess(one.loose_area, a.least_area); }},
    {"turnaround_dl", Question::any_hours,
     [](CaseRef one, AnswerRef a) { return excess(a.turnaround, one.tightest); }},
    {"gap", Question::any_hours, kGap, "certified gap"},
    {"gap_best16", Question::any_hours,
     [](CaseRef one, AnswerRef a) { return excess(one.best16, a.least_turnaround); }},
    {"gap_default", Question::default_hours, kGap},
    {"bound_path", Question::any_hours,
     [](CaseRef one, AnswerRef a) { return ratio(one.critical_path, a.turnaround); }},
    {"bound_calendar", Question::any_hours,
     [](CaseRef one, AnswerRef a) { return ratio(one.calendar_path, a.turnaround); }},
    {"bound_flow", Question::any_hours,
     [](CaseRef, AnswerRef a) { return ratio(a.least_turnaround, a.turnaround); }},
}};

const MetricInfo& info_of(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

AnytimePromise mean_promise(const AnytimeReference& reference,
                            const std::optional<AnytimeSummary>& summary) {
  AnytimePromise promise{
      .what = fmt::format("{}, {}, {:g} ms", info_of(reference.metric).words, reference.part.name(),
                          reference.milliseconds),
      .promised = fmt::format("{:+.1f} %", *reference.promised),
      .measured = reference.measured ? fmt::format("{:+.1f} %", *reference.measured) : "",
      .ours = {}};
  if (summary) {
    promise.ours = fmt::format("{:+.2f} %", 100 * summary->mean);
    promise.is_kept = 100 * summary->mean <= *reference.promised;
  }
  return promise;
}

// That a value is below 0 on most instances.
AnytimePromise share_promise(std::string_view what, std::string_view measured,
                             const std::optional<AnytimeSummary>& summary) {
  constexpr std::size_t kPercent = 95;
  AnytimePromise promise{.what = std::string(what),
                         .promised = fmt::format("{} % of instances", kPercent),
                         .measured = std::string(measured),
                         .ours = {}};
  if (summary) {
    promise.ours = fmt::format("{} of {}", summary->below, summary->count);
    promise.is_kept = 100 * summary->below >= kPercent * summary->count;
  }
  return promise;
}

}  // namespace

std::string_view to_string(AnytimeQuestion question) {
  constexpr std::array<std::string_view, kAnytimeQuestions.size()> kNames = {
      "any_hours", "default_hours", "cpar_hours", "cpar_end", "loose_deadline"};
  return kNames[static_cast<std::size_t>(question)];
}

std::string_view to_string(AnytimeMetric metric) { return info_of(metric).name; }

std::string AnytimeLimit::name() const {
  return milliseconds ? fmt::format("{:g} ms", *milliseconds)
                      : fmt::format("{} trials", trials.value_or(0));
}

std::string AnytimePart::name() const {
  if (shapes) return "real shapes";
  return tasks ? fmt::format("{} tasks", *tasks) : "all";
}

const AnytimeAnswer* AnytimeCase::find(AnytimeQuestion question, std::size_t limit) const {
  const auto found = std::ranges::find_if(answers, [&](const AnytimeAnswer& answer) {
    return answer.question == question && answer.limit == limit && answer.has_plan;
  });
  return found == answers.end() ? nullptr : &*found;
}

std::vector<AnytimePart> anytime_parts(std::span<const AnytimeCase> cases) {
  std::set<std::size_t> sizes;
  bool has_shapes = false;
  for (const AnytimeCase& one : cases) {
    has_shapes |= !one.shape.empty();
    if (one.shape.empty()) sizes.insert(one.tasks);
  }
  std::vector<AnytimePart> parts;
  for (const std::size_t size : sizes) parts.push_back(tasks(size));
  if (sizes.size() > 1) parts.push_back(kAllTasks);
  if (has_shapes) parts.push_back(kShapes);
  return parts;
}

AnytimeSummary summarise(std::span<const AnytimeCase> cases, const AnytimePart& part,
                         AnytimeMetric metric, std::size_t limit) {
  std::vector<double> values;
  for (const AnytimeCase& one : cases) {
    if (!part.has(one)) continue;
    const AnytimeAnswer* answer = one.find(info_of(metric).question, limit);
    if (answer == nullptr) continue;
    if (const auto value = info_of(metric).value(one, *answer)) values.push_back(*value);
  }
  AnytimeSummary summary{.count = values.size()};
  if (values.empty()) return summary;
  std::ranges::sort(values);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    summary.below += value < 0 ? 1 : 0;
  }
  const auto count = static_cast<double>(values.size());
  summary.mean = sum / count;
  summary.deviation = std::sqrt(std::max(0.0, squares / count - summary.mean * summary.mean));
  summary.median = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  summary.least = values.front();
  summary.greatest = values.back();
  return summary;
}

AnytimeTies count_ties(std::span<const AnytimeCase> cases, const AnytimePart& part,
                       std::size_t limit) {
  AnytimeTies ties;
  for (const AnytimeCase& one : cases) {
    const AnytimeAnswer* answer =
        part.has(one) ? one.find(AnytimeQuestion::any_hours, limit) : nullptr;
    if (answer == nullptr || answer->turnaround < one.best16) continue;
    ++ties.count;
    ties.at_bound += one.best16 - answer->least_turnaround <= one.best16 / 1000 ? 1 : 0;
  }
  return ties;
}

AnytimeFailures count_failures(std::span<const AnytimeCase> cases) {
  AnytimeFailures failures;
  for (const AnytimeCase& one : cases) {
    for (const AnytimeAnswer& answer : one.answers) {
      ++failures.searches;
      failures.no_plan += answer.has_plan ? 0 : 1;
      if (!answer.has_plan) continue;
      failures.invalid += answer.is_valid ? 0 : 1;
      failures.unproven += answer.is_proven ? 0 : 1;
      failures.worse += answer.is_worse ? 1 : 0;
    }
  }
  return failures;
}

AnytimeTime time_of(std::span<const AnytimeCase> cases, const AnytimePart& part,
                    AnytimeQuestion question, std::size_t limit) {
  AnytimeTime time;
  std::size_t count = 0;
  for (const AnytimeCase& one : cases) {
    const AnytimeAnswer* answer = part.has(one) ? one.find(question, limit) : nullptr;
    if (answer == nullptr) continue;
    ++count;
    time.mean_ms += answer->spent_ms;
    time.mean_trials += static_cast<double>(answer->trials);
    time.worst_ms = std::max(time.worst_ms, answer->spent_ms);
  }
  if (count == 0) return time;
  time.mean_ms /= static_cast<double>(count);
  time.mean_trials /= static_cast<double>(count);
  return time;
}

const AnytimeReference* find_reference(AnytimeMetric metric, const AnytimePart& part,
                                       const AnytimeLimit& limit) {
  const auto found = std::ranges::find_if(kReferences, [&](const AnytimeReference& reference) {
    return reference.metric == metric && reference.part == part &&
           limit.milliseconds == reference.milliseconds;
  });
  return found == kReferences.end() ? nullptr : &*found;
}

std::vector<AnytimePromise> anytime_promises(std::span<const AnytimeCase> cases,
                                             std::span<const AnytimeLimit> limits) {
  // The summary for a time limit; nothing when that was not run.
  const auto find = [&](Metric metric, const AnytimePart& part,
                        double ms) -> std::optional<AnytimeSummary> {
    const auto limit = std::ranges::find(limits, std::optional(ms), &AnytimeLimit::milliseconds);
    if (limit == limits.end()) return std::nullopt;
    const AnytimeSummary summary =
        summarise(cases, part, metric, static_cast<std::size_t>(limit - limits.begin()));
    return summary.count == 0 ? std::nullopt : std::optional(summary);
  };
  const AnytimeFailures failures = count_failures(cases);
  std::vector<AnytimePromise> promises = {
      {.what = "a valid plan with a certificate that holds, never worse than BL_CPAR_BD_CPAR",
       .promised = "always",
       .measured = "always",
       .ours = fmt::format("{} failures in {} searches", failures.total(), failures.searches),
       .is_kept = failures.total() == 0}};
  for (const AnytimeReference& reference : kReferences) {
    if (!reference.promised) continue;
    promises.push_back(
        mean_promise(reference, find(reference.metric, reference.part, reference.milliseconds)));
  }
  promises.push_back(share_promise("better than the best of sixteen, 50 tasks, 10 ms", "",
                                   find(Metric::turnaround_best16, tasks(50), 10)));
  promises.push_back(share_promise("a tighter deadline than every DL_*, all, 10 ms", "288 of 288",
                                   find(Metric::turnaround_dl, kAllTasks, 10)));
  return promises;
}

}  // namespace dovetail::study
