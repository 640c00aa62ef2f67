// dovetail generate workflow: a workflow of a known shape.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "cli/make/generate.hpp"
#include "core/mapped.hpp"
#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "gen/heft_graph.hpp"
#include "gen/layered_dag.hpp"
#include "gen/pegasus.hpp"
#include "gen/shapes.hpp"
#include "gen/wide_apps.hpp"
#include "io/formats/table.hpp"

namespace dovetail::cli {

using namespace gen;

namespace {

struct WorkflowArguments {
  std::string shape = "layered";
  std::string name;
  LayeredDagSpec layered;
  FftSpec fft;
  ForkJoinSpec fork_join;
  StrictLevelsSpec strict;
  TreeSpec tree;
  double hours = 100;
  WaysSpec ways;
  HeftGraphSpec heft;
  double beta = PoolCosts().beta;
  PoolSpec pool;
  double join_until = 0;
  std::string pool_file;
  TaskTimes times;
  std::optional<KernelCost> kernel = {};
  double gigaflops = KernelCosts().gigaflops;
  bool rigid = false;
  std::uint64_t seed = 1;
  std::string output = "-";

  // The spec of a shape with the times that were asked for.
  template <typename Spec>
  Spec timed(Spec spec) const {
    spec.times = times;
    return spec;
  }
  ListSpec list() const { return {layered.tasks, times}; }
  PegasusSpec pegasus() const { return {layered.tasks, hours}; }
  PoolCosts costs() const { return {ways.mean_seconds, ways.ccr, beta}; }
  Platform platform() const {
    check_range("--join-until", join_until, 0, kMaxSeconds);
    return to_platform(pool, time_floor(join_until));
  }
};

using Names = std::vector<std::string>;

struct Shape {
  std::string name;
  Names options;  // beside those that all shapes take
  Workflow (*make)(const WorkflowArguments&, Random&);
  PoolFlow (*make_for_pool)(const WorkflowArguments&, Random&) = nullptr;  // for a pool
};

Names with_times(Names options) {
  options.insert(options.end(),
                 {"--min-time", "--max-time", "--kernel", "--gigaflops", "--alpha", "--rigid"});
  return options;
}

// What goes with heterogeneous resources.
const Names& pool_options() {
  static const Names names = {"--resources",  "--beta",       "--join-every",
                              "--join-share", "--join-until", "--pool"};
  return names;
}

Names with_pool(Names options) {
  options.insert(options.end(), pool_options().begin(), pool_options().end());
  return options;
}

// One line per shape; the first is the default.
std::vector<Shape> shapes() {
  using Args = const WorkflowArguments&;
  const Names application = {"--tasks", "--hours"};
  const Names ways = with_pool({"--ways", "--mean-time", "--ccr"});
  return {
      {"layered", with_times({"--tasks", "--width", "--density", "--regularity", "--jump"}),
       [](Args a, Random& r) { return layered_dag(a.timed(a.layered), r, a.name); }},
      {"fft", with_times({"--points"}),
       [](Args a, Random& r) { return fft(a.timed(a.fft), r, a.name); }},
      {"strassen", with_times({}),
       [](Args a, Random& r) { return strassen({.times = a.times}, r, a.name); }},
      {"chain", with_times({"--tasks"}),
       [](Args a, Random& r) { return chain(a.list(), r, a.name); }},
      {"independent", with_times({"--tasks"}),
       [](Args a, Random& r) { return independent(a.list(), r, a.name); }},
      {"fork-join", with_times({"--parts", "--stages"}),
       [](Args a, Random& r) { return fork_join(a.timed(a.fork_join), r, a.name); }},
      {"levels", with_times({"--widths"}),
       [](Args a, Random& r) { return strict_levels(a.timed(a.strict), r, a.name); }},
      {"in-tree", with_times({"--levels", "--arity"}),
       [](Args a, Random& r) { return in_tree(a.timed(a.tree), r, a.name); }},
      {"out-tree", with_times({"--levels", "--arity"}),
       [](Args a, Random& r) { return out_tree(a.timed(a.tree), r, a.name); }},
      {"heft", with_pool({"--tasks", "--out-degree", "--shape-factor", "--mean-time", "--ccr"}),
       nullptr,
       [](Args a, Random& r) {
         HeftGraphSpec spec = a.heft;
         spec.tasks = a.layered.tasks;
         return heft_graph(spec, a.costs(), r);
       }},
      {"cybershake", application,
       [](Args a, Random& r) { return cybershake(a.pegasus(), r, a.name); }},
      {"epigenomics", application,
       [](Args a, Random& r) { return epigenomics(a.pegasus(), r, a.name); }},
      {"montage", application, [](Args a, Random& r) { return montage(a.pegasus(), r, a.name); }},
      {"sipht", application, [](Args a, Random& r) { return sipht(a.pegasus(), r, a.name); }},
      {"blast", ways, [](Args a, Random& r) { return blast(a.ways, r, a.name); },
       [](Args a, Random& r) { return blast_for_pool(a.ways.ways, a.costs(), r); }},
      {"wien2k", ways, [](Args a, Random& r) { return wien2k(a.ways, r, a.name); },
       [](Args a, Random& r) { return wien2k_for_pool(a.ways.ways, a.costs(), r); }},
  };
}

WorkflowFormat format_for(const std::string& output) {
  const io::FormatInfo* format = io::format_of_ending(output);
  return format == nullptr ? WorkflowFormat::yaml : format->format;
}

// Throws InputError for an option that belongs to other shapes and would have no effect.
void check_options(const CLI::App& command, const Shape& chosen) {
  for (const Shape& shape : shapes()) {
    for (const std::string& option : shape.options) {
      const bool known =
          std::find(chosen.options.begin(), chosen.options.end(), option) != chosen.options.end();
      if (known || command.count(option) == 0) continue;
      throw InputError(fmt::format("{}: the shape {} has no such option; it takes {}", option,
                                   chosen.name, fmt::join(chosen.options, ", ")));
    }
  }
}

// Whether tasks get a time on each of several resources: always, or when these are asked for.
bool wants_resources(const CLI::App& command, const Shape& shape) {
  if (shape.make == nullptr || command.count("--resources") > 0) return true;
  for (const std::string& option : pool_options()) {
    if (command.count(option) > 0) {
      throw InputError(option + ": needs --resources, the number of heterogeneous resources");
    }
  }
  return false;
}

Workflow make_workflow(const CLI::App& command, const Shape& shape,
                       const WorkflowArguments& arguments) {
  Random random(arguments.seed);
  if (!wants_resources(command, shape)) return shape.make(arguments, random);
  const Platform platform = arguments.platform();
  return to_workflow(shape.make_for_pool(arguments, random), platform.clusters().size(),
                     arguments.name);
}

void write_pool(const WorkflowArguments& arguments) {
  const std::string& file = arguments.pool_file;
  if (file.empty()) return;
  const Platform platform = arguments.platform();
  write_file(file, format_platform(platform, file.ends_with(".json")));
  const std::size_t later = platform.clusters().size() - arguments.pool.resources;
  report_made(file, counted(arguments.pool.resources, "resource") + " at the start, " +
                        std::to_string(later) + " later");
}

Exit generate_workflow(const CLI::App& command, WorkflowArguments arguments) {
  const std::vector<Shape> known = shapes();
  const Shape& shape = *std::find_if(known.begin(), known.end(),
                                     [&](const Shape& s) { return s.name == arguments.shape; });
  check_options(command, shape);
  if (arguments.name.empty()) arguments.name = shape.name;
  arguments.times.moldable = !arguments.rigid;
  if (arguments.kernel) {
    arguments.times.kernels = KernelCosts{*arguments.kernel, arguments.gigaflops};
  } else if (command.count("--gigaflops") > 0) {
    throw InputError("--gigaflops: needs --kernel, whose operations it counts");
  }
  protect_inputs({}, {arguments.output, arguments.pool_file});
  const Workflow workflow = make_workflow(command, shape, arguments);
  write_file(arguments.output, format_workflow(workflow, format_for(arguments.output)));
  report_made(arguments.output, counted(workflow.size(), "task") + ", " +
                                    counted(workflow.edge_count(), "edge") + ", seed " +
                                    std::to_string(arguments.seed));
  write_pool(arguments);
  return Exit::fine;
}

void add_shape_options(CLI::App& command, WorkflowArguments& a) {
  const Names names = mapped(shapes(), &Shape::name);
  command
      .add_option("--shape", a.shape,
                  fmt::format("choose the shape: layered (default), {}",
                              fmt::join(std::span(names).subspan(1), ", ")))
      ->check(CLI::IsMember(names).description(""));
  command.add_option("--tasks", a.layered.tasks,
                     "layered, chain, independent, cybershake, epigenomics, montage, sipht, heft: "
                     "make this many tasks");
  command.add_option("--width", a.layered.width,
                     "layered: put about tasks^width tasks in a level, 0 to 1");
  command.add_option("--density", a.layered.density,
                     "layered: give tasks up to this share of the level above as parents, 0 to 1");
  command.add_option("--regularity", a.layered.regularity,
                     "layered: vary the levels; 1 makes all levels alike");
  command.add_option("--jump", a.layered.jump, "layered: let edges span 1 to this many levels");
  command.add_option("--points", a.fft.points, "fft: transform this many points, a power of two");
  command.add_option("--parts", a.fork_join.width,
                     "fork-join: run this many tasks in parallel in a stage");
  command.add_option("--stages", a.fork_join.stages,
                     "fork-join: make this many stages, one after the other");
  command
      .add_option("--widths", a.strict.widths,
                  "levels: make this many tasks in each level, such as 4,2,8")
      ->delimiter(',');
  command.add_option("--levels", a.tree.levels, "trees: make this many levels");
  command.add_option("--arity", a.tree.arity, "trees: give each task this many children");
  command.add_option("--out-degree", a.heft.out_degree,
                     "heft: give tasks up to this share of all tasks as children, 0 to 1");
  command.add_option("--shape-factor", a.heft.shape,
                     "heft: make levels of 1 to 2 x this x sqrt(tasks) - 1 tasks");
}

void add_time_options(CLI::App& command, WorkflowArguments& a) {
  command.add_option(
      "--hours", a.hours,
      "cybershake, epigenomics, montage, sipht: make all tasks together take this long");
  command.add_option("--ways", a.ways.ways, "blast, wien2k: run this many tasks in parallel");
  command.add_option("--mean-time", a.ways.mean_seconds,
                     "blast, wien2k, heft: set the mean time of a task, seconds");
  command.add_option("--ccr", a.ways.ccr,
                     "blast, wien2k, heft: set the mean transfer time over the mean task time");
  command.add_option("--min-time", a.times.min_seconds, "set the shortest task time, seconds");
  command.add_option("--max-time", a.times.max_seconds, "set the longest task time, seconds");
  add_choice<std::optional<KernelCost>>(
      command, "--kernel", a.kernel,
      {{"square", KernelCost::square},
       {"log", KernelCost::square_log},
       {"cube", KernelCost::cube},
       {"any", KernelCost::any}},
      "make the tasks kernels on matrices of side x instead, with a x^2 (square), 2 a x^2 log2 x "
      "(log), x^3 (cube) operations, or any of them");
  command.add_option("--gigaflops", a.gigaflops,
                     "with --kernel: let a processor do this many 1e9 operations per second");
  command.add_option("--alpha", a.times.alpha_max,
                     "set the largest share of a task that does not parallelise");
  command.add_flag("--rigid", a.rigid,
                   "run tasks on one processor instead of making them moldable");
}

void add_pool_options(CLI::App& command, WorkflowArguments& a) {
  command.add_option("--resources", a.pool.resources,
                     "blast, wien2k, heft: start with this many heterogeneous resources; tasks "
                     "have a time on each");
  command.add_option(
      "--beta", a.beta,
      "with resources: vary costs by this share of a task's mean, half of it on either side");
  command.add_option(
      "--join-every", a.pool.interval_seconds,
      "with resources: let more of them join after every interval of this many seconds");
  command.add_option("--join-share", a.pool.share,
                     "with resources: let this share of the number at the start join each time");
  command.add_option("--join-until", a.join_until,
                     "with resources: stop joining at this time, seconds; 0: none joins");
  command.add_option("--pool", a.pool_file, "with resources: write the cluster to this file, too");
}

}  // namespace

void add_generate_workflow(CLI::App& generate, Exit& status) {
  const auto [command, a] = add_verb<WorkflowArguments>(
      generate, status, "workflow", "make a workflow of a known shape", generate_workflow);
  command.option_defaults()->always_capture_default();
  add_shape_options(command, a);
  add_time_options(command, a);
  add_pool_options(command, a);
  command.add_option("--name", a.name, "give the workflow this name; default: the shape");
  add_seed(command, a.seed, "workflow");
  command.add_option(
      "-o,--output", a.output,
      "write this file; " + io::endings_to_write() + " decides the format; - is standard output");
  command.footer(
      "Examples: dovetail generate workflow --tasks 50 --seed 7 -o flow.yaml\n"
      "          dovetail generate workflow --shape montage --tasks 250 --hours 500 -o flow.yaml\n"
      "          dovetail generate workflow --shape heft --resources 10 --join-until 4000 "
      "--pool pool.yaml -o flow.yaml");
}

}  // namespace dovetail::cli
