// Plan, listen, evaluate, adopt: the loop around a plan that is in force while the world changes
// (Yu and Shi 2007).
//
// A World knows what has happened, the plan in force and how to make another one. A feed says what
// happens next, be it read from a file in simulated time or heard from a cluster in real time; the
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

namespace dovetail {

// What moving all tasks has to gain unless options say otherwise; see ClusterWorldOptions.
inline constexpr double kStability = 0.05;

class World {
 public:
  virtual ~World() = default;

  // What the plan in force does up to this moment has happened.
  virtual void advance(Time now) = 0;

  // All events of one instant. False: they matter too little to plan again.
  virtual bool apply(const std::vector<Event>& events) = 0;

  // When the plan in force ends as it will really go on; nothing without one, and when what has
  // happened made it impossible.
  virtual std::optional<Time> current_end() const = 0;

  // Makes a plan for all that has not started; its end, or nothing when there is none.
  virtual std::optional<Time> propose() = 0;

  // How many of the tasks that wait the proposal moves; nothing where that is not counted.
  virtual std::optional<std::size_t> moved_by_proposal() const { return std::nullopt; }

  // Whether the proposal is better than the plan in force; both are possible. A tie, or a
  // gain that is not worth what it moves, does not count.
  virtual bool prefers_proposal() const = 0;

  // The proposal is in force from now on.
  virtual void adopt() = 0;

  // The plan in force is impossible and there is no other: nothing is planned until something
  // happens.
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

  // What happens next, all of one instant, before `until`; nothing when that passes in peace.
  virtual std::optional<Batch> next(Time until) = 0;
};

// Events that are known beforehand, in order of time, as if they happened. Views them; `name_of`
// gives each its name in the history.
class KnownEvents final : public EventFeed {
 public:
  using NameOf = std::function<std::string(const Event&)>;

  explicit KnownEvents(std::span<const Event> events, NameOf name_of = {});

  std::optional<Batch> next(Time until) override;

 private:
  std::span<const Event> events_;
  NameOf name_of_;
};

// Whether a plan that was to end then, and now ends later, has changed by more than the band, a
// share of what is left of it.
bool is_beyond_band(std::optional<Time> before, std::optional<Time> after, Time now, double band);

// Adopts the proposal if the plan in force is impossible or worse.
Evaluation evaluate(World& world, Time now, std::string event);

// From the first plan to the end of the work. Events that matter too little leave an evaluation
// without a candidate.
std::vector<Evaluation> follow(World& world, EventFeed& feed, Time now);

// The same once there is a first plan; adds to the history.
void listen(World& world, EventFeed& feed, std::vector<Evaluation>& history);

}  // namespace dovetail
