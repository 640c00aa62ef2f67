// The queue study as text, JSON and CSV.
#include <algorithm>
#include <ranges>

#include "study/queue/queue_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

using report::Json;
using report::Text;

constexpr int kStrategyWidth = 24;

std::string signed_pair(const Improvement& value) {
  return fmt::format("{:+.1f} ({:+.1f})", value.mean_of_ratios, value.ratio_of_means);
}

void write_head(Text out, const QueueStudyResult& result) {
  fmt::format_to(out, "Workflows cut into batch jobs, scale {}, rules {}, seed {}\n",
                 report::name_of(result.scale), to_string(result.rules), result.seed);
  const auto generated = std::ranges::count_if(result.workflows, &QueueWorkflow::generated);
  fmt::format_to(out, "{} workflows ({} generated), {} instants of the first week, {} executions\n",
                 result.workflows.size(), generated, result.instants.size(), result.executions());
  for (const QueueSettingFacts& facts : result.settings) {
    const QueueLog& log = result.logs[facts.setting.log];
    fmt::format_to(out,
                   "  {:<10} {:>4} nodes, {:<8} requests, {}{}{} jobs, load of the week {:.2f}\n",
                   log.name, log.nodes, name_of(facts.setting.requests),
                   facts.setting.contiguous ? "contiguous, " : "",
                   facts.setting.never_ran == queue::NeverRan::request ? "never ran counts, " : "",
                   facts.jobs, facts.first_week);
  }
}

void write_facts(Text out, const std::vector<QueueFact>& facts) {
  for (const QueueFact& fact : facts) {
    fmt::format_to(out, "  {:<38} ", fact.what);
    if (fact.published.empty()) {
      fmt::format_to(out, "{}\n", fact.ours);
    } else {
      fmt::format_to(out, "{:<38} published {}\n", fact.ours, fact.published);
    }
  }
}

void write_figure(Text out, const QueueStudyResult& result, const QueueFigure& figure) {
  constexpr report::LineWidths kWidths = {kStrategyWidth, 16};
  fmt::format_to(out, "\n{}: {}; improvement over ZHANG in per cent\n{}   ZHANG single  one job\n",
                 figure.name, figure.title,
                 report::line(kWidths, "", kComparedCuts, [](Cut cut) { return name_of(cut); }));
  for (const QueueFigureRow& row : figure.rows) {
    fmt::format_to(
        out, "{}   {:>10.0f} % {:>6.0f} %\n",
        report::line(kWidths, result.workflows[row.workflow].name, row.over_zhang, signed_pair),
        row.single_mode, row.one_job);
  }
  write_facts(out, figure.facts);
}

// A line of a table with the columns of Table 2; `to_text` gets their numbers.
template <typename ToText>
void write_win_line(Text out, std::string_view name, ToText to_text) {
  report::write_line(out, {kStrategyWidth, 11}, name, std::views::iota(std::size_t{0}, kWinColumns),
                     to_text);
}

void write_wins(Text out, const WinTable& table) {
  fmt::format_to(out, "\n{}{}: scenarios won / lost by more than 5 %, at most {} jobs at once\n",
                 table.cut == Cut::glume ? "Table 2, " : "", name_of(table.cut), table.cap);
  write_win_line(out, "against", win_column_name);
  for (const WinRow& row : table.rows) {
    write_win_line(out, row.against, [&](std::size_t i) {
      return fmt::format("{}/{}", row.cells[i].wins, row.cells[i].losses);
    });
    if (!row.published) continue;
    write_win_line(out, "  published", [&](std::size_t i) {
      return fmt::format("{}/{}", (*row.published)[i][0], (*row.published)[i][1]);
    });
  }
  write_win_line(out, "scenarios",
                 [&](std::size_t i) { return table.rows.front().cells[i].scenarios; });
  if (table.cut == Cut::glume) write_win_line(out, "  published", [](std::size_t) { return 48; });
}

void write_parents(Text out, const ParentTable& table) {
  const std::array<ParentCell, kWinColumns>& parents = table.cells;
  fmt::format_to(out,
                 "\nGLUME+ against the better of GLUME and ONEJOBPERTASK in each scenario, at most "
                 "{} jobs at once: per cent longer\n",
                 table.cap);
  const auto percents = [&](std::string_view name, double ParentCell::*value) {
    write_win_line(out, name,
                   [&](std::size_t i) { return fmt::format("{:+.1f}", parents[i].*value); });
  };
  write_win_line(out, "", win_column_name);
  percents("GLUME+, mean", &ParentCell::mean);
  percents("GLUME+, worst", &ParentCell::worst);
  write_win_line(out, "GLUME+, over 5 %", [&](std::size_t i) {
    return fmt::format("{} of {}", parents[i].over_five, parents[i].scenarios);
  });
  percents("GLUME, mean", &ParentCell::mean_of_glume);
  percents("ONEJOBPERTASK, mean", &ParentCell::mean_of_single_tasks);
  const auto worst = std::ranges::max_element(parents, {}, &ParentCell::worst);
  fmt::format_to(out, "worst scenario: {}, {}\n", worst->worst_scenario,
                 win_column_name(static_cast<std::size_t>(worst - parents.begin())));
}

