#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "study/fair/fair_study.hpp"

namespace dovetail::study {
namespace {

constexpr std::array kClusters = {FairCluster{"chti", 20, 4.311}, FairCluster{"grillon", 47, 3.379},
                                  FairCluster{"grelon", 120, 3.185},
                                  FairCluster{"gdx", 216, 3.388}};

constexpr std::string_view kReference = "MAGS";

std::size_t reference() {
  const auto all = fair_planners();
  const auto found = std::ranges::find(all, kReference, &PlannerInfo::name);
  return static_cast<std::size_t>(found - all.begin());
}

void add_if_any(std::vector<FairPart>& parts, std::span<const FairCase> cases,
                const FairPart& part) {
  const bool has_cases =
      std::ranges::any_of(cases, [&](const FairCase& one) { return part.has(one); });
  if (has_cases) parts.push_back(part);
}

}  // namespace

std::span<const FairCluster> fair_clusters() { return kClusters; }

std::vector<const PlannerInfo*> fair_planners() {
  std::vector<const PlannerInfo*> fair;
  for (const PlannerInfo& planner : planners()) {
    if (planner.goal == Goal::fair && !planner.is_search) fair.push_back(&planner);
  }
  return fair;
}

std::string_view to_string(FairMetric metric) {
  constexpr std::array<std::string_view, kFairMetrics.size()> kNames = {
      "makespan", "average_stretch", "maximum_stretch"};
  return kNames[static_cast<std::size_t>(metric)];
}

Quartiles quartiles(std::vector<double> values) {
  assert(!values.empty());
  std::ranges::sort(values);
  Quartiles box{};
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double place =
        static_cast<double>(values.size() - 1) * static_cast<double>(i) / (box.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double share = place - std::floor(place);
    box[i] = values[below] + share * (values[above] - values[below]);
  }
  return box;
}

std::string FairPart::name() const {
  if (kernels) return std::string(to_string(*kernels));
  return processors ? fmt::format("{} processors", *processors) : "all";
}

std::vector<FairPart> class_parts(std::span<const FairCase> cases) {
  std::vector<FairPart> parts;
  for (const gen::KernelClass kernels : gen::kKernelClasses) {
    add_if_any(parts, cases, {.kernels = kernels});
  }
  return parts;
}

std::vector<FairPart> cluster_parts(std::span<const FairCase> cases) {
  std::vector<FairPart> parts;
  for (const FairCluster& cluster : kClusters) {
    add_if_any(parts, cases, {.processors = cluster.processors});
  }
  return parts;
}

Quartiles box_of(std::span<const FairCase> cases, const FairPart& part, std::size_t algorithm,
                 FairMetric metric) {
  std::vector<double> values;
  for (const FairCase& one : cases) {
    if (part.has(one)) values.push_back(one.of(algorithm, metric));
  }
  return quartiles(std::move(values));
}

double percent_above_mags(std::span<const FairCase> cases, const FairPart& part,
                          std::size_t algorithm, FairMetric metric) {
  const std::size_t mags = reference();
  double sum = 0;
  std::size_t count = 0;
  for (const FairCase& one : cases) {
    if (!part.has(one)) continue;
    sum += one.of(algorithm, metric) / one.of(mags, metric) - 1;
    ++count;
  }
  assert(count > 0);
  return 100 * sum / static_cast<double>(count);
}

SlackFacts slack_facts(std::span<const FairCase> cases, const FairPart& part) {
  SlackFacts facts;
  for (const FairCase& one : cases) {
    if (!part.has(one)) continue;
    ++facts.cases;
    facts.ones += one.slack == 1 ? 1 : 0;
    facts.above_two += one.slack > 2 ? 1 : 0;
    facts.beyond_bound += one.keeps_bound ? 0 : 1;
    facts.largest = std::max(facts.largest, one.slack);
  }
  return facts;
}

namespace published {

namespace {

struct FairRow {
  std::string_view algorithm;
  std::array<double, kFairMetrics.size()> percent;  // Table II
  double seconds;
};

constexpr std::array kFairRows = {
    FairRow{"SELFISH", {7, 75.97, 1909.54}, 0.37},
    FairRow{"SELFISH_ORDER", {21.27, -3.42, -13.68}, 0.23},
    FairRow{"CRA_WORK_WEIGHT", {-1.99, 1.77, 49.79}, 0.21},
    FairRow{"CAFM_K_SHELVES", {1.14, -0.44, 38.54}, 197.1},
    FairRow{"MAGS", {0, 0, 0}, 0.86},
};

using Box = std::array<std::optional<double>, 5>;

struct FairBox {
  std::string_view algorithm;
  FairMetric metric;
  Box box;
};

const std::array kBoxes = {
    FairBox{"SELFISH", FairMetric::average_stretch, Box{{{}, {}, {}, {}, 8.43}}},
    FairBox{"SELFISH_ORDER", FairMetric::average_stretch, Box{{0.96, 1.17, 1.71, 2.46, 3.75}}},
    FairBox{"SELFISH", FairMetric::maximum_stretch, Box{{{}, {}, {}, 60.18, 487.69}}},
    FairBox{"SELFISH_ORDER", FairMetric::maximum_stretch, Box{{{}, {}, 1.79, 2.40, 5.23}}},
    FairBox{"CRA_WORK_WEIGHT", FairMetric::maximum_stretch, Box{{{}, {}, {}, {}, 26.83}}},
    FairBox{"CAFM_K_SHELVES", FairMetric::maximum_stretch, Box{{{}, {}, {}, {}, 21.09}}},
    FairBox{"MAGS", FairMetric::maximum_stretch, Box{{{}, {}, 1.95, 2.82, 8.30}}},
};

const FairRow* find_row(std::string_view algorithm) {
  const auto found = std::ranges::find(kFairRows, algorithm, &FairRow::algorithm);
  return found == kFairRows.end() ? nullptr : &*found;
}

}  // namespace

std::array<std::optional<double>, 5> fair_box(std::string_view algorithm, FairMetric metric) {
  for (const FairBox& one : kBoxes) {
    if (one.algorithm == algorithm && one.metric == metric) return one.box;
  }
  return {};
}

std::optional<double> fair_percent(std::string_view algorithm, FairMetric metric) {
  const FairRow* row = find_row(algorithm);
  if (row == nullptr || algorithm == kReference) return std::nullopt;
  return row->percent[static_cast<std::size_t>(metric)];
}

std::optional<double> fair_seconds(std::string_view algorithm) {
  const FairRow* row = find_row(algorithm);
  if (row == nullptr) return std::nullopt;
  return row->seconds;
}

}  // namespace published

}  // namespace dovetail::study
