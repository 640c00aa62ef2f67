// The fair study as JSON and CSV.
#include "study/fair/fair_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;

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
