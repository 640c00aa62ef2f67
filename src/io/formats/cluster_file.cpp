// Reads and writes the cluster file: the clusters to plan on, and the reservations of other users.
#include <fmt/format.h>

#include <array>
#include <thread>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/emit.hpp"
#include "io/formats/node_fields.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using io::Emitter;
using io::Record;
using io::Value;

// Without the names of batch systems, which are keys too.
constexpr std::array<std::string_view, 13> kClusterKeys = {
    "name",          "processors", "nodes", "cores_per_node",  "memory_per_node",
    "gpus_per_node", "node_types", "speed", "free_on_average", "reservations",
    "joins",         "leaves",     "queue"};

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
    top_.only({"now", "clusters"});
    Time now = 0;
    if (const auto field = top_.find("now")) {
      clock_.wall = io::is_date(*field);
      // Rounded up, so that a plan never starts before the given moment.
      now = io::milliseconds_up(moment(top_, *field));
    }
    const Value list = top_.need("clusters");
    std::vector<Cluster> clusters;
    top_.for_each("clusters", "cluster",
                  [&](const Record& record) { clusters.push_back(read_cluster(record)); });
    if (clusters.empty()) top_.fail(list, "expected at least one cluster");
    // The platform checks what spans clusters.
    return io::at_place(file_, list.line(),
                        [&] { return Platform(now, std::move(clusters), clock_.wall); });
  }

 private:
  double moment(const Record& record, Value field) const {
    return io::read_moment(record, field, clock_);
  }

  Cluster read_cluster(Record record) const {
    record.name_by("name");
    std::vector<std::string_view> keys(kClusterKeys.begin(), kClusterKeys.end());
    keys.insert(keys.end(), std::begin(kBatchSystems), std::end(kBatchSystems));
    record.only(keys);
    Cluster cluster{.name = std::string(record.text(record.need("name")))};
    io::read_size(record, cluster);
    if (const auto speed = record.find("speed")) {
      cluster.speed = record.number(*speed, 0, kMaxSpeed);
      if (cluster.speed == 0) record.fail(*speed, "expected a speed above 0");
    }
    cluster.free_on_average = record.find_number("free_on_average", 0, kMaxProcessors);
    // Rounded inwards, so that the cluster exists during the whole interval.
    if (const auto joins = record.find("joins")) {
      cluster.joins = io::milliseconds_up(moment(record, *joins));
    }
    if (const auto leaves = record.find("leaves")) {
      cluster.leaves = io::milliseconds_down(moment(record, *leaves));
      if (cluster.leaves <= cluster.joins) {
        record.fail(*leaves, "the cluster leaves before it joins");
      }
    }
    if (const auto list = record.find("reservations")) read_reservations(record, *list, cluster);
    read_batch_system(record, cluster);
    return cluster;
  }

  void read_reservations(const Record& record, Value list, Cluster& cluster) const {
    std::vector<std::size_t> lines;
    for (Value item : record.list(list)) {
      const Record entry(item, record);
      entry.only({"start", "end", "processors"});
      // Rounded outwards: a reservation keeps even the part of a millisecond.
      cluster.reservations.push_back(
          {.start = io::milliseconds_down(moment(entry, entry.need("start"))),
           .end = io::milliseconds_up(moment(entry, entry.need("end"))),
           .procs = entry.count(entry.need("processors"), 1)});
      lines.push_back(item.line());
    }
    if (find_overbooking(cluster, clock_.wall)) reject_overbooking(record, cluster, lines);
  }

  // Reports the first reservation that does not fit beside those above it.
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
      queue.only({"log", "policy", "max_jobs"});
      QueueSpec& spec = cluster.queue.emplace();
      spec.log = queue.find_text("log").value_or("");
      spec.policy = queue.find_text("policy").value_or(spec.policy);
      spec.max_jobs = queue.find_count("max_jobs", 0).value_or(0);
    }
    for (const std::string_view system : kBatchSystems) {
      const auto field = record.find(system);
      if (!field) continue;
      const Record batch(*field, record);
      batch.only({"partition"});
      cluster.batch = BatchSpec{.system = std::string(system),
                                .partition = batch.find_text("partition").value_or("")};
    }
  }

  const std::string& file_;
  Record top_;
  io::FileClock clock_;
};

// Also true for negative numbers, so that they get a message about sizes, not about files.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Platform from_number(const std::string& text) {
  if (const auto processors = io::parse_processors(text)) return Platform::empty(*processors);
  throw InputError(fmt::format("a cluster may have from 1 to {} processors, found {}",
                               kMaxProcessors, io::quote(text)));
}

class ClusterWriter {
 public:
  ClusterWriter(const Platform& platform, bool json) : platform_(platform), emit_(json) {}

  std::string write() const {
    std::vector<Emitter::Fields> clusters;
    for (const Cluster& cluster : platform_.clusters()) clusters.push_back(fields_of(cluster));
    return emit_.file({{"now", moment(platform_.now())}}, "clusters", clusters);
  }

 private:
  std::string moment(Time time) const { return emit_.moment(time, platform_.wall_clock()); }

  Emitter::Fields fields_of(const Cluster& cluster) const {
    Emitter::Fields fields = {{"name", emit_.text(cluster.name)}};
    io::add_size(cluster, emit_, fields);
    if (cluster.speed != 1.0) fields.emplace_back("speed", io::number_text(cluster.speed));
    if (cluster.free_on_average) {
      fields.emplace_back("free_on_average", io::number_text(*cluster.free_on_average));
    }
    if (!cluster.reservations.empty()) {
      fields.emplace_back("reservations", reservations(cluster));
    }
    if (cluster.joins != kBeginning) fields.emplace_back("joins", moment(cluster.joins));
    if (cluster.leaves != kForever) fields.emplace_back("leaves", moment(cluster.leaves));
    if (cluster.queue) fields.emplace_back("queue", queue(*cluster.queue));
    if (cluster.batch) fields.emplace_back(cluster.batch->system, batch(*cluster.batch));
    return fields;
  }

  std::string reservations(const Cluster& cluster) const {
    std::vector<std::string> items;
    for (const Reservation& reservation : cluster.reservations) {
      items.push_back(emit_.mapping({{"start", moment(reservation.start)},
                                     {"end", moment(reservation.end)},
                                     {"processors", std::to_string(reservation.procs)}}));
    }
    if (emit_.json()) return emit_.list(items);
    std::string block;
    for (const std::string& item : items) block += "\n      - " + item;
    return block;
  }

  std::string queue(const QueueSpec& queue) const {
    Emitter::Fields fields;
    if (!queue.log.empty()) fields.emplace_back("log", emit_.text(queue.log));
    fields.emplace_back("policy", emit_.text(queue.policy));
    if (queue.max_jobs != 0) fields.emplace_back("max_jobs", std::to_string(queue.max_jobs));
    return emit_.mapping(fields);
  }

  std::string batch(const BatchSpec& batch) const {
    Emitter::Fields fields;
    if (!batch.partition.empty()) fields.emplace_back("partition", emit_.text(batch.partition));
    return emit_.mapping(fields);
  }

  const Platform& platform_;
  Emitter emit_;
};

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

std::string format_platform(const Platform& platform, bool json) {
  return ClusterWriter(platform, json).write();
}

}  // namespace dovetail
