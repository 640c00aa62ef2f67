// The cluster file: what there is to plan on, and what others have reserved of it.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <thread>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/gzip_source.hpp"
#include "io/moment.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using io::Record;
using io::Value;

constexpr std::array<std::string_view, 2> kPlatformKeys = {"now", "clusters"};
// Beside the names of batch systems.
constexpr std::array<std::string_view, 10> kClusterKeys = {
    "name",         "processors", "nodes",  "cores_per_node", "speed", "free_on_average",
    "reservations", "joins",      "leaves", "queue"};
constexpr std::array<std::string_view, 3> kReservationKeys = {"start", "end", "processors"};
constexpr std::array<std::string_view, 3> kQueueKeys = {"log", "policy", "max_jobs"};
constexpr std::array<std::string_view, 1> kBatchKeys = {"partition"};

constexpr double kMaxSpeed = 1e6;

class ClusterReader {
 public:
  explicit ClusterReader(const io::Document& document)
      : file_(document.file()), top_(document.root()) {}

  Platform read() {
    if (top_.find("tasks")) {
      top_.fail_at(top_.line(),
                   "this is a workflow or a plan; expected a cluster file with "
                   "\"clusters\"");
    }
    top_.only(kPlatformKeys);
    Time now = 0;
    if (const auto field = top_.find("now")) {
      clock_.wall = io::is_date(*field);
      // Rounded up: a plan that starts then starts no earlier than the moment that was meant.
      now = io::milliseconds_up(moment(top_, *field));
    }
    const Value list = top_.need("clusters");
    std::vector<Cluster> clusters;
    std::size_t number = 0;
    for (Value value : top_.list(list)) clusters.push_back(read_cluster(value, number++));
    if (clusters.empty()) top_.fail(list, "expected at least one cluster");
    return build(now, std::move(clusters), list);
  }

 private:
  double moment(const Record& record, Value field) const {
    return io::read_moment(record, field, clock_);
  }

  Cluster read_cluster(Value value, std::size_t number) const {
    Record record(value, "cluster", number);
    record.name_by("name");
    std::vector<std::string_view> keys(kClusterKeys.begin(), kClusterKeys.end());
    keys.insert(keys.end(), std::begin(kBatchSystems), std::end(kBatchSystems));
    record.only(keys);
    Cluster cluster{.name = std::string(record.text(record.need("name")))};
    read_size(record, cluster);
    if (const auto speed = record.find("speed")) {
      cluster.speed = record.number(*speed, 0, kMaxSpeed);
      if (cluster.speed == 0) record.fail(*speed, "expected a speed above 0");
    }
    if (const auto free = record.find("free_on_average")) {
      cluster.free_on_average = record.number(*free, 0, kMaxProcessors);
    }
    // Rounded inwards: the cluster is surely there in between.
    if (const auto joins = record.find("joins"))
      cluster.joins = io::milliseconds_up(moment(record, *joins));
    if (const auto leaves = record.find("leaves")) {
      cluster.leaves = io::milliseconds_down(moment(record, *leaves));
      if (cluster.leaves <= cluster.joins)
        record.fail(*leaves, "the cluster leaves before it joins");
    }
    if (const auto list = record.find("reservations")) read_reservations(record, *list, cluster);
    read_batch_system(record, cluster);
    return cluster;
  }

  static void read_size(const Record& record, Cluster& cluster) {
    const auto processors = record.find("processors");
    const auto nodes = record.find("nodes");
    if (const auto cores = record.find("cores_per_node")) {
      cluster.cores_per_node = record.count(*cores, 1);
    }
    if (processors && nodes) record.fail(*nodes, "give \"processors\" or \"nodes\", not both");
    if (!processors && !nodes) {
      record.fail_at(record.line(),
                     "its size is missing; give \"processors\", or \"nodes\" and "
                     "\"cores_per_node\"");
    }
    const std::int64_t size = processors
                                  ? record.count(*processors, 1)
                                  : std::int64_t{record.count(*nodes, 1)} * cluster.cores_per_node;
    if (size > kMaxProcessors) {
      record.fail(*nodes, fmt::format("{} processors in all; at most {} are allowed", size,
                                      kMaxProcessors));
    }
    cluster.processors = static_cast<Count>(size);
  }

