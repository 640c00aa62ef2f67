// Plan, listen, evaluate, adopt: the loop around a plan that is in force while the world changes
// (Yu and Shi 2007).
//
// A World knows what has happened, the plan in force and how to make another one. A feed says what
// happens next, be it read from a file in simulated time or heard from a cluster in real time; the
// loop has no clock of its own.
//
//   std::vector<Evaluation> history = follow(world, feed);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dovetail/plan.hpp"

namespace dovetail {

template <typename Event>
class World {
 public:
  virtual ~World() = default;

  // What the plan in force does up to this moment has happened.
  virtual void advance(Time now) = 0;

  // All events of one instant.
  virtual void apply(const std::vector<Event>& events) = 0;

  // When the plan in force ends as it will really go on; nothing without one, and when what has
  // happened made it impossible.
  virtual std::optional<Time> current_end() const = 0;

  // Makes a plan for all that has not started; its end, or nothing when there is none.
  virtual std::optional<Time> propose() = 0;

  // The proposal is in force from now on.
  virtual void adopt() = 0;

  // The plan in force is impossible and there is no other: nothing is planned until something
  // happens.
  virtual void give_up() = 0;
};

template <typename Event>
class EventFeed {
 public:
  struct Batch {
    Time time = 0;
    std::string name;
    std::vector<Event> events;
  };

  virtual ~EventFeed() = default;

  // What happens next, all of one instant, before `until`; nothing when that passes in peace.
  virtual std::optional<Batch> next(Time until) = 0;
};

// Events that are known beforehand, in order of time, as if they happened. Views them; `name_of`
// gives each its name in the history.
template <typename Event>
class KnownEvents final : public EventFeed<Event> {
 public:
  using Batch = typename EventFeed<Event>::Batch;
  using NameOf = std::function<std::string(const Event&)>;

  explicit KnownEvents(std::span<const Event> events, NameOf name_of = {})
      : events_(events), name_of_(std::move(name_of)) {}

  std::optional<Batch> next(Time until) override {
    if (events_.empty() || events_.front().time >= until) return std::nullopt;
    Batch batch{events_.front().time, {}, {}};
    for (; !events_.empty() && events_.front().time == batch.time; events_ = events_.subspan(1)) {
      batch.events.push_back(events_.front());
      if (!name_of_) continue;
      batch.name += (batch.name.empty() ? "" : ", ") + name_of_(events_.front());
    }
    return batch;
  }

 private:
  std::span<const Event> events_;
  NameOf name_of_;
};

// Adopts the proposal if the plan in force is impossible or ends later. A tie disturbs nobody.
template <typename Event>
Evaluation evaluate(World<Event>& world, Time now, std::string event) {
  Evaluation result{now, std::move(event), {}, world.current_end(), false};
  result.candidate = world.propose();
  result.adopted = result.candidate && (!result.current || *result.candidate < *result.current);
  if (result.adopted) {
    world.adopt();
  } else if (!result.current) {
    world.give_up();
  }
  return result;
}

// From the first plan to the end of the work.
template <typename Event>
std::vector<Evaluation> follow(World<Event>& world, EventFeed<Event>& feed, Time now) {
  std::vector<Evaluation> history{evaluate(world, now, "start")};
  while (auto batch = feed.next(world.current_end().value_or(kForever))) {
    world.advance(batch->time);
    world.apply(batch->events);
    history.push_back(evaluate(world, batch->time, std::move(batch->name)));
  }
  return history;
}

}  // namespace dovetail
