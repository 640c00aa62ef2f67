#include "queue/strategies/job_tasks.hpp"

#include <algorithm>
#include <numeric>

namespace dovetail::queue {

JobTasks::JobTasks(std::vector<Duration> times, Pick pick, NodeSharing sharing)
    : times_(std::move(times)),
      pick_(pick),
      sharing_(std::move(sharing)),
      at_rank_(times_.size()),
      ranks_(times_.size()) {
  std::iota(at_rank_.begin(), at_rank_.end(), TaskId{0});
  std::ranges::stable_sort(at_rank_, [&](TaskId a, TaskId b) {
    return pick == Pick::shortest ? times_[a] < times_[b] : times_[a] > times_[b];
  });
  for (std::uint32_t rank = 0; rank < size(); ++rank) ranks_[at_rank_[rank]] = rank;
  first_next_.reserve(times_.size() + 1);
}

}  // namespace dovetail::queue
