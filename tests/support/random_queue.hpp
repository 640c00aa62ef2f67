// Random batch queues and workflows, in the terms of the plain reference.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "oracles/plain_strategies.hpp"

namespace dovetail::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int operator()(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

inline std::vector<plain::Job> random_log(Dice& dice, int jobs, int nodes) {
  std::vector<plain::Job> log;
  plain::Seconds submit = 0;
  for (int id = 0; id < jobs; ++id) {
    submit += dice(0, 12);
    const plain::Seconds run = dice(1, 40);
    const plain::Seconds request = dice(0, 2) == 0 ? run : dice(1, 60);
    log.push_back({id, submit, run, request, dice(1, dice(1, nodes)), dice(-1, 3)});
  }
  return log;
}

// Any policy with any of the options.
inline plain::Rules random_rules(Dice& dice) {
  plain::Rules rules{.nodes = dice(2, 9)};
  rules.policy = std::vector{plain::Policy::conservative, plain::Policy::easy,
                             plain::Policy::fcfs}[dice(0, 2)];
  rules.compress = std::vector{plain::Compress::arrival, plain::Compress::rebuild,
                               plain::Compress::none}[dice(0, 2)];
  rules.contiguous = dice(0, 1) == 1;
  rules.depth = dice(1, 3);
  rules.running_cap = dice(0, 2);
  plain::Seconds start = 0;
  for (int i = dice(0, 4); i-- > 0;) {
    start += dice(0, 80);
    const plain::Seconds end = start + dice(1, 50);
    rules.reservations.push_back({start, end, dice(1, rules.nodes)});
    start = end;
  }
  return rules;
}

inline std::vector<plain::Task> random_flow(Dice& dice) {
  std::vector<plain::Task> tasks;
  for (int task = dice(1, 14), i = 0; i < task; ++i) {
    tasks.push_back({dice(1, 60), {}});
    for (int parent = 0; parent < i; ++parent) {
      if (dice(0, 5) == 0) tasks.back().parents.push_back(parent);
    }
  }
  return tasks;
}

inline plain::QueueOptions random_options(Dice& dice) {
  plain::QueueOptions options{.cap = dice(1, 4)};
  if (dice(0, 1) == 1) options.request_rule = plain::RequestRule::authors;
  if (dice(0, 1) == 1) options.zhang_rule = plain::Published::code;
  if (dice(0, 1) == 1) options.glume_rule = plain::Published::code;
  if (dice(0, 1) == 1) options.leeway_rule = plain::LeewayRule::code;
  if (dice(0, 1) == 1) options.pick = plain::Pick::longest;
  return options;
}

}  // namespace dovetail::testing
