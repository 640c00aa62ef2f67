#include "queue/strategies/wait_estimator.hpp"

#include <string>
#include <vector>

#include "dovetail/error.hpp"

namespace dovetail::queue {

namespace {

// Running jobs are reservations from now to their limits.
Room room_of(const RoomSpec& machine, std::span<const RunningJob> running,
             std::span<const Reservation> reservations, Time now) {
  std::vector<Reservation> taken;
  for (const RunningJob& job : running) {
    if (job.end > now) taken.push_back({now, job.end, job.nodes});
  }
  for (const Reservation& reservation : reservations) {
    if (reservation.end > now) {
      taken.push_back({std::max(reservation.start, now), reservation.end, reservation.procs});
    }
  }
  Cluster cluster{.name = "queue", .processors = machine.nodes, .reservations = taken};
  if (const auto overbooked = find_overbooking(cluster)) throw InputError(*overbooked);
  return Room(machine, taken, now);
}

}  // namespace

namespace {

std::span<const Ask> checked(std::span<const Ask> waiting, Count nodes) {
  for (const Ask& ask : waiting) {
    if (ask.nodes < 1 || ask.nodes > nodes) {
      throw InputError("a waiting job asks for " + std::to_string(ask.nodes) + " of " +
                       std::to_string(nodes) + " nodes");
    }
  }
  return waiting;
}

}  // namespace

QueueSnapshot::QueueSnapshot(const RoomSpec& machine, std::span<const RunningJob> running,
                             std::span<const Ask> waiting, Time now, const Options& options)
    : now_(now),
      outlook_{plan_queue(room_of(machine, running, options.reservations, now),
                          checked(waiting, machine.nodes), now, options.in_turn)} {}

}  // namespace dovetail::queue
