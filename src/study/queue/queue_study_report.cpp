// The queue study as text.
#include <algorithm>
#include <ranges>

#include "study/queue/queue_study.hpp"
#include "study/report.hpp"

namespace dovetail::study {
namespace {

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

}  // namespace dovetail::study
