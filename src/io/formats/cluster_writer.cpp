// The cluster file, written as YAML or JSON.
#include "dovetail/io.hpp"
#include "dovetail/time.hpp"
#include "io/emit.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using Fields = io::Emitter::Fields;

class Writer {
 public:
  Writer(const Platform& platform, bool json) : platform_(platform), emit_(json) {}

  std::string write() const {
    std::vector<Fields> clusters;
    for (const Cluster& cluster : platform_.clusters()) clusters.push_back(fields_of(cluster));
    return emit_.file({{"now", moment(platform_.now())}}, "clusters", clusters);
  }

 private:
  std::string moment(Time time) const { return emit_.moment(time, platform_.wall_clock()); }

  Fields fields_of(const Cluster& cluster) const {
    Fields fields = {{"name", emit_.text(cluster.name)},
                     {"processors", std::to_string(cluster.processors)}};
    if (cluster.cores_per_node != 1) {
      fields.emplace_back("cores_per_node", std::to_string(cluster.cores_per_node));
    }
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
    Fields fields;
    if (!queue.log.empty()) fields.emplace_back("log", emit_.text(queue.log));
    fields.emplace_back("policy", emit_.text(queue.policy));
    if (queue.max_jobs != 0) fields.emplace_back("max_jobs", std::to_string(queue.max_jobs));
    return emit_.mapping(fields);
  }

  std::string batch(const BatchSpec& batch) const {
    Fields fields;
    if (!batch.partition.empty()) fields.emplace_back("partition", emit_.text(batch.partition));
    return emit_.mapping(fields);
  }

  const Platform& platform_;
  io::Emitter emit_;
};

}  // namespace

std::string format_platform(const Platform& platform, bool json) {
  return Writer(platform, json).write();
}

}  // namespace dovetail
