// THE list of strategies.
#include <array>

#include "queue/strategies/decisions.hpp"

namespace dovetail::queue {

std::span<const StrategyInfo> strategies() {
  static constexpr std::string_view kGlumePaper =
      "Hataishi, Dutot, Ferreira da Silva, Casanova: GLUME";
  static constexpr std::array<StrategyInfo, 6> kTable = {{
      {"ONEJOBPERTASK", "every task is a job of its own, submitted when it is ready", kGlumePaper,
       make_one_job_per_task},
      {"ONEJOB", "the whole workflow is one job", kGlumePaper, make_one_job},
      {"LEVELBYLEVEL", "one job per level, one after the other", kGlumePaper, make_level_by_level},
      {"ZHANG", "levels join a job while its wait shrinks against its run; else task by task",
       "Zhang, Koelbel, Cooper 2009", make_zhang},
      {"GLUME", "two jobs at a time, cut where both together end first", kGlumePaper, make_glume},
      {"GLUME+", "GLUME, or task by task where that is clearly better under the cap", "Dovetail",
       make_glume_plus},
  }};
  return kTable;
}

const StrategyInfo* find_strategy(std::string_view name) {
  for (const StrategyInfo& strategy : strategies()) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

}  // namespace dovetail::queue