void write_front(Text out, const Front& front) {
  fmt::format_to(out, "\nMakespan and utilisation: {}\n{:<{}} {:>12} {:>12}\n", front.title, "",
                 kStrategyWidth, "makespan", "utilisation");
  for (const FrontRow& row : front.rows) {
    const std::string name =
        row.min_utilisation > 0
            ? fmt::format("{}, at least {:g}", name_of(row.cut), row.min_utilisation)
            : std::string(name_of(row.cut));
    fmt::format_to(out, "{:<{}} {:>10.1f} % {:>10.1f} %{}\n", name, kStrategyWidth,
                   row.makespan_percent, 100 * row.utilisation,
                   row.on_front ? "  on the front" : "");
  }
}

std::string setting_name(const QueueSetting& setting) {
  return fmt::format("{} / {}", setting.contiguous ? "contiguous" : "count",
                     setting.never_ran == queue::NeverRan::request ? "request" : "drop");
}

std::string signed_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{:+.1f}", *percent) : "-";
}

void write_doubt_summary(Text out, const std::vector<DoubtRow>& rows) {
  const auto line = [&](std::string_view name, std::string_view mean, std::string_view ahead,
                        std::string_view behind, std::string_view by, std::string_view cell) {
    fmt::format_to(out, "{:<{}} {:>15} {:>8} {:>8} {:>13} {:>9}", name, kStrategyWidth, mean, ahead,
                   behind, by, cell);
  };
  line("allocation / never ran", "mean", "ahead", "behind", "by, at most", "won/lost");
  fmt::format_to(out, "  load  ZHANG single: then, else\n");
  for (const DoubtRow& row : rows) {
    const Lead& glume = row.of_glume;
    line(setting_name(row.setting), signed_pair(row.mean),
         fmt::format("{} of {}", glume.ahead, glume.count), fmt::format("{}", glume.behind),
         fmt::format("{:.1f}, {:.1f}", glume.mean_behind, glume.most_behind),
         fmt::format("{}/{}", row.cell.wins, row.cell.losses));
    fmt::format_to(out, " {:>5.2f} {:>11.1f} %: {}, {}\n", row.first_week, row.single_mode,
                   signed_text(row.when_single), signed_text(row.otherwise));
  }
  line("published", "", "", "11 of 12", "22.4, 55.3", "-/10");
  fmt::format_to(out, "\n");
}

void write_doubt(Text out, const QueueStudyResult& result) {
  const std::vector<DoubtRow>& rows = result.tables.doubt;
  fmt::format_to(
      out, "\n{}, medium length, real requests: improvement of GLUME over ZHANG in per cent\n",
      result.logs.front().name);
  write_doubt_summary(out, rows);
  constexpr report::LineWidths kWidths = {kStrategyWidth, 20};
  fmt::format_to(out, "\n");
  report::write_line(out, kWidths, "", rows,
                     [](const DoubtRow& row) { return setting_name(row.setting); });
  for (std::size_t i = 0; i < result.workflows.size(); ++i) {
    report::write_line(out, kWidths, result.workflows[i].name, rows,
                       [&](const DoubtRow& row) { return signed_pair(row.by_workflow[i]); });
  }
}

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

}  // namespace

std::string format_table(const QueueStudyResult& result) {
  std::string text;
  const Text out(text);
  write_head(out, result);
  const QueueStudyTables& tables = result.tables;
  for (const QueueFigure& figure : tables.figures) write_figure(out, result, figure);
  for (const WinTable& table : tables.wins) write_wins(out, table);
  for (const ParentTable& table : tables.parents) write_parents(out, table);
  for (const Front& front : tables.fronts) write_front(out, front);
  if (!tables.doubt.empty()) write_doubt(out, result);
  text +=
      "\nImprovements: mean over instants of the ratios, in brackets the ratio of the mean "
      "makespans.\nAhead and behind: by more than 0.1 %. HPC2N has 120 nodes here, 100 in the "
      "paper. What agrees with\nthe paper and what does not: docs/studies.md.\n";
  return text;
}

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
    const auto mean_of = [&](auto value_of) { return mean(series.outcomes, value_of); };
    QueueSeriesKey base = key;
    base.cut = Cut::zhang;
    base.min_utilisation = 0;
    fmt::format_to(
        out, "{},{},{},{},{},{},{},{},{},{:g},{},{:.1f},{:.2f},{:.2f},{:.3f},{:.1f},{:.3f}\n",
        log.name, log.nodes, name_of(key.setting.requests), key.setting.contiguous ? "yes" : "no",
        never_ran_text(key.setting.never_ran), key.cap, workflow.name, workflow.tasks->size(),
        name_of(key.cut), key.min_utilisation, series.outcomes.size(),
        series.mean_makespan() / kSecond,
        mean_of([](const QueueOutcome& one) { return static_cast<double>(one.held) / 3.6e6; }),
        mean_of(&QueueOutcome::jobs), mean_of(&QueueOutcome::expired),
        mean_of([](const QueueOutcome& one) { return one.single_mode ? 100 : 0; }),
        improvement(series, *result.find(base)).mean_of_ratios);
  }
  return text;
}

}  // namespace dovetail::study
