// The queue study as JSON and CSV.
#include "study/queue/queue_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;

std::string_view never_ran_text(queue::NeverRan rule) {
  return rule == queue::NeverRan::request ? "request" : "drop";
}

Json improvement_json(const Improvement& value) {
  return {{"mean_of_ratios", value.mean_of_ratios}, {"ratio_of_means", value.ratio_of_means}};
}

Json setting_json(const QueueCampaign& campaign, const QueueSetting& setting) {
  return {{"log", campaign.logs[setting.log].name},
          {"nodes", campaign.logs[setting.log].nodes},
          {"requests", name_of(setting.requests)},
          {"contiguous", setting.contiguous},
          {"never_ran", never_ran_text(setting.never_ran)}};
}

Json head_json(const QueueStudyResult& result) {
  Json settings = report::list(result.settings, [&](const QueueSettingFacts& facts) {
    Json setting = setting_json(result, facts.setting);
    setting["jobs"] = facts.jobs;
    setting["first_week_load"] = facts.first_week;
    return setting;
  });
  Json workflows = report::list(result.workflows, [](const QueueWorkflow& workflow) {
    return Json{{"name", workflow.name},
                {"tasks", workflow.tasks->size()},
                {"generated", workflow.generated}};
  });
  return {{"study", "queue"},
          {"scale", report::name_of(result.scale)},
          {"rules", to_string(result.rules)},
          {"seed", result.seed},
          {"instants", result.instants.size()},
          {"executions", result.executions()},
          {"settings", std::move(settings)},
          {"workflows", std::move(workflows)}};
}

Json figure_json(const QueueStudyResult& result, const QueueFigure& figure) {
  Json rows = report::list(figure.rows, [&](const QueueFigureRow& row) {
    Json over_zhang;
    for (std::size_t i = 0; i < kComparedCuts.size(); ++i) {
      over_zhang[std::string(name_of(kComparedCuts[i]))] = improvement_json(row.over_zhang[i]);
    }
    return Json{{"workflow", result.workflows[row.workflow].name},
                {"improvement_over_zhang_percent", std::move(over_zhang)},
                {"zhang_single_mode_percent", row.single_mode},
                {"zhang_one_job_percent", row.one_job}};
  });
  Json facts = report::list(figure.facts, [](const QueueFact& fact) {
    return Json{{"what", fact.what}, {"ours", fact.ours}, {"published", fact.published}};
  });
  return {{"figure", figure.name},
          {"title", figure.title},
          {"rows", std::move(rows)},
          {"facts", std::move(facts)}};
}

Json cell_json(const WinCell& cell) {
  return {{"wins", cell.wins}, {"losses", cell.losses}, {"scenarios", cell.scenarios}};
}

Json wins_json(const WinTable& table) {
  Json rows = report::list(table.rows, [](const WinRow& row) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < kWinColumns; ++i) {
      Json& cell = cells.emplace_back(cell_json(row.cells[i]));
      cell["column"] = win_column_name(i);
      if (row.published) cell["published"] = (*row.published)[i];
    }
    return Json{{"against", row.against}, {"cells", std::move(cells)}};
  });
  return {{"strategy", name_of(table.cut)}, {"cap", table.cap}, {"rows", std::move(rows)}};
}

Json parents_json(const ParentTable& table) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < kWinColumns; ++i) {
    const ParentCell& cell = table.cells[i];
    cells.push_back({{"column", win_column_name(i)},
                     {"scenarios", cell.scenarios},
                     {"mean_percent", cell.mean},
                     {"worst_percent", cell.worst},
                     {"worst_scenario", cell.worst_scenario},
                     {"over_five_percent", cell.over_five},
                     {"glume_mean_percent", cell.mean_of_glume},
                     {"onejobpertask_mean_percent", cell.mean_of_single_tasks}});
  }
  return {{"cap", table.cap}, {"cells", std::move(cells)}};
}

