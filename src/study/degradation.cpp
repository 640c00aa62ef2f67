#include "study/degradation.hpp"

namespace dovetail::study {

void add_excess(std::span<const std::int64_t> values, std::span<double> excess,
                std::span<std::size_t> best) {
  const std::int64_t least = *std::min_element(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == kNoAnswer) continue;
    excess[i] += static_cast<double>(values[i] - least) / static_cast<double>(least);
    best[i] += values[i] == least;
  }
}

void DegradationMean::add(const ComparedView& scenario) {
  instances_ += scenario.instances;
  const std::int64_t least = *std::min_element(scenario.total.begin(), scenario.total.end());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Degradation& row = rows_[i];
    row.unanswered += scenario.unanswered[i];
    row.instance_wins_percent += static_cast<double>(scenario.best[i]);
    row.scenario_wins += scenario.complete > 0 && scenario.total[i] == least;
    const std::size_t answered = scenario.instances - scenario.unanswered[i];
    if (answered == 0) continue;
    ++scenarios_[i];
    row.percent += scenario.excess[i] / static_cast<double>(answered);
  }
}

std::vector<Degradation> DegradationMean::finish() const {
  std::vector<Degradation> means = rows_;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (scenarios_[i] > 0) means[i].percent *= 100 / static_cast<double>(scenarios_[i]);
    if (instances_ > 0) means[i].instance_wins_percent *= 100 / static_cast<double>(instances_);
  }
  return means;
}

ComparisonTable ComparisonTableMaker::finish() && {
  const auto time = time_.finish();
  const auto cpu = cpu_.finish();
  for (std::size_t i = 0; i < time.size(); ++i) table_.rows.push_back({time[i], cpu[i]});
  return std::move(table_);
}

}  // namespace dovetail::study
