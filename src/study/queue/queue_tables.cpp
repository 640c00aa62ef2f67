#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/mapped.hpp"
#include "study/queue/queue_study.hpp"

namespace dovetail::study {
namespace {

using PublishedWins = std::array<std::array<int, 2>, kWinColumns>;

// Table 2: wins and losses of GLUME among 48 scenarios a column.
struct PublishedRow {
  Cut against;
  PublishedWins cells;
};
constexpr std::array<PublishedRow, 4> kPublishedWins = {{
    {Cut::one_job_per_task, {{{14, 18}, {40, 0}, {37, 0}, {18, 19}, {27, 8}, {37, 0}}}},
    {Cut::level_by_level, {{{22, 6}, {36, 1}, {35, 0}, {21, 10}, {33, 1}, {34, 0}}}},
    {Cut::one_job, {{{9, 4}, {10, 1}, {5, 0}, {17, 6}, {17, 1}, {9, 0}}}},
    {Cut::zhang, {{{5, 18}, {17, 1}, {9, 0}, {13, 20}, {10, 11}, {14, 0}}}},
}};

QueueLength length_of_column(std::size_t column) {
  return kQueueLengths[column % kQueueLengths.size()];
}
queue::Requests requests_of_column(std::size_t column) {
  return column < kQueueLengths.size() ? queue::Requests::accurate : queue::Requests::real;
}

// Calls use(key) for the scenarios of a column of Table 2; the key lacks a strategy.
template <typename Use>
void for_each_scenario(const QueueCampaign& campaign, Count cap, std::size_t column, Use use) {
  for (std::size_t log = 0; log < campaign.logs.size(); ++log) {
    for (std::size_t workflow = 0; workflow < campaign.workflows.size(); ++workflow) {
      if (campaign.workflows[workflow].length != length_of_column(column)) continue;
      use(QueueSeriesKey{.setting = campaign.setting(log, requests_of_column(column)),
                         .workflow = workflow,
                         .cap = cap});
    }
  }
}

const QueueSeries& with(const QueueCampaign& campaign, QueueSeriesKey key, Cut cut) {
  key.cut = cut;
  return *campaign.find(key);
}

void count(WinCell& cell, const QueueSeries& ours, const QueueSeries& base) {
  constexpr double kThreshold = 5;
  const double better = improvement(ours, base).ratio_of_means;
  ++cell.scenarios;
  if (better > kThreshold) ++cell.wins;
  if (better < -kThreshold) ++cell.losses;
}

// Over all logs or over one.
WinRow win_row(const QueueCampaign& campaign, const WinTable& table, Cut against,
               std::optional<std::size_t> log = {}) {
  WinRow row{.against = std::string(name_of(against))};
  if (log) row.against += " on " + campaign.logs[*log].name;
  for (std::size_t column = 0; column < kWinColumns; ++column) {
    for_each_scenario(campaign, table.cap, column, [&](const QueueSeriesKey& key) {
      if (log && key.setting.log != *log) return;
      count(row.cells[column], with(campaign, key, table.cut), with(campaign, key, against));
    });
  }
  return row;
}

WinTable win_table(const QueueCampaign& campaign, Cut cut, Count cap) {
  WinTable table{.cut = cut, .cap = cap};
  for (const PublishedRow& published : kPublishedWins) {
    table.rows.push_back(win_row(campaign, table, published.against));
    if (cut == Cut::glume) table.rows.back().published = published.cells;
  }
  if (cut == Cut::glume_plus) table.rows.push_back(win_row(campaign, table, Cut::glume));
  for (std::size_t log = 0; log < campaign.logs.size() && campaign.logs.size() > 1; ++log) {
    table.rows.push_back(win_row(campaign, table, Cut::zhang, log));
  }
  return table;
}

std::string scenario_name(const QueueCampaign& campaign, const QueueSeriesKey& key) {
  return fmt::format("{} on {}", campaign.workflows[key.workflow].name,
                     campaign.logs[key.setting.log].name);
}

ParentCell parent_cell(const QueueCampaign& campaign, Count cap, std::size_t column) {
  ParentCell cell;
  for_each_scenario(campaign, cap, column, [&](const QueueSeriesKey& key) {
    const double glume = with(campaign, key, Cut::glume).mean_makespan();
    const double single = with(campaign, key, Cut::one_job_per_task).mean_makespan();
    const double better = std::min(glume, single);
    const auto excess = [&](double makespan) { return 100 * (makespan - better) / better; };
    const double ours = excess(with(campaign, key, Cut::glume_plus).mean_makespan());
    if (cell.scenarios == 0 || ours > cell.worst) {
      cell.worst = ours;
      cell.worst_scenario = scenario_name(campaign, key);
    }
    ++cell.scenarios;
    cell.mean += ours;
    cell.mean_of_glume += excess(glume);
    cell.mean_of_single_tasks += excess(single);
    if (ours > 5) ++cell.over_five;
  });
  const double scenarios = static_cast<double>(std::max<std::size_t>(1, cell.scenarios));
  for (double* mean : {&cell.mean, &cell.mean_of_glume, &cell.mean_of_single_tasks}) {
    *mean /= scenarios;
  }
  return cell;
}

double utilisation(const QueueCampaign& campaign, const QueueSeries& series) {
  double held = 0;
  for (const QueueOutcome& outcome : series.outcomes) held += static_cast<double>(outcome.held);
  const Duration work = campaign.workflows[series.key.workflow].tasks->work();
  return static_cast<double>(work) * static_cast<double>(series.outcomes.size()) / held;
}

// Mean over the workflows of medium length; nothing when none was run with this key.
std::optional<FrontRow> front_row(const QueueCampaign& campaign, QueueSeriesKey key) {
  FrontRow row{.cut = key.cut, .min_utilisation = key.min_utilisation};
  std::size_t count = 0;
  for (std::size_t workflow = 0; workflow < campaign.workflows.size(); ++workflow) {
    if (campaign.workflows[workflow].length != QueueLength::medium) continue;
    key.workflow = workflow;
    const QueueSeries* series = campaign.find(key);
    if (series == nullptr) continue;
    QueueSeriesKey free = key;
    free.cut = Cut::glume_plus;
    free.min_utilisation = 0;
    row.makespan_percent += 100 * series->mean_makespan() / campaign.find(free)->mean_makespan();
    row.utilisation += utilisation(campaign, *series);
    ++count;
  }
  if (count == 0) return std::nullopt;
  row.makespan_percent /= static_cast<double>(count);
  row.utilisation /= static_cast<double>(count);
  return row;
}

void mark_front(std::vector<FrontRow>& rows) {
  for (FrontRow& row : rows) {
    row.on_front = std::ranges::none_of(rows, [&](const FrontRow& other) {
      const bool is_no_worse =
          other.makespan_percent <= row.makespan_percent && other.utilisation >= row.utilisation;
      return is_no_worse &&
             (other.makespan_percent < row.makespan_percent || other.utilisation > row.utilisation);
    });
  }
}

std::set<double> least_utilisations(const QueueCampaign& campaign) {
  std::set<double> values;
  for (const QueueSeries& series : campaign.series) values.insert(series.key.min_utilisation);
  values.erase(0);
  return values;
}

double percent_better(const QueueOutcome& ours, const QueueOutcome& base) {
  const auto theirs = static_cast<double>(base.makespan);
  return 100 * (theirs - static_cast<double>(ours.makespan)) / theirs;
}

// Nothing without values.
std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

DoubtRow doubt_row(const QueueCampaign& campaign, const QueueSettingFacts& facts) {
  DoubtRow row{.setting = facts.setting, .first_week = facts.first_week};
  const auto workflows = static_cast<double>(campaign.workflows.size());
  std::vector<double> ratios;
  std::size_t runs = 0;
  std::vector<double> when_single;
  std::vector<double> otherwise;
  for (std::size_t workflow = 0; workflow < campaign.workflows.size(); ++workflow) {
    const QueueSeriesKey key{.setting = facts.setting, .workflow = workflow};
    const QueueSeries& zhang = with(campaign, key, Cut::zhang);
    const QueueSeries& glume = with(campaign, key, Cut::glume);
    const Improvement better = improvement(glume, zhang);
    row.by_workflow.push_back(better);
    row.mean.mean_of_ratios += better.mean_of_ratios / workflows;
    row.mean.ratio_of_means += better.ratio_of_means / workflows;
    ratios.push_back(better.mean_of_ratios);
    count(row.cell, glume, zhang);
    runs += zhang.outcomes.size();
    for (std::size_t i = 0; i < zhang.outcomes.size(); ++i) {
      const QueueOutcome& outcome = zhang.outcomes[i];
      (outcome.single_mode ? when_single : otherwise)
          .push_back(percent_better(glume.outcomes[i], outcome));
      row.single_mode += outcome.single_mode ? 100 : 0;
      row.one_job += outcome.is_one_job() ? 100 : 0;
    }
  }
  row.single_mode /= static_cast<double>(runs);
  row.one_job /= static_cast<double>(runs);
  row.of_glume = lead(ratios);
  row.when_single = mean_of(when_single);
  row.otherwise = mean_of(otherwise);
  return row;
}

}  // namespace

Improvement improvement(const QueueSeries& ours, const QueueSeries& base) {
  Improvement result;
  for (std::size_t i = 0; i < ours.outcomes.size(); ++i) {
    result.mean_of_ratios += percent_better(ours.outcomes[i], base.outcomes[i]);
  }
  result.mean_of_ratios /= static_cast<double>(ours.outcomes.size());
  result.ratio_of_means = 100 * (1 - ours.mean_makespan() / base.mean_makespan());
  return result;
}

Lead lead(const std::vector<double>& improvements) {
  constexpr double kSame = 0.1;
  Lead result{.count = improvements.size()};
  for (const double value : improvements) {
    if (value > kSame) {
      ++result.ahead;
      result.mean_ahead += value;
      result.most_ahead = std::max(result.most_ahead, value);
    } else if (value < -kSame) {
      ++result.behind;
      result.mean_behind -= value;
      result.most_behind = std::max(result.most_behind, -value);
    }
  }
  if (result.ahead > 0) result.mean_ahead /= static_cast<double>(result.ahead);
  if (result.behind > 0) result.mean_behind /= static_cast<double>(result.behind);
  return result;
}

std::string win_column_name(std::size_t column) {
  return fmt::format("{} {}", name_of(length_of_column(column)),
                     requests_of_column(column) == queue::Requests::real ? "real" : "acc.");
}

std::vector<WinTable> win_tables(const QueueCampaign& campaign) {
  std::vector<WinTable> tables;
  for (const Count cap : campaign.caps) {
    for (const Cut cut : {Cut::glume, Cut::glume_plus}) {
      tables.push_back(win_table(campaign, cut, cap));
    }
  }
  return tables;
}

std::vector<ParentTable> parent_tables(const QueueCampaign& campaign) {
  return mapped(campaign.caps, [&](Count cap) {
    ParentTable table{.cap = cap};
    for (std::size_t column = 0; column < kWinColumns; ++column) {
      table.cells[column] = parent_cell(campaign, cap, column);
    }
    return table;
  });
}

std::vector<Front> fronts(const QueueCampaign& campaign) {
  const std::set<double> least = least_utilisations(campaign);
  std::vector<Front> result;
  for (std::size_t log = 0; log < campaign.logs.size() && !least.empty(); ++log) {
    if (!stands_for(campaign.logs[log], kFigureLog)) continue;
    Front front{.title = fmt::format("{}, medium length, accurate requests, at most {} jobs",
                                     campaign.logs[log].name, kUsualCap)};
    const auto add = [&](Cut cut, double minimum) {
      const auto row =
          front_row(campaign, {.setting = campaign.setting(log, queue::Requests::accurate),
                               .cut = cut,
                               .min_utilisation = minimum});
      if (row) front.rows.push_back(*row);
    };
    for (const Cut cut : kCuts) add(cut, 0);
    for (const double minimum : least) add(Cut::glume_plus, minimum);
    mark_front(front.rows);
    if (!front.rows.empty()) result.push_back(std::move(front));
  }
  return result;
}

std::vector<DoubtRow> doubt_rows(const QueueCampaign& campaign) {
  return mapped(campaign.settings,
                [&](const QueueSettingFacts& facts) { return doubt_row(campaign, facts); });
}

QueueStudyTables queue_tables(const QueueCampaign& campaign) {
  QueueStudyTables tables;
  if (campaign.doubt) {
    tables.doubt = doubt_rows(campaign);
    return tables;
  }
  tables.figures = queue_figures(campaign);
  tables.wins = win_tables(campaign);
  tables.parents = parent_tables(campaign);
  tables.fronts = fronts(campaign);
  return tables;
}

}  // namespace dovetail::study
