// Plan, listen, evaluate, adopt: the loop around a plan that is in force while the world changes
// (Yu and Shi 2007).
//
// A World knows what has happened, the plan in force and how to make another one. A feed delivers
// the next events, read from a file in simulated time or reported by a cluster in real time; the
// loop has no clock of its own.
//
//   std::vector<Evaluation> history = follow(world, feed, now);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dovetail/event.hpp"
#include "dovetail/plan.hpp"

namespace dovetail::planning {

// The default gain required for moving all tasks; see ClusterWorldOptions.
inline constexpr double kStability = 0.05;

class World {
 public:
  virtual ~World() = default;

  // Executes the plan in force up to this time.
  virtual void advance(Time now) = 0;

  // Applies all events of one instant. False: they matter too little to plan again.
  virtual bool apply(const std::vector<Event>& events) = 0;

  // When the plan in force will really end; nothing without a plan, or when events have made it
  // impossible.
  virtual std::optional<Time> current_end() const = 0;

  // Makes a plan for all tasks that have not started. Returns its end, or nothing when there is
  // none.
  virtual std::optional<Time> propose() = 0;

  // How many waiting tasks the proposal moves; nothing if that is not counted.
  virtual std::optional<std::size_t> moved_by_proposal() const { return std::nullopt; }

  // Whether the proposal is better than the plan in force; both are possible. On a tie, or if the
  // gain is not worth the moves, the plan in force stays.
  virtual bool prefers_proposal() const = 0;

  // Puts the proposal into force.
  virtual void adopt() = 0;

  // Drops the plan in force, which is impossible, when there is no other: nothing is planned until
  // the next event.
  virtual void give_up() = 0;
};

class EventFeed {
 public:
  struct Batch {
    Time time = 0;
    std::string name;
    std::vector<Event> events;
  };

  virtual ~EventFeed() = default;

  // The next events before `until`, all of one instant; nothing when there are none.
  virtual std::optional<Batch> next(Time until) = 0;
};

// Events known beforehand, sorted by time, delivered as if they happened. Holds a view of them;
// `name_of` gives each its name in the history.
class KnownEvents final : public EventFeed {
 public:
  using NameOf = std::function<std::string(const Event&)>;

  explicit KnownEvents(std::span<const Event> events, NameOf name_of = {});

  std::optional<Batch> next(Time until) override;

 private:
  std::span<const Event> events_;
  NameOf name_of_;
};

// Whether the plan's end has moved later by more than the band, a share of the plan's remaining
// time. True as well if either end is missing.
bool is_beyond_band(std::optional<Time> before, std::optional<Time> after, Time now, double band);

// Adopts the proposal if the plan in force is impossible or worse.
Evaluation evaluate(World& world, Time now, std::string event);

// Runs from the first plan to the end of the work. Events that matter too little leave an
// evaluation without a candidate.
std::vector<Evaluation> follow(World& world, EventFeed& feed, Time now);

// The same after the first plan; adds to the history.
void listen(World& world, EventFeed& feed, std::vector<Evaluation>& history);

}  // namespace dovetail::planning