Json front_json(const Front& front) {
  Json rows = report::list(front.rows, [](const FrontRow& row) {
    return Json{{"strategy", name_of(row.cut)},
                {"min_utilisation", row.min_utilisation},
                {"makespan_percent", row.makespan_percent},
                {"utilisation", row.utilisation},
                {"on_front", row.on_front}};
  });
  return {{"title", front.title}, {"rows", std::move(rows)}};
}

Json doubt_json(const QueueStudyResult& result, const DoubtRow& row) {
  Json json = setting_json(result, row.setting);
  json["first_week_load"] = row.first_week;
  json["mean"] = improvement_json(row.mean);
  json["ahead"] = row.of_glume.ahead;
  json["behind"] = row.of_glume.behind;
  json["five_percent"] = cell_json(row.cell);
  json["zhang_single_mode_percent"] = row.single_mode;
  json["when_zhang_single"] = report::nullable(row.when_single);
  json["otherwise"] = report::nullable(row.otherwise);
  json["zhang_one_job_percent"] = row.one_job;
  json["by_workflow"] = Json::array();
  for (std::size_t i = 0; i < row.by_workflow.size(); ++i) {
    Json& entry = json["by_workflow"].emplace_back(improvement_json(row.by_workflow[i]));
    entry["workflow"] = result.workflows[i].name;
  }
  return json;
}

struct SeriesMeans {
  double held_hours = 0;
  double jobs = 0;
  double expired = 0;
  double single_mode = 0;
};

SeriesMeans means_of(const QueueSeries& series) {
  SeriesMeans sums;
  for (const QueueOutcome& outcome : series.outcomes) {
    sums.held_hours += static_cast<double>(outcome.held) / 3.6e6;
    sums.jobs += outcome.jobs;
    sums.expired += outcome.expired;
    sums.single_mode += outcome.single_mode ? 100 : 0;
  }
  const auto count = static_cast<double>(series.outcomes.size());
  return {sums.held_hours / count, sums.jobs / count, sums.expired / count,
          sums.single_mode / count};
}

}  // namespace

std::string to_json(const QueueStudyResult& result) {
  Json document = head_json(result);
  const QueueStudyTables& tables = result.tables;
  document["figures"] = report::list(
      tables.figures, [&](const QueueFigure& figure) { return figure_json(result, figure); });
  document["wins"] = report::list(tables.wins, wins_json);
  document["glume_plus_against_parents"] = report::list(tables.parents, parents_json);
  document["fronts"] = report::list(tables.fronts, front_json);
  document["doubt"] =
      report::list(tables.doubt, [&](const DoubtRow& row) { return doubt_json(result, row); });
  return document.dump(1) + "\n";
}

std::string to_csv(const QueueStudyResult& result) {
  std::string text =
      "log,nodes,requests,contiguous,never_ran,cap,workflow,tasks,strategy,min_utilisation,"
      "instants,mean_makespan_s,mean_held_hours,mean_jobs,mean_expired,single_mode_percent,"
      "improvement_over_zhang_percent\n";
  const report::Text out(text);
  for (const QueueSeries& series : result.series) {
    const QueueSeriesKey& key = series.key;
    const QueueLog& log = result.logs[key.setting.log];
    const QueueWorkflow& workflow = result.workflows[key.workflow];
    const SeriesMeans means = means_of(series);
    QueueSeriesKey base = key;
    base.cut = Cut::zhang;
    base.min_utilisation = 0;
    fmt::format_to(
        out, "{},{},{},{},{},{},{},{},{},{:g},{},{:.1f},{:.2f},{:.2f},{:.3f},{:.1f},{:.3f}\n",
        log.name, log.nodes, name_of(key.setting.requests), key.setting.contiguous ? "yes" : "no",
        never_ran_text(key.setting.never_ran), key.cap, workflow.name, workflow.tasks->size(),
        name_of(key.cut), key.min_utilisation, series.outcomes.size(),
        series.mean_makespan() / kSecond, means.held_hours, means.jobs, means.expired,
        means.single_mode, improvement(series, *result.find(base)).mean_of_ratios);
  }
  return text;
}

}  // namespace dovetail::study
