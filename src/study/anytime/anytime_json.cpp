// The DOVETAIL study as JSON and CSV.
#include "study/anytime/anytime_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using Metric = AnytimeMetric;

Json summary_json(const AnytimeSummary& summary) {
  return {{"instances", summary.count}, {"mean", summary.mean},   {"deviation", summary.deviation},
          {"median", summary.median},   {"least", summary.least}, {"greatest", summary.greatest},
          {"below_zero", summary.below}};
}

Json limit_json(const AnytimeLimit& limit) {
  if (limit.milliseconds) return {{"milliseconds", *limit.milliseconds}};
  return {{"trials", limit.trials.value_or(0)}};
}

Json row_json(const AnytimeStudyResult& result, const AnytimePart& part, Metric metric,
              std::size_t limit) {
  Json json = limit_json(result.limits[limit]);
  json.update(summary_json(summarise(result.cases, part, metric, limit)));
  const AnytimeReference* known = find_reference(metric, part, result.limits[limit]);
  if (known != nullptr && known->measured) json["measured_percent"] = *known->measured;
  if (known != nullptr && known->promised) json["promised_percent"] = *known->promised;
  return json;
}

Json part_json(const AnytimeStudyResult& result, const AnytimePart& part) {
  Json json{{"part", part.name()}, {"metrics", Json::object()}};
  for (std::size_t i = 0; i < kAnytimeMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    Json rows = Json::array();
    for (std::size_t limit = 0; limit < result.limits.size(); ++limit) {
      if (summarise(result.cases, part, metric, limit).count == 0) continue;
      rows.push_back(row_json(result, part, metric, limit));
    }
    if (!rows.empty()) json["metrics"][std::string(to_string(metric))] = std::move(rows);
  }
  return json;
}

Json failures_json(const AnytimeFailures& failures) {
  return {{"searches", failures.searches},
          {"no_plan", failures.no_plan},
          {"invalid_plans", failures.invalid},
          {"refuted_certificates", failures.unproven},
          {"worse_than_cpar", failures.worse}};
}

Json points_json(const std::vector<AnytimePoint>& points) {
  return report::list(points, [](const AnytimePoint& point) {
    return Json{{"turnaround_s", to_seconds(point.turnaround)},
                {"cpu_hours", static_cast<double>(point.area) / static_cast<double>(kHour)}};
  });
}

Json frontier_json(const AnytimeFrontier& frontier) {
  return {{"log", frontier.log},
          {"processors", frontier.processors},
          {"tasks", frontier.tasks},
          {"dovetail", points_json(frontier.ours)},
          {"turnaround_planners", points_json(frontier.forward)},
          {"deadline_planners", points_json(frontier.backward)},
          {"bound", points_json(frontier.bound)}};
}

}  // namespace

std::string to_json(const AnytimeStudyResult& result) {
  Json json{
      {"study", "anytime"},
      {"scale", report::name_of(result.scale)},
      {"seed", result.seed},
      {"schedules", result.schedules},
      {"instances", result.cases.size()},
      {"limits", report::list(result.limits, limit_json)},
      {"parts", report::list(anytime_parts(result.cases),
                             [&](const AnytimePart& part) { return part_json(result, part); })},
      {"failures", failures_json(count_failures(result.cases))},
      {"promises", report::list(anytime_promises(result.cases, result.limits),
                                [](const AnytimePromise& promise) {
                                  Json one{{"what", promise.what},
                                           {"promised", promise.promised},
                                           {"measured", promise.measured},
                                           {"ours", promise.ours}};
                                  if (!promise.ours.empty()) one["kept"] = promise.is_kept;
                                  return one;
                                })}};
  if (!result.shapes_note.empty()) json["shapes_note"] = result.shapes_note;
  if (result.frontier) json["frontier"] = frontier_json(*result.frontier);
  return json.dump(1) + "\n";
}

std::string to_csv(const AnytimeStudyResult& result) {
  std::string text =
      "shape,tasks,width,density,log,processors,phi,method,question,limit,best16_s,cpar_s,"
      "cpar_hours,tightest_dl_s,best_dl_hours,turnaround_s,hours,gap,critical_path_s,"
      "calendar_path_s,bound_s,bound_hours,trials,valid,proven\n";
  const auto hours = [](Area area) {
    return fmt::format("{:.4f}", static_cast<double>(area) / static_cast<double>(kHour));
  };
  for (const AnytimeCase& one : result.cases) {
    for (const AnytimeAnswer& answer : one.answers) {
      text += fmt::format(
          "{},{},{:g},{:g},{},{},{:g},{},{},{},{},{},{},{},{},{},{},{:.6f},{},{},{},{},{},{},{}\n",
          one.shape, one.tasks, one.width, one.density, one.log, one.processors,
          one.reservations.phi, to_string(one.reservations.method), to_string(answer.question),
          result.limits[answer.limit].name(), to_seconds(one.best16), to_seconds(one.cpar),
          hours(one.cpar_area), one.tightest ? fmt::format("{}", to_seconds(*one.tightest)) : "",
          one.loose_area ? hours(*one.loose_area) : "", to_seconds(answer.turnaround),
          hours(answer.area), answer.gap, to_seconds(one.critical_path),
          to_seconds(one.calendar_path), to_seconds(answer.least_turnaround),
          hours(answer.least_area), answer.trials, answer.is_valid ? 1 : 0,
          answer.is_proven ? 1 : 0);
    }
  }
  return text;
}

}  // namespace dovetail::study
