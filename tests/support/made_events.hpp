// Events in few words, with times in seconds: reserve(5, 2, 10, 25), late(4, 0, 1.5).
#pragma once

#include "dovetail/event.hpp"

namespace dovetail::testing {

inline Time ms(double seconds) { return static_cast<Time>(seconds * 1000); }

inline Event reserve(double time, Count procs, double start, double end) {
  return {.time = ms(time),
          .kind = Event::Kind::reserve,
          .until = ms(end),
          .start = ms(start),
          .procs = procs};
}
inline Event cancel(double time, Count procs, double start, double end) {
  Event event = reserve(time, procs, start, end);
  event.kind = Event::Kind::cancel;
  return event;
}
inline Event fail(double time, Count procs, double until) {
  return {.time = ms(time), .kind = Event::Kind::fail, .until = ms(until), .procs = procs};
}
inline Event fail_for_good(double time, Count procs) {
  return {.time = ms(time), .kind = Event::Kind::fail, .until = kForever, .procs = procs};
}
inline Event late(double time, TaskId task, double factor) {
  return {.time = ms(time), .kind = Event::Kind::late, .factor = factor, .task = task};
}
inline Event lost(double time, TaskId task) {
  return {.time = ms(time), .kind = Event::Kind::lost, .task = task};
}
inline Event join(double time, std::uint32_t resource) {
  return {.time = ms(time), .kind = Event::Kind::join, .resource = resource};
}
inline Event leave(double time, std::uint32_t resource) {
  return {.time = ms(time), .kind = Event::Kind::leave, .resource = resource};
}
inline Event leave_later(double time, std::uint32_t resource, double at) {
  return {
      .time = ms(time), .kind = Event::Kind::leave_later, .resource = resource, .until = ms(at)};
}
inline Event slow(double time, std::uint32_t resource, double factor) {
  return {.time = ms(time), .kind = Event::Kind::slow, .resource = resource, .factor = factor};
}

}  // namespace dovetail::testing
