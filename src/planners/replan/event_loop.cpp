#include "planners/replan/event_loop.hpp"

#include <utility>

namespace dovetail::planning {

KnownEvents::KnownEvents(std::span<const Event> events, NameOf name_of)
    : events_(events), name_of_(std::move(name_of)) {}

std::optional<EventFeed::Batch> KnownEvents::next(Time until) {
  if (events_.empty() || events_.front().time >= until) return std::nullopt;
  Batch batch{events_.front().time, {}, {}};
  for (; !events_.empty() && events_.front().time == batch.time; events_ = events_.subspan(1)) {
    batch.events.push_back(events_.front());
    if (!name_of_) continue;
    batch.name += (batch.name.empty() ? "" : ", ") + name_of_(events_.front());
  }
  return batch;
}

bool is_beyond_band(std::optional<Time> before, std::optional<Time> after, Time now, double band) {
  if (!before || !after) return true;
  return static_cast<double>(*after - *before) > band * static_cast<double>(*before - now);
}

Evaluation evaluate(World& world, Time now, std::string event) {
  Evaluation result{.time = now, .event = std::move(event), .current = world.current_end()};
  result.candidate = world.propose();
  if (result.candidate && result.current) result.moved = world.moved_by_proposal();
  result.adopted = result.candidate && (!result.current || world.prefers_proposal());
  if (result.adopted) {
    world.adopt();
  } else if (!result.current) {
    world.give_up();
  }
  return result;
}

std::vector<Evaluation> follow(World& world, EventFeed& feed, Time now) {
  std::vector<Evaluation> history{evaluate(world, now, "start")};
  listen(world, feed, history);
  return history;
}

void listen(World& world, EventFeed& feed, std::vector<Evaluation>& history) {
  while (auto batch = feed.next(world.current_end().value_or(kForever))) {
    world.advance(batch->time);
    const bool matters = world.apply(batch->events);
    if (matters || !world.current_end()) {
      history.push_back(evaluate(world, batch->time, std::move(batch->name)));
    } else {
      history.push_back(
          {.time = batch->time, .event = std::move(batch->name), .current = world.current_end()});
    }
  }
}

}  // namespace dovetail::planning
