// Several workflows that share a cluster, in words: how each fares, and how the algorithms compare.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dovetail/fairness.hpp"

namespace dovetail::cli {

// A line for each workflow: how long it takes alone and here, its stretch, and what it waits for;
// and what all have in common.
std::string describe_fates(const Problem& problem, const Plan& plan);

// Which algorithms for the goal fair are not in the table, and why: a line each, on standard error.
void note_left_out(const Problem& problem);

// A plan as compare lists it in JSON: its algorithm and, where it is feasible, its numbers.
nlohmann::ordered_json plan_facts_json(const Plan& plan);

// The plans of the algorithms for the goal fair, with their three metrics: makespan, average
// stretch and maximum stretch, which is weighted where weights differ.
class FairTable {
 public:
  // Plans that are not feasible are shown as such. The problem and the plans must outlive it.
  FairTable(const Problem& problem, const std::vector<Plan>& plans);

  // An algorithm a line, the best of each metric, and what looks like it, marked with *; `chosen`
  // is the plan that is taken, if any is. Lines begin with `indent`.
  std::string text(const std::string& indent, const Plan* chosen = nullptr) const;

  // As the value of "plans" and that of "best" in JSON.
  nlohmann::ordered_json plans_json() const;
  nlohmann::ordered_json best_json() const;

 private:
  struct FairPlanRow {
    const Plan* plan;
    Fairness fairness;  // of a feasible plan
  };

  double metric(const FairPlanRow& row, std::size_t which) const;
  std::string shown(double metric, std::size_t which) const;

  const Problem& problem_;
  std::vector<std::string> metrics_;  // as JSON calls them
  std::vector<FairPlanRow> rows_;
  std::vector<double> least_;  // by metric
};

}  // namespace dovetail::cli
