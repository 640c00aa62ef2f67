#include "batch/given_back.hpp"

namespace dovetail::batch {

void release_reservations(JobBook& book, BatchSystem& system, const JobRunOptions& options,
                          Duration patience) {
  constexpr Duration kPause = 500;
  for (const Time until = book.now() + patience;; options.wait({}, kPause)) {
    for (const std::uint32_t pilot : book.pilots().to_release()) {
      try {
        if (system.release(book.pilots().at(pilot).name)) book.released(pilot);
      } catch (const Refused&) {
        // It ends by itself; the work goes on.
      }
    }
    if (book.pilots().to_release().empty() || book.now() >= until) return;
  }
}

}  // namespace dovetail::batch
