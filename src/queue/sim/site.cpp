#include "queue/sim/site.hpp"

#include <algorithm>
#include <filesystem>

#include "dovetail/error.hpp"
#include "io/text.hpp"

namespace dovetail::queue {

namespace {

namespace fs = std::filesystem;

constexpr Time kOneDay = 86'400 * kSecond;

// The only cluster, or the only one with a queue.
std::size_t queue_cluster(const Platform& platform, const std::string& file) {
  const auto clusters = platform.clusters();
  if (clusters.size() == 1) return 0;
  std::optional<std::size_t> found;
  std::size_t queues = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (!clusters[i].queue) continue;
    ++queues;
    found = i;
  }
  if (queues == 1) return *found;
  throw InputError(file + ": has " + std::to_string(clusters.size()) + " clusters and " +
                   std::to_string(queues) +
                   " of them with a queue; expected one cluster, or one with a queue");
}

void require_queueable(const Cluster& cluster, const std::string& file) {
  const std::string who = file + ": cluster " + io::quote(cluster.name);
  if (cluster.processors < cluster.cores_per_node) {
    throw InputError(who + " has " + std::to_string(cluster.processors) +
                     " processors, less than a node of " + std::to_string(cluster.cores_per_node));
  }
  if (cluster.leaves < kForever) {
    throw InputError(who + " leaves; a batch queue needs one that stays, so remove leaves");
  }
}

std::string find_log(const std::string& log, const std::string& file) {
  const fs::path beside = fs::path(file).parent_path() / log;
  std::error_code error;
  if (fs::exists(beside, error)) return beside.string();
  if (fs::exists(log, error)) return log;
  throw InputError(file + ": the queue's log " + io::quote(log) +
                   " is neither in the folder of this file nor in the current one; give its path");
}

void read_log(Site& site, const std::string& log, const std::string& file) {
  site.log_file = find_log(log, file);
  Trace trace = read_trace(site.log_file, site.trace);
  site.jobs = std::make_shared<const std::vector<Job>>(std::move(trace.jobs));
  if (trace.info.unix_start) site.date_of_0 = *trace.info.unix_start * kSecond;
  site.log = std::move(trace.info);
}

// The platform's clock at the site's time 0.
Time zero_of(const Site& site, const Platform& platform, const std::string& file) {
  if (!site.log || !platform.wall_clock()) return 0;
  if (site.date_of_0) return *site.date_of_0;
  throw InputError(file +
                   ": its times are dates, but the log does not say when it began "
                   "(UnixStartTime); give times in seconds from the log's first job");
}

std::int64_t new_user(const std::vector<Job>& jobs) {
  std::int64_t user = 0;
  for (const Job& job : jobs) user = std::max(user, job.ask.user + 1);
  return user;
}

void set_clock(Site& site, const Platform& platform, Time zero) {
  if (!site.log && platform.wall_clock()) site.date_of_0 = 0;
  site.now = platform.now() - zero;
  site.now_is_guess = site.log && site.now == 0;
  // A machine that has just begun is empty; after a day it looks like itself.
  if (site.now_is_guess) site.now = kOneDay;
}

}  // namespace

Count Site::reserved_at(Time time) const {
  Count nodes = 0;
  for (const Reservation& taken : rules.reservations) {
    if (taken.start <= time && time < taken.end) nodes += taken.procs;
  }
  return nodes;
}

QueueState state_of(const Site& site, const Background& background) {
  const Machine& machine = background.machine();
  QueueState state{.running = machine.running(),
                   .waiting = machine.waiting(),
                   .busy = machine.busy(),
                   .reserved = site.reserved_at(machine.now())};
  state.free = machine.nodes() - state.busy - state.reserved;
  return state;
}

std::vector<Reservation> node_reservations(const Platform& platform, std::size_t cluster,
                                           Time zero) {
  const Cluster& where = platform.clusters()[cluster];
  const Count cores = where.cores_per_node;
  const Count nodes = where.processors / cores;
  const Calendar calendar = platform.at(zero).calendar(cluster);
  std::vector<Reservation> taken;
  for (const Step& step : calendar.steps()) {
    const Count free = std::min(nodes, step.free / cores);
    if (free < nodes) taken.push_back({step.begin - zero, step.end - zero, nodes - free});
  }
  return taken;
}

Site make_site(const Platform& platform, const std::string& file, const SiteOptions& options) {
  const std::size_t index = queue_cluster(platform, file);
  const Cluster& cluster = platform.clusters()[index];
  require_queueable(cluster, file);
  const QueueSpec queue = cluster.queue.value_or(QueueSpec{});
  Site site{.cluster = cluster, .rules = options.queue, .trace = options.trace};
  if (site.rules.policy.empty()) site.rules.policy = queue.policy;
  site.cap = options.cap.value_or(queue.max_jobs);
  site.cap_mode = options.cap_mode;
  site.rules.room.nodes = site.trace.nodes = cluster.processors / cluster.cores_per_node;
  if (site.cap_mode == CapMode::running) site.rules.room.cap = site.cap;
  if (site.trace.processors_per_node == 0) site.trace.processors_per_node = cluster.cores_per_node;
  if (queue.log.empty()) {
    site.jobs = std::make_shared<const std::vector<Job>>();
  } else {
    read_log(site, queue.log, file);
  }
  site.user = new_user(*site.jobs);
  const Time zero = zero_of(site, platform, file);
  site.rules.reservations = node_reservations(platform, index, zero);
  set_clock(site, platform, zero);
  try {
    make_scheduler(site.rules);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  return site;
}

}  // namespace dovetail::queue
