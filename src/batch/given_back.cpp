#include "batch/given_back.hpp"

#include <poll.h>

namespace dovetail::batch {

void release_reservations(JobBook& book, Client& client, Duration patience) {
  constexpr Duration kPause = 500;
  for (const Time until = book.now() + patience;; ::poll(nullptr, 0, kPause)) {
    for (const std::uint32_t pilot : book.pilots().to_release()) {
      try {
        if (client.delete_reservation(book.pilots().at(pilot).name)) book.released(pilot);
      } catch (const Refused&) {
        // It ends by itself; the work goes on.
      }
    }
    if (book.pilots().to_release().empty() || book.now() >= until) return;
  }
}

}  // namespace dovetail::batch
