// A feed that tells from a list what happens to a pool of resources, for tests that bring about
// what cluster files cannot say: slow resources and leaves that are announced.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "planners/replan/aheft.hpp"

namespace dovetail::testing {

class ListedEvents final : public planning::EventFeed {
 public:
  // In order of time. `after_each` is called whenever a decision has been taken.
  explicit ListedEvents(std::vector<Event> events, std::function<void()> after_each = {})
      : events_(std::move(events)), after_each_(std::move(after_each)) {}

  std::optional<Batch> next(Time until) override {
    if (after_each_) after_each_();
    return feed_.next(until);
  }

 private:
  std::vector<Event> events_;
  planning::KnownEvents feed_{events_};
  std::function<void()> after_each_;
};

inline std::vector<Evaluation> follow_list(planning::AheftWorld& world, std::vector<Event> events,
                                           Time now = 0) {
  ListedEvents feed(std::move(events));
  return planning::follow(world, feed, now);
}

}  // namespace dovetail::testing
