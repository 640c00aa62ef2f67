// The fair study as text, JSON and CSV.
#include <algorithm>

#include "study/fair/fair_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using report::Text;

constexpr int kNameWidth = 16;
constexpr std::array<std::string_view, 5> kBoxParts = {"least", "quartile", "median", "quartile",
                                                       "greatest"};

std::string metric_title(FairMetric metric) {
  std::string title(to_string(metric));
  std::ranges::replace(title, '_', ' ');
  return title;
}

// The content of Figures 2, 3 and 4.
struct Figure {
  int number;
  FairMetric metric;
  std::string_view unit;
};
constexpr std::array kFairFigures = {Figure{2, FairMetric::average_stretch, ""},
                                     Figure{3, FairMetric::makespan, " in seconds"},
                                     Figure{4, FairMetric::maximum_stretch, ""}};

// The classes that were run, if several, and all together.
std::vector<FairPart> by_class(const FairStudyResult& result) {
  std::vector<FairPart> parts = class_parts(result.cases);
  if (parts.size() != 1) parts.push_back({});
  return parts;
}

// All together, and the clusters that were run, if several.
std::vector<FairPart> by_cluster(const FairStudyResult& result) {
  std::vector<FairPart> parts = cluster_parts(result.cases);
  if (parts.size() == 1) parts.clear();
  parts.insert(parts.begin(), FairPart{});
  return parts;
}

// An algorithm, the part of the cases, and a cell for every value.
template <typename Values, typename ToText>
void write_part(Text out, report::LineWidths part, std::string_view algorithm,
                std::string_view name, const Values& values, ToText to_text) {
  report::write_line(out, {kNameWidth + 2 + part.name, part.cell},
                     fmt::format("{:<{}}  {}", algorithm, kNameWidth, name), values, to_text);
}

void write_figure(Text out, const FairStudyResult& result, const Figure& figure) {
  constexpr report::LineWidths kWidths = {9, 9};
  fmt::format_to(out, "\nFigure {}: {}{}\n", figure.number, metric_title(figure.metric),
                 figure.unit);
  write_part(out, kWidths, "", "", kBoxParts, [](std::string_view part) { return part; });
  const auto planners_run = fair_planners();
  const int decimals = figure.metric == FairMetric::makespan ? 1 : 2;
  for (std::size_t i = 0; i < planners_run.size(); ++i) {
    std::string_view name = planners_run[i]->name;
    for (const FairPart& part : by_class(result)) {
      write_part(out, kWidths, name, part.name(), box_of(result.cases, part, i, figure.metric),
                 [&](double value) { return fmt::format("{:.{}f}", value, decimals); });
      name = "";
    }
    const auto theirs = published::fair_box(planners_run[i]->name, figure.metric);
    if (!theirs[4]) continue;
    write_part(out, kWidths, "", "published", theirs, [](const std::optional<double>& value) {
      return value ? fmt::format("{:.2f}", *value) : "-";
    });
  }
}

void write_percents(Text out, const FairStudyResult& result) {
  constexpr report::LineWidths kWidths = {14, 16};
  fmt::format_to(out, "\nTable II: per cent above MAGS, on average (positive: MAGS is better)\n");
  write_part(out, kWidths, "", "", kFairMetrics, metric_title);
  const auto planners_run = fair_planners();
  for (std::size_t i = 0; i < planners_run.size(); ++i) {
    std::string_view name = planners_run[i]->name;
    if (!published::fair_percent(name, FairMetric::makespan)) continue;
    const auto write = [&](std::string_view part, auto value_of) {
      write_part(out, kWidths, name, part, kFairMetrics,
                 [&](FairMetric metric) { return fmt::format("{:.2f}", value_of(metric)); });
      name = "";
    };
    for (const FairPart& part : by_cluster(result)) {
      write(part.name(),
            [&](FairMetric metric) { return percent_above_mags(result.cases, part, i, metric); });
      if (part.processors) continue;
      write("published", [&](FairMetric metric) {
        return *published::fair_percent(planners_run[i]->name, metric);
      });
    }
  }
}