  void read_reservations(const Record& record, Value list, Cluster& cluster) const {
    std::vector<std::size_t> lines;
    for (Value item : record.list(list)) {
      const Record entry(item, record);
      entry.only(kReservationKeys);
      // Rounded outwards: what others hold is never ours, not even for a part of a millisecond.
      cluster.reservations.push_back(
          {.start = io::milliseconds_down(moment(entry, entry.need("start"))),
           .end = io::milliseconds_up(moment(entry, entry.need("end"))),
           .procs = entry.count(entry.need("processors"), 1)});
      lines.push_back(item.line());
    }
    if (find_overbooking(cluster, clock_.wall)) reject_overbooking(record, cluster, lines);
  }

  // Blames the first reservation that does not go together with those above it.
  [[noreturn]] void reject_overbooking(const Record& record, const Cluster& cluster,
                                       const std::vector<std::size_t>& lines) const {
    const auto overbooked = [&](std::size_t count) {
      Cluster part = cluster;
      part.reservations.resize(count);
      return find_overbooking(part, clock_.wall);
    };
    std::size_t fine = 0;
    std::size_t broken = lines.size();
    while (broken - fine > 1) {
      const std::size_t middle = fine + (broken - fine) / 2;
      (overbooked(middle) ? broken : fine) = middle;
    }
    record.fail_at(lines[broken - 1], *overbooked(broken));
  }

  static void read_batch_system(const Record& record, Cluster& cluster) {
    if (const auto field = record.find("queue")) {
      const Record queue(*field, record);
      queue.only(kQueueKeys);
      cluster.queue.emplace();
      if (const auto log = queue.find("log")) cluster.queue->log = queue.text(*log);
      if (const auto policy = queue.find("policy")) cluster.queue->policy = queue.text(*policy);
      if (const auto jobs = queue.find("max_jobs")) cluster.queue->max_jobs = queue.count(*jobs, 0);
    }
    for (const std::string_view system : kBatchSystems) {
      const auto field = record.find(system);
      if (!field) continue;
      const Record batch(*field, record);
      batch.only(kBatchKeys);
      cluster.batch = BatchSpec{.system = std::string(system), .partition = {}};
      if (const auto partition = batch.find("partition")) {
        cluster.batch->partition = batch.text(*partition);
      }
    }
  }

  // The platform checks what spans clusters; its errors get the line of the list.
  Platform build(Time now, std::vector<Cluster> clusters, Value list) const {
    try {
      return Platform(now, std::move(clusters), clock_.wall);
    } catch (const InputError& error) {
      throw InputError(file_, list.line(), error.what());
    }
  }

  const std::string& file_;
  Record top_;
  io::Clock clock_;
};

// A whole number, also a negative one, which no cluster can have.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Platform from_number(const std::string& text) {
  Count processors = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), processors);
  if (error != std::errc{} || processors < 1 || processors > kMaxProcessors) {
    throw InputError(fmt::format("a cluster may have from 1 to {} processors, found {}",
                                 kMaxProcessors, io::quote(text)));
  }
  return Platform::empty(processors);
}

}  // namespace

Platform parse_platform(std::string_view text, const std::string& file) {
  const io::Document document = io::parse_document(text, file);
  return ClusterReader(document).read();
}

Platform read_platform(const std::string& path_or_shorthand) {
  if (is_number(path_or_shorthand)) return from_number(path_or_shorthand);
  if (path_or_shorthand == "local") {
    const unsigned threads = std::thread::hardware_concurrency();
    return Platform::empty(threads == 0 ? 1 : static_cast<Count>(threads), "local");
  }
  return parse_platform(read_file(path_or_shorthand), io::display_name(path_or_shorthand));
}

}  // namespace dovetail
