// Builds a workflow whose tasks come in types, each with its share of the total work: the common
// part of the application-like workflows of pegasus.hpp.
//
//   TypedBuilder builder("flow", kTypes, {.tasks = 250, .hours = 500}, random);
//   std::vector<TaskId> parts = builder.add("part", 40);     // part_0, part_1, ...
//   builder.join(parts, builder.add("merge", 1)[0]);
//   Workflow workflow = std::move(builder).build();
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"
#include "gen/pegasus.hpp"

namespace dovetail {

// Shares were published for 50, 250 and 500 tasks and for 100, 500 and 1000 hours: one row per
// size, one column per total. Other values are interpolated on logarithmic axes; outside the range
// the nearest row or column applies.
using ShareTable = std::array<std::array<double, 3>, 3>;

constexpr ShareTable shares_by_size(double at_50, double at_250, double at_500) {
  return {{{at_50, at_50, at_50}, {at_250, at_250, at_250}, {at_500, at_500, at_500}}};
}

double interpolated_share(const ShareTable& table, const PegasusSpec& spec);

struct TaskType {
  std::string_view name;
  double variation;    // standard deviation of the times over their mean
  ShareTable percent;  // of the total work; scaled so that the types add up to 100
};

class TypedBuilder {
 public:
  // The types must outlive the builder.
  TypedBuilder(std::string name, std::span<const TaskType> types, const PegasusSpec& spec,
               Random& random);

  // Adds all tasks of a type. Their times vary by the type's normal distribution and add up to its
  // share, apart from rounding to 0.01 s. Needs a type that was not added before, and count >= 1.
  std::vector<TaskId> add(std::string_view type, std::uint32_t count);

  // Adds the only task of a type.
  TaskId add_one(std::string_view type) { return add(type, 1)[0]; }

  void edge(TaskId from, TaskId to) { builder_.add_edge(from, to); }
  void join(std::span<const TaskId> from, TaskId to);
  void fork(TaskId from, std::span<const TaskId> to);
  // Connects the k-th to the k-th; needs equal numbers.
  void pairwise(std::span<const TaskId> from, std::span<const TaskId> to);
  void chain(std::initializer_list<TaskId> tasks);

  // Throws InputError when rounding changed the total by more than a hundredth or three hours,
  // since there is too little work for the number of tasks.
  Workflow build() &&;

 private:
  WorkflowBuilder builder_;
  std::span<const TaskType> types_;
  PegasusSpec spec_;
  Random& random_;
  double percent_sum_ = 0;
  double seconds_ = 0;  // of the tasks so far
};

}  // namespace dovetail