void write_slacks(Text out, const FairStudyResult& result) {
  fmt::format_to(out, "\nSlack of MAGS\n");
  for (const FairPart& part : by_cluster(result)) {
    const SlackFacts facts = slack_facts(result.cases, part);
    fmt::format_to(out, "{:<15} 1 on {:.1f} % of {} cases, above 2 on {}, {:.2f} at most\n",
                   part.name(), report::per_cent(facts.ones, facts.cases), facts.cases,
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

Json algorithm_json(const FairStudyResult& result, const FairPart& part, std::size_t algorithm) {
  const std::string_view name = fair_planners()[algorithm]->name;
  Json json{{"algorithm", name}};
  for (const FairMetric metric : kFairMetrics) {
    json[std::string(to_string(metric))] = {
        {"quartiles", box_of(result.cases, part, algorithm, metric)},
        {"percent_above_mags", percent_above_mags(result.cases, part, algorithm, metric)},
        {"published_quartiles", report::list(published::fair_box(name, metric), report::nullable)},
        {"published_percent", report::nullable(published::fair_percent(name, metric))}};
  }
  return json;
}

Json part_json(const FairStudyResult& result, const FairPart& part) {
  const SlackFacts facts = slack_facts(result.cases, part);
  Json json = Json::object();
  if (part.kernels) json["class"] = to_string(*part.kernels);
  if (part.processors) json["processors"] = *part.processors;
  json["cases"] = facts.cases;
  json["slack"] = {{"one_percent", report::per_cent(facts.ones, facts.cases)},
                   {"above_two", facts.above_two},
                   {"largest", facts.largest},
                   {"beyond_bound", facts.beyond_bound}};
  for (std::size_t i = 0; i < fair_planners().size(); ++i) {
    json["algorithms"].push_back(algorithm_json(result, part, i));
  }
  return json;
}

}  // namespace

std::string format_table(const FairStudyResult& result) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "Workflows that share a cluster, scale {}, seed {}\n",
                 report::name_of(result.scale), result.seed);
  fmt::format_to(out, "{} cases, {} plans: {} sets of each class and number of workflows\n",
                 result.cases.size(), result.cases.size() * fair_planners().size(), result.sets);
  for (const Figure& figure : kFairFigures) write_figure(out, result, figure);
  write_percents(out, result);
  write_slacks(out, result);
  write_timings(out, result);
  text += "\nWhat agrees with the paper and what does not: docs/studies.md.\n";
  return text;
}

std::string to_json(const FairStudyResult& result) {
  Json json{{"study", "fair"},
            {"scale", report::name_of(result.scale)},
            {"seed", result.seed},
            {"sets", result.sets},
            {"parts", Json::array({part_json(result, {})})}};
  for (const auto& parts : {class_parts(result.cases), cluster_parts(result.cases)}) {
    for (const FairPart& part : parts) json["parts"].push_back(part_json(result, part));
  }
  json["published_slack"] = {{"one_percent", published::kSlackOnePercent},
                             {"above_two", published::kSlackAboveTwo}};
  for (const FairTiming& timing : result.timings) {
    json["timings"].push_back(
        {{"algorithm", timing.algorithm},
         {"milliseconds", timing.milliseconds},
         {"published", 1000 * published::fair_seconds(timing.algorithm).value_or(0)}});
  }
  return json.dump(1) + "\n";
}

std::string to_csv(const FairStudyResult& result) {
  std::string text =
      "class,workflows,set,processors,algorithm,makespan,average_stretch,maximum_stretch,slack\n";
  const auto planners_run = fair_planners();
  for (const FairCase& one : result.cases) {
    for (std::size_t i = 0; i < planners_run.size(); ++i) {
      const bool is_mags = planners_run[i]->name == "MAGS";
      text += fmt::format("{},{},{},{},{},{:.3f},{:.6f},{:.6f},{}\n", to_string(one.kernels),
                          one.workflows, one.set, one.cluster.processors, planners_run[i]->name,
                          one.of(i, FairMetric::makespan), one.of(i, FairMetric::average_stretch),
                          one.of(i, FairMetric::maximum_stretch),
                          is_mags ? fmt::format("{:g}", one.slack) : "");
    }
  }
  return text;
}

}  // namespace dovetail::study
