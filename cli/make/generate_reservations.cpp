// dovetail generate reservations: a cluster file with reservations as in a batch log.
#include <fmt/format.h>

#include <algorithm>

#include "cli/make/generate.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/reservation_logs.hpp"

namespace dovetail::cli {

namespace {

struct ReservationArguments {
  std::string log;
  Count processors = 0;
  std::optional<int> partition;
  std::string name = "cluster";
  double phi = 0.2;
  std::string method = "expo";
  std::uint64_t seed = 1;
  std::string output = "-";
};

gen::ReservationLog load_log(const ReservationArguments& arguments, Random& random) {
  if (!arguments.log.empty()) {
    return gen::read_reservation_log(arguments.log, arguments.name, arguments.processors,
                                     arguments.partition);
  }
  gen::LublinSpec spec;
  if (arguments.processors > 0) spec.processors = arguments.processors;
  return gen::synthetic_log(spec, random);
}

Exit generate_reservations(const ReservationArguments& arguments) {
  if (arguments.log.empty() && arguments.partition) {
    throw InputError("--partition: only a log (--log) has partitions");
  }
  Random random(arguments.seed);
  const gen::ReservationLog log = load_log(arguments, random);
  const gen::Tagging tagging = gen::tag_jobs(log, arguments.phi, random);
  const Time moment = gen::draw_moment(log, random);
  const auto method =
      *std::ranges::find(gen::kReservationMethods, arguments.method,
                         [](gen::ReservationMethod known) { return gen::to_string(known); });
  Cluster cluster = gen::reservation_schedule(log, tagging, moment, method, random);
  cluster.name = arguments.name;
  const std::size_t reservations = cluster.reservations.size();
  const Platform platform(0, {std::move(cluster)});
  write_file(arguments.output, format_platform(platform, arguments.output.ends_with(".json")));
  report_made(arguments.output,
              fmt::format("{}, {}, {:.1f} usually free, seed {}",
                          counted(static_cast<std::size_t>(log.processors()), "processor"),
                          counted(reservations, "reservation"),
                          platform.clusters()[0].free_on_average.value_or(log.processors()),
                          arguments.seed));
  return Exit::fine;
}

}  // namespace

void add_generate_reservations(CLI::App& generate, Exit& status) {
  const auto [command, a] = add_verb<ReservationArguments>(
      generate, status, "reservations", "make a cluster file with reservations as in a batch log",
      generate_reservations);
  command.option_defaults()->always_capture_default();
  command.add_option("--log", a.log, "read this SWF log, plain or .gz; default: a synthetic one");
  command
      .add_option("--processors", a.processors,
                  "give the cluster this many processors; default: what the log says, or 128")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  command.add_option("--partition", a.partition, "use only the jobs of this partition of the log");
  command.add_option("--phi", a.phi, "turn this share of the jobs into reservations, 0 to 1");
  command
      .add_option("--method", a.method,
                  "choose how reservations thin out with time: linear, expo (default) or real")
      ->check(CLI::IsMember({"linear", "expo", "real"}).description(""));
  command.add_option("--name", a.name, "give the cluster this name");
  add_seed(command, a.seed, "schedule");
  command.add_option("-o,--output", a.output,
                     "write this file; .yaml or .json decides the format; - is standard output");
  command.footer("Example: dovetail generate reservations --processors 128 -o cluster.yaml");
}

}  // namespace dovetail::cli
