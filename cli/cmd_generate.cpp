// dovetail generate: seeded workflows and reservation schedules.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "command.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/archive_logs.hpp"
#include "gen/layered_dag.hpp"
#include "gen/shapes.hpp"
#include "gen/synthetic_log.hpp"

namespace dovetail::cli {

namespace {

struct WorkflowArguments {
  std::string shape = "layered";
  std::string name;
  LayeredDagSpec layered;
  std::uint32_t points = 8;
  std::uint32_t parts = 8;
  std::uint32_t stages = 1;
  std::vector<std::uint32_t> widths = {4, 4, 4};
  std::uint32_t levels = 4;
  std::uint32_t arity = 2;
  TaskTimes times;
  bool rigid = false;
  std::uint64_t seed = 1;
  std::string output = "-";
};

using Shape = Workflow (*)(const WorkflowArguments&, Random&);

// One line per shape.
const std::map<std::string, Shape>& shapes() {
  using Args = const WorkflowArguments&;
  static const std::map<std::string, Shape> table = {
      {"layered",
       [](Args a, Random& r) {
         LayeredDagSpec spec = a.layered;
         spec.times = a.times;
         return layered_dag(spec, r, a.name);
       }},
      {"fft",
       [](Args a, Random& r) {
         return fft({a.points, a.times}, r, a.name);
       }},
      {"strassen", [](Args a, Random& r) { return strassen({.times = a.times}, r, a.name); }},
      {"chain",
       [](Args a, Random& r) {
         return chain({a.layered.tasks, a.times}, r, a.name);
       }},
      {"independent",
       [](Args a, Random& r) {
         return independent({a.layered.tasks, a.times}, r, a.name);
       }},
      {"fork-join",
       [](Args a, Random& r) {
         return fork_join({a.parts, a.stages, a.times}, r, a.name);
       }},
      {"levels",
       [](Args a, Random& r) {
         return strict_levels({a.widths, a.times}, r, a.name);
       }},
      {"in-tree",
       [](Args a, Random& r) {
         return in_tree({a.levels, a.arity, a.times}, r, a.name);
       }},
      {"out-tree",
       [](Args a, Random& r) {
         return out_tree({a.levels, a.arity, a.times}, r, a.name);
       }},
  };
  return table;
}

WorkflowFormat format_of(const std::string& output) {
  if (output.ends_with(".wfcommons.json")) return WorkflowFormat::wfcommons;
  if (output.ends_with(".json")) return WorkflowFormat::json;
  if (output.ends_with(".dot") || output.ends_with(".gv")) return WorkflowFormat::dot;
  return WorkflowFormat::yaml;
}

void report(const std::string& output, const std::string& what) {
  if (output != "-") fmt::print("{}: {}\n", output, what);
}

Exit generate_workflow(WorkflowArguments arguments) {
  if (arguments.name.empty()) arguments.name = arguments.shape;
  arguments.times.moldable = !arguments.rigid;
  Random random(arguments.seed);
  const Workflow workflow = shapes().at(arguments.shape)(arguments, random);
  write_file(arguments.output, format_workflow(workflow, format_of(arguments.output)));
  report(arguments.output, counted(workflow.size(), "task") + ", " +
                               counted(workflow.edge_count(), "edge") + ", seed " +
                               std::to_string(arguments.seed));
  return Exit::fine;
}

void add_generate_workflow(CLI::App& generate, Exit& status) {
  CLI::App* command = generate.add_subcommand("workflow", "a workflow of a known shape");
  command->option_defaults()->always_capture_default();
  auto a = std::make_shared<WorkflowArguments>();
  std::vector<std::string> names;
  for (const auto& [name, shape] : shapes()) names.push_back(name);
  command
      ->add_option("--shape", a->shape,
                   "layered (default), fft, strassen, chain, independent, fork-join, levels, "
                   "in-tree or out-tree")
      ->check(CLI::IsMember(names).description(""));
  command->add_option("--tasks", a->layered.tasks, "layered, chain, independent: how many tasks");
  command->add_option("--width", a->layered.width, "layered: tasks^width in a level, 0 to 1");
  command->add_option("--density", a->layered.density,
                      "layered: share of possible parents, 0 to 1");
  command->add_option("--regularity", a->layered.regularity, "layered: 1 makes all levels alike");
  command->add_option("--jump", a->layered.jump, "layered: edges span 1 to this many levels");
  command->add_option("--points", a->points, "fft: a power of two");
  command->add_option("--parts", a->parts, "fork-join: parallel tasks of a stage");
  command->add_option("--stages", a->stages, "fork-join: stages one after the other");
  command->add_option("--widths", a->widths, "levels: tasks of each level")->delimiter(',');
  command->add_option("--levels", a->levels, "trees: levels");
  command->add_option("--arity", a->arity, "trees: children of a task");
  command->add_option("--min-time", a->times.min_seconds, "shortest task, seconds");
  command->add_option("--max-time", a->times.max_seconds, "longest task, seconds");
  command->add_option("--alpha", a->times.alpha_max, "largest share that does not parallelise");
  command->add_flag("--rigid", a->rigid, "tasks on one processor instead of moldable ones");
  command->add_option("--name", a->name, "name of the workflow; default: the shape");
  command->add_option("--seed", a->seed, "the same seed gives the same workflow")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_option(
      "-o,--output", a->output,
      "file; .yaml, .json, .wfcommons.json or .dot decides the format; - is standard output");
  command->footer("Example: dovetail generate workflow --tasks 50 --seed 7 -o flow.yaml");
  command->callback([a, &status] { status = generate_workflow(*a); });
}

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

ReservationLog load_log(const ReservationArguments& arguments, Random& random) {
  if (!arguments.log.empty()) {
    return read_reservation_log(arguments.log, arguments.name, arguments.processors,
                                arguments.partition);
  }
  LublinSpec spec;
  if (arguments.processors > 0) spec.processors = arguments.processors;
  return synthetic_log(spec, random);
}

ReservationMethod method_called(std::string_view name) {
  for (const ReservationMethod method : kReservationMethods) {
    if (to_string(method) == name) return method;
  }
  throw InputError("--method: expected linear, expo or real, found \"" + std::string(name) + "\"");
}

Exit generate_reservations(const ReservationArguments& arguments) {
  if (arguments.log.empty() && arguments.partition) {
    throw InputError("--partition: only a log (--log) has partitions");
  }
  Random random(arguments.seed);
  const ReservationLog log = load_log(arguments, random);
  const Tagging tagging = tag_jobs(log, arguments.phi, random);
  const Time moment = draw_moment(log, random);
  Cluster cluster =
      reservation_schedule(log, tagging, moment, method_called(arguments.method), random);
  cluster.name = arguments.name;
  const std::size_t reservations = cluster.reservations.size();
  const Platform platform(0, {std::move(cluster)});
  write_file(arguments.output, format_platform(platform, arguments.output.ends_with(".json")));
  report(arguments.output,
         fmt::format("{}, {}, {:.1f} usually free, seed {}",
                     counted(static_cast<std::size_t>(log.processors()), "processor"),
                     counted(reservations, "reservation"),
                     platform.clusters()[0].free_on_average.value_or(log.processors()),
                     arguments.seed));
  return Exit::fine;
}

void add_generate_reservations(CLI::App& generate, Exit& status) {
  CLI::App* command =
      generate.add_subcommand("reservations", "a cluster file with reservations as in a batch log");
  command->option_defaults()->always_capture_default();
  auto a = std::make_shared<ReservationArguments>();
  command->add_option("--log", a->log, "SWF log, plain or .gz; default: a synthetic one");
  command
      ->add_option("--processors", a->processors,
                   "of the cluster; default: what the log says, or 128")
      ->check(CLI::Range(1, kMaxProcessors).description(""));
  command->add_option("--partition", a->partition, "only this partition's jobs of the log");
  command->add_option("--phi", a->phi, "share of the jobs that count as reservations, 0 to 1");
  command
      ->add_option("--method", a->method,
                   "how reservations thin out with time: linear, expo (default) or real")
      ->check(CLI::IsMember({"linear", "expo", "real"}).description(""));
  command->add_option("--name", a->name, "name of the cluster");
  command->add_option("--seed", a->seed, "the same seed gives the same schedule")
      ->check(CLI::NonNegativeNumber.description(""));
  command->add_option("-o,--output", a->output,
                      "file; .yaml or .json decides the format; - is standard output");
  command->footer("Example: dovetail generate reservations --processors 128 -o cluster.yaml");
  command->callback([a, &status] { status = generate_reservations(*a); });
}

}  // namespace

void add_generate(CLI::App& program, Exit& status) {
  CLI::App* command = program.add_subcommand("generate", "seeded workflows and reservations");
  command->require_subcommand(1);
  command->footer(
      "Examples: dovetail generate workflow --tasks 50 -o flow.yaml\n"
      "          dovetail generate reservations --processors 128 -o cluster.yaml");
  add_generate_workflow(*command, status);
  add_generate_reservations(*command, status);
}

}  // namespace dovetail::cli
