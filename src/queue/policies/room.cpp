#include "queue/policies/room.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "dovetail/error.hpp"

namespace dovetail::queue {

namespace {

Calendar count_calendar(Count nodes, std::span<const Reservation> reservations, Time origin) {
  Calendar calendar(nodes, origin);
  for (const Reservation& taken : reservations) {
    calendar.reserve({std::max(taken.start, origin), taken.end}, taken.procs);
  }
  return calendar;
}

BlockCalendar block_calendar(Count nodes, std::span<const Reservation> reservations, Time origin) {
  BlockCalendar calendar(nodes, origin);
  for (const Reservation& taken : reservations) {
    const Interval window{std::max(taken.start, origin), taken.end};
    const Count first = calendar.lowest_block(window, taken.procs);
    if (first < 0) {
      throw InputError("the reservation of " + std::to_string(taken.procs) + " nodes from " +
                       format_seconds(taken.start) +
                       " finds no neighbouring nodes; leave out contiguous allocation");
    }
    calendar.reserve(window, first, taken.procs);
  }
  return calendar;
}

}  // namespace

Room::Room(const RoomSpec& spec, std::span<const Reservation> reservations, Time origin)
    : nodes_(spec.nodes), cap_(spec.cap), free_(Calendar(spec.nodes, origin)) {
  if (spec.contiguous) {
    free_ = block_calendar(spec.nodes, reservations, origin);
  } else {
    free_ = count_calendar(spec.nodes, reservations, origin);
  }
}

// The user's calendar of further jobs; null where no cap applies.
Calendar* Room::lane(const Ask& ask) {
  if (cap_ == 0 || ask.user < 0) return nullptr;
  return &lanes_.try_emplace(ask.user, cap_, kBeginning).first->second;
}

BlockSlot Room::earliest_nodes(const Ask& ask, Time ready) const {
  if (const auto* calendar = std::get_if<Calendar>(&free_)) {
    return {calendar->earliest_fit(ask.nodes, ask.length, ready).value(), 0};
  }
  return std::get<BlockCalendar>(free_).earliest_fit(ask.nodes, ask.length, ready);
}

BlockSlot Room::earliest(const Ask& ask, Time ready) const {
  BlockSlot slot = earliest_nodes(ask, ready);
  const auto lane = lanes_.find(ask.user);
  if (lane == lanes_.end()) return slot;
  // Each side moves the start on until both agree.
  for (;;) {
    const Time allowed = lane->second.earliest_fit(1, ask.length, slot.start).value();
    if (allowed == slot.start) return slot;
    slot = earliest_nodes(ask, allowed);
  }
}

std::optional<BlockSlot> Room::at(const Ask& ask, Time start) const {
  if (const auto lane = lanes_.find(ask.user);
      lane != lanes_.end() && !lane->second.fits({start, start + ask.length}, 1)) {
    return std::nullopt;
  }
  const Interval window{start, start + ask.length};
  if (const auto* calendar = std::get_if<Calendar>(&free_)) {
    return calendar->fits(window, ask.nodes) ? std::optional(BlockSlot{start, 0}) : std::nullopt;
  }
  const Count first = std::get<BlockCalendar>(free_).lowest_block(window, ask.nodes);
  return first < 0 ? std::nullopt : std::optional(BlockSlot{start, first});
}

void Room::add(const Ask& ask, const BlockSlot& slot, Interval window, bool take) {
  if (auto* calendar = std::get_if<Calendar>(&free_)) {
    take ? calendar->reserve(window, ask.nodes) : calendar->release(window, ask.nodes);
  } else {
    auto& blocks = std::get<BlockCalendar>(free_);
    take ? blocks.reserve(window, slot.first, ask.nodes)
         : blocks.release(window, slot.first, ask.nodes);
  }
  if (Calendar* jobs = lane(ask)) take ? jobs->reserve(window, 1) : jobs->release(window, 1);
}

void Room::take(const Ask& ask, const BlockSlot& slot) {
  add(ask, slot, {slot.start, slot.start + ask.length}, true);
}

void Room::give_back(const Ask& ask, const BlockSlot& slot, Time from) {
  const Time end = slot.start + ask.length;
  from = std::max(from, slot.start);
  if (from < end) add(ask, slot, {from, end}, false);
}

BlockSlot Room::move_up(const Ask& ask, const BlockSlot& slot, Time now) {
  give_back(ask, slot, slot.start);
  const BlockSlot better = earliest(ask, now);
  take(ask, better);
  return better;
}

Count Room::free_at(Time t) const {
  return std::visit([t](const auto& calendar) { return calendar.free_at(t); }, free_);
}

void Room::advance(Time now) {
  // The past costs searches time; forgetting it costs some too.
  constexpr std::uint32_t kForgetEvery = 64;
  if (++advances_ % kForgetEvery != 0) return;
  std::visit([now](auto& calendar) { calendar.forget_before(now); }, free_);
  for (auto& [user, jobs] : lanes_) jobs.forget_before(now);
}

Outlook plan_queue(Room running, std::span<const Ask> waiting, Time now, bool in_turn) {
  Outlook outlook{std::move(running), now};
  for (const Ask& ask : waiting) {
    const BlockSlot slot = outlook.room.earliest(ask, outlook.not_before);
    outlook.room.take(ask, slot);
    if (in_turn) outlook.not_before = slot.start;
  }
  return outlook;
}

}  // namespace dovetail::queue
