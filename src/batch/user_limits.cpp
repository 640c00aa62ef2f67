#include "batch/user_limits.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>

namespace dovetail::batch {

namespace {

bool counts(const JobScope& scope, const ClusterJob& job) {
  const auto is_of = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  return !is_over(job.state) && is_of(scope.user, job.user) && is_of(scope.account, job.account) &&
         is_of(scope.qos, job.qos) &&
         (scope.partition.empty() ||
          std::ranges::find(job.partitions, scope.partition) != job.partitions.end());
}

}  // namespace

std::string own_user() {
  // Once: getpwuid is not made for several threads.
  static const std::string name = [] {
    const passwd* user = getpwuid(geteuid());
    return user == nullptr ? std::to_string(geteuid()) : user->pw_name;
  }();
  return name;
}

bool is_own(const ClusterJob& job) { return job.user == own_user(); }

std::optional<Count> UserLimits::max_submit() const {
  const auto least = std::ranges::min_element(submitted, {}, &JobLimit::most);
  return least == submitted.end() ? std::nullopt : std::optional(least->most);
}

std::optional<Count> jobs_left(const UserLimits& limits, const std::vector<ClusterJob>& jobs) {
  std::optional<Count> left;
  for (const JobLimit& limit : limits.submitted) {
    const auto taken = std::ranges::count_if(
        jobs, [&](const ClusterJob& job) { return counts(limit.scope, job); });
    const Count free = static_cast<Count>(std::max<std::int64_t>(0, limit.most - taken));
    left = std::min(left.value_or(free), free);
  }
  return left;
}

}  // namespace dovetail::batch
