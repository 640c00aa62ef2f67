// The fair study as text.
#include <fmt/format.h>

#include <algorithm>

#include "study/fair/fair_study.hpp"
#include "study/report.hpp"

namespace dovetail {
namespace {

using report::Text;

constexpr int kNameWidth = 16;
constexpr std::array<std::string_view, 5> kBoxParts = {"least", "quartile", "median", "quartile",
                                                       "greatest"};

std::string_view title_of(FairMetric metric) {
  switch (metric) {
    case FairMetric::makespan:
      return "makespan";
    case FairMetric::average_stretch:
      return "average stretch";
    case FairMetric::maximum_stretch:
      break;
  }
  return "maximum stretch";
}

// The content of Figures 2, 3 and 4.
struct Figure {
  int number;
  FairMetric metric;
  std::string_view unit;
};
constexpr std::array kFigures = {Figure{2, FairMetric::average_stretch, ""},
                                 Figure{3, FairMetric::makespan, " in seconds"},
                                 Figure{4, FairMetric::maximum_stretch, ""}};

struct NamedPart {
  std::string name;
  FairPart part;
};

// The classes that were run, if several, and all together.
std::vector<NamedPart> by_class(const FairStudyResult& result) {
  std::vector<NamedPart> parts;
  for (const KernelClass kernels : kKernelClasses) {
    const FairPart part{.kernels = kernels};
    if (count_cases(result.cases, part) == 0) continue;
    parts.push_back({std::string(to_string(kernels)), part});
  }
  if (parts.size() != 1) parts.push_back({"all", {}});
  return parts;
}

// The clusters that were run, if several, and all together.
std::vector<NamedPart> by_cluster(const FairStudyResult& result) {
  std::vector<NamedPart> parts{{"all", {}}};
  for (const FairCluster& cluster : fair_clusters()) {
    const FairPart part{.processors = cluster.processors};
    const std::size_t cases = count_cases(result.cases, part);
    if (cases == 0 || cases == result.cases.size()) continue;
    parts.push_back({fmt::format("{} processors", cluster.processors), part});
  }
  return parts;
}

template <typename Box, typename ToText>
void write_box(Text out, std::string_view name, std::string_view part, const Box& box,
               ToText to_text) {
  fmt::format_to(out, "{:<{}}  {:<9}", name, kNameWidth, part);
  for (const auto& value : box) fmt::format_to(out, " {:>9}", to_text(value));
  fmt::format_to(out, "\n");
}

void write_figure(Text out, const FairStudyResult& result, const Figure& figure) {
  fmt::format_to(out, "\nFigure {}: {}{}\n", figure.number, title_of(figure.metric), figure.unit);
  write_box(out, "", "", kBoxParts, [](std::string_view part) { return std::string(part); });
  const auto planners_run = fair_planners();
  const int decimals = figure.metric == FairMetric::makespan ? 1 : 2;
  for (std::size_t i = 0; i < planners_run.size(); ++i) {
    std::string_view name = planners_run[i]->name;
    for (const NamedPart& part : by_class(result)) {
      write_box(out, name, part.name, box_of(result.cases, part.part, i, figure.metric),
                [&](double value) { return fmt::format("{:.{}f}", value, decimals); });
      name = "";
    }
    const auto theirs = published::fair_box(planners_run[i]->name, figure.metric);
    if (!theirs[4]) continue;
    write_box(out, "", "published", theirs, [](const std::optional<double>& value) {
      return value ? fmt::format("{:.2f}", *value) : "-";
    });
  }
}

void write_percents(Text out, const FairStudyResult& result) {
  fmt::format_to(out, "\nTable II: per cent above MAGS, on average (positive: MAGS is better)\n");
  fmt::format_to(out, "{:<{}}  {:<14}", "", kNameWidth, "");
  for (const FairMetric metric : kFairMetrics) fmt::format_to(out, " {:>16}", title_of(metric));
  fmt::format_to(out, "\n");
  const auto planners_run = fair_planners();
  for (std::size_t i = 0; i < planners_run.size(); ++i) {
    std::string_view name = planners_run[i]->name;
    if (!published::fair_percent(name, FairMetric::makespan)) continue;
    const auto write = [&](std::string_view part, auto value_of) {
      fmt::format_to(out, "{:<{}}  {:<14}", name, kNameWidth, part);
      for (const FairMetric metric : kFairMetrics) {
        fmt::format_to(out, " {:>16.2f}", value_of(metric));
      }
      fmt::format_to(out, "\n");
      name = "";
    };
    for (const NamedPart& part : by_cluster(result)) {
      write(part.name, [&](FairMetric metric) {
        return percent_above_mags(result.cases, part.part, i, metric);
      });
      if (part.name != "all") continue;
      write("published", [&](FairMetric metric) {
        return *published::fair_percent(planners_run[i]->name, metric);
      });
    }
  }
}

void write_slacks(Text out, const FairStudyResult& result) {
  fmt::format_to(out, "\nSlack of MAGS\n");
  for (const NamedPart& part : by_cluster(result)) {
    const SlackFacts facts = slack_facts(result.cases, part.part);
    fmt::format_to(out, "{:<15} 1 on {:.1f} % of {} cases, above 2 on {}, {:.2f} at most\n",
                   part.name, report::per_cent(facts.ones, facts.cases), facts.cases,
                   facts.above_two, facts.largest);
  }
  fmt::format_to(out, "{:<15} 1 on {:g} % of 1500 cases, above 2 on {}\n", "published",
                 published::kSlackOnePercent, published::kSlackAboveTwo);
  const SlackFacts facts = slack_facts(result.cases, {});
  fmt::format_to(out, "No workflow beyond 2 x slack x S*: {}\n",
                 facts.beyond_bound == 0 ? fmt::format("true of all {} cases", facts.cases)
                                         : fmt::format("broken in {} cases", facts.beyond_bound));
}

void write_timings(Text out, const FairStudyResult& result) {
  if (result.timings.empty()) return;
  fmt::format_to(out, "\nMilliseconds a plan: 10 random workflows on {} processors, mean of {}\n",
                 fair_clusters().back().processors, result.timed_sets);
  for (const FairTiming& timing : result.timings) {
    fmt::format_to(out, "{:<{}} {:>10.2f}   published {:>9.0f}\n", timing.algorithm, kNameWidth,
                   timing.milliseconds, 1000 * *published::fair_seconds(timing.algorithm));
  }
}

}  // namespace

std::string format_table(const FairStudyResult& result) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "Workflows that share a cluster, scale {}, seed {}\n",
                 report::name_of(result.scale), result.seed);
  fmt::format_to(out, "{} cases, {} plans: {} sets of each class and number of workflows\n",
                 result.cases.size(), result.cases.size() * fair_planners().size(), result.sets);
  for (const Figure& figure : kFigures) write_figure(out, result, figure);
  write_percents(out, result);
  write_slacks(out, result);
  write_timings(out, result);
  text += "\nWhat agrees with the paper and what does not: docs/studies.md.\n";
  return text;
}

}  // namespace dovetail
