#include "queue/policies/outlook.hpp"

namespace dovetail {

Outlook plan_queue(Room running, std::span<const Ask> waiting, Time now, bool in_turn) {
  Outlook outlook{std::move(running), now};
  for (const Ask& ask : waiting) {
    const BlockSlot slot = outlook.room.earliest(ask, outlook.not_before);
    outlook.room.take(ask, slot);
    if (in_turn) outlook.not_before = slot.start;
  }
  return outlook;
}

}  // namespace dovetail
