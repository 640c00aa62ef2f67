// The jobs of a workflow as the worked cases of the specification write them.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "oracles/plain_strategies.hpp"

namespace dovetail::testing {

// For each job [[first level, last level], nodes, request, submit, start, end, outcome].
inline nlohmann::json rows_of(const std::vector<plain::WorkflowJob>& jobs) {
  using plain::Outcome;
  const std::map<Outcome, std::string> words{
      {Outcome::done, "done"}, {Outcome::expired, "killed"}, {Outcome::cancelled, "cancelled"}};
  nlohmann::json rows = nlohmann::json::array();
  for (const plain::WorkflowJob& job : jobs) {
    rows.push_back({{job.first_level, job.last_level},
                    job.nodes,
                    job.request,
                    job.submit,
                    job.start,
                    job.end,
                    words.at(job.outcome)});
  }
  return rows;
}

}  // namespace dovetail::testing
