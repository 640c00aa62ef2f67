// What is written reads back as the same, for random workflows, clusters, plans and logs.
#include <gtest/gtest.h>

#include "dovetail/io.hpp"
#include "io/formats/swf.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;

constexpr std::uint64_t kRounds = 300;

// Mostly plain names, some of awkward characters.
std::string random_text(Dice& dice) {
  static const std::string awkward = "aZ09_-./ :#'\"\\{}[],&*!|>%@`~<=;$?";
  std::string text;
  const bool plain = dice.chance(0.5);
  for (auto length = dice.between(1, 12); length > 0; --length) {
    const auto last = plain ? 7 : static_cast<std::int64_t>(awkward.size()) - 1;
    text += awkward[static_cast<std::size_t>(dice.between(0, last))];
  }
  return dice.chance(0.1) ? text + "\xC3\xA9\xF0\x9F\x8C\x8D" : text;
}

double random_seconds(Dice& dice) {
  switch (dice.between(0, 3)) {
    case 0:
      return static_cast<double>(dice.between(0, 100));
    case 1:
      return dice.real(0, 1e-3);
    case 2:
      return dice.real(0, 1e10);
    default:
      return dice.real(0, 1e5);
  }
}

std::vector<std::string> random_texts(Dice& dice) {
  std::vector<std::string> texts;
  for (auto count = dice.between(0, 3); count > 0; --count) texts.push_back(random_text(dice));
  return texts;
}

TaskExecution random_execution(Dice& dice) {
  TaskExecution execution;
  if (dice.chance(0.5)) return execution;
  if (dice.chance(0.5)) execution.kind = random_text(dice);
  if (dice.chance(0.5)) execution.directory = random_text(dice);
  if (dice.chance(0.5)) execution.environment = {{"NAME", random_text(dice)}, {"B.2", "1"}};
  execution.inputs = random_texts(dice);
  execution.outputs = random_texts(dice);
  if (dice.chance(0.5)) execution.timeout_seconds = dice.real(1e-3, 1e6);
  execution.retries = static_cast<std::uint32_t>(dice.between(0, 5));
  return execution;
}

// A small or a large size, of round or of odd bytes.
Bytes random_size(Dice& dice) {
  const Bytes size = Bytes{1} << dice.between(0, 60);
  return dice.chance(0.5) ? size : dice.between(1, size);
}

TaskNeeds random_needs(Dice& dice) {
  TaskNeeds needs;
  if (dice.chance(0.3)) {
    needs.memory = random_size(dice);
  } else if (dice.chance(0.3)) {
    needs.memory_per_processor = random_size(dice);
  }
  if (dice.chance(0.3)) needs.gpus = static_cast<Count>(dice.between(0, kMaxProcessors));
  if (dice.chance(0.3)) {
    needs.min_nodes = static_cast<Count>(dice.between(1, 9));
    needs.max_nodes = static_cast<Count>(dice.between(needs.min_nodes, needs.min_nodes + 2));
    if (dice.chance(0.3)) needs.max_nodes = kMaxProcessors;
  }
  if (dice.chance(0.3)) needs.features = random_texts(dice);
  return needs;
}

// A time that has processors for all the nodes.
TimeSpec on_nodes(TimeSpec time, const TaskNeeds& needs) {
  Count& min = time.processors.min;
  Count& max = time.processors.max;
  if (time.kind == TimeKind::fixed || time.kind == TimeKind::per_resource) {
    min = max = std::max(min, needs.min_nodes);
  } else if (max != 0) {
    max = std::max(max, needs.min_nodes);
  }
  return time;
}

TimeSpec random_time(Dice& dice) {
  const auto procs = [&] { return static_cast<Count>(dice.between(1, 5000)); };
  switch (dice.between(0, 3)) {
    case 0:
      return TimeSpec::fixed(random_seconds(dice), dice.chance(0.5) ? 1 : procs());
    case 1: {
      const Count min = dice.chance(0.5) ? 1 : procs();
      const Count max = dice.chance(0.5) ? 0 : min + procs() - 1;
      return TimeSpec::amdahl(random_seconds(dice), dice.real(0, 1), {min, max});
    }
    case 2: {
      std::vector<std::pair<Count, double>> measured;
      for (auto n = dice.between(1, 5); n > 0; --n) {
        measured.emplace_back(static_cast<Count>(n * 10), random_seconds(dice));
      }
      return TimeSpec::table(measured);
    }
    default: {
      std::vector<std::pair<std::string, double>> on;
      for (auto n = dice.between(1, 4); n > 0; --n) {
        on.emplace_back(random_text(dice) + std::to_string(n), random_seconds(dice));
      }
      return TimeSpec::per_resource(on, dice.chance(0.5) ? 1 : procs());
    }
  }
}

Count small_count(Dice& dice) { return static_cast<Count>(dice.between(1, 4)); }

// `simple`: only what WfFormat can hold. How tasks are executed and what they need is for our own
// format alone.
Workflow random_flow(Dice& dice, bool simple, bool is_ours = false) {
  WorkflowBuilder builder(random_text(dice));
  const auto tasks = static_cast<TaskId>(dice.between(1, 15));
  for (TaskId task = 0; task < tasks; ++task) {
    const TaskNeeds needs = is_ours ? random_needs(dice) : TaskNeeds{};
    const TimeSpec time =
        simple ? TimeSpec::fixed(random_seconds(dice), small_count(dice)) : random_time(dice);
    builder.add_task({.id = random_text(dice) + "/" + std::to_string(task),
                      .time = on_nodes(time, needs),
                      .run = dice.chance(0.5) ? random_text(dice) : "",
                      .execution = is_ours ? random_execution(dice) : TaskExecution{},
                      .needs = needs});
    for (TaskId before = 0; before < task; ++before) {
      if (!dice.chance(0.3)) continue;
      const bool transfer = !simple && dice.chance(0.3);
      builder.add_edge(before, task, transfer ? dice.between(0, 10'000'000'000'000) : 0);
    }
  }
  return std::move(builder).build();
}

TEST(RoundTrip, WorkflowsInEveryFormat) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    const Workflow flow = random_flow(dice, false);
    for (WorkflowFormat format :
         {WorkflowFormat::yaml, WorkflowFormat::json, WorkflowFormat::dot}) {
      const std::string text = format_workflow(flow, format);
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
      testing::expect_same(flow, parse_workflow(text, "f"));
      if (HasFailure()) return;
    }
  }
}

TEST(RoundTrip, HowTasksAreExecutedAndWhatTheyNeedInOurOwnFormat) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    const Workflow flow = random_flow(dice, false, true);
    for (WorkflowFormat format : {WorkflowFormat::yaml, WorkflowFormat::json}) {
      const std::string text = format_workflow(flow, format);
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
      testing::expect_same(flow, parse_workflow(text, "f"));
      if (HasFailure()) return;
    }
  }
}

TEST(RoundTrip, WorkflowsThatWfFormatCanHold) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    const Workflow flow = random_flow(dice, true);
    const std::string text = format_workflow(flow, WorkflowFormat::wfcommons);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    testing::expect_same(flow, parse_workflow(text, "f"));
    if (HasFailure()) return;
  }
}

std::vector<NodeType> random_node_types(Dice& dice) {
  std::vector<NodeType> types;
  for (auto n = dice.chance(0.5) ? 1 : dice.between(2, 5); n > 0; --n) {
    NodeType type{.count = static_cast<Count>(dice.between(1, 9)),
                  .cores = static_cast<Count>(dice.between(1, 128))};
    // All together must stay within kMaxMemory.
    if (dice.chance(0.5)) type.memory = random_size(dice) >> 6U;
    if (dice.chance(0.5)) type.gpus = static_cast<Count>(dice.between(0, 8));
    if (dice.chance(0.5)) type.features = random_texts(dice);
    types.push_back(std::move(type));
  }
  return types;
}

Platform random_clusters(Dice& dice) {
  const bool wall_clock = dice.chance(0.5);
  const Time now = wall_clock ? 1'794'729'600'000 + dice.between(0, 999) : dice.between(-50, 5000);
  std::vector<Cluster> clusters;
  for (auto n = dice.between(1, 3); n > 0; --n) {
    Cluster cluster{.name = random_text(dice) + std::to_string(n),
                    .processors = static_cast<Count>(dice.between(1, 500)),
                    .cores_per_node = static_cast<Count>(dice.between(1, 4)),
                    .speed = dice.chance(0.5) ? 1.0 : dice.real(0.1, 10)};
    if (dice.chance(0.5)) {
      cluster.node_types = random_node_types(dice);
      cluster.processors = 0;
      for (const NodeType& type : cluster.node_types) cluster.processors += type.count * type.cores;
    }
    if (dice.chance(0.5)) cluster.free_on_average = dice.real(0, cluster.processors);
    Time at = now - dice.between(0, 10'000);
    for (auto k = dice.between(0, 5); k > 0; --k) {
      const Time end = at + dice.between(1, 100'000);
      cluster.reservations.push_back(
          {at, end, static_cast<Count>(dice.between(1, cluster.processors))});
      at = end;
    }
    if (dice.chance(0.3)) cluster.joins = now - 10'000;
    if (dice.chance(0.3)) cluster.leaves = at + dice.between(1, 99);
    if (dice.chance(0.3)) {
      cluster.queue =
          QueueSpec{random_text(dice), random_text(dice), static_cast<Count>(dice.between(0, 9))};
    }
    if (dice.chance(0.3)) cluster.batch = BatchSpec{"slurm", random_text(dice)};
    clusters.push_back(std::move(cluster));
  }
  return Platform(now, std::move(clusters), wall_clock);
}

TEST(RoundTrip, ClustersAsYamlAndJson) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    const Platform platform = random_clusters(dice);
    for (bool json : {false, true}) {
      const std::string text = format_platform(platform, json);
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
      testing::expect_same(platform, parse_platform(text, "f"));
      if (HasFailure()) return;
    }
  }
}

TEST(RoundTrip, Plans) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    PlanRecord plan{.algorithm = random_text(dice),
                    .now = dice.between(-5000, 2'000'000'000'000),
                    .wall_clock = dice.chance(0.5),
                    .feasible = dice.chance(0.9),
                    .makespan = dice.between(0, 1'000'000'000'000),
                    .cpu_hours = dice.real(0, 1e6)};
    if (dice.chance(0.5)) plan.deadline = plan.now + dice.between(0, 1'000'000);
    plan.workflows.push_back({random_text(dice), plan.makespan, dice.real(1, 9)});
    plan.clusters.push_back({random_text(dice), 5, {{plan.now - 7, plan.now + 9, 3}}});
    for (auto n = dice.between(0, 9); n > 0; --n) {
      const Time start = plan.now + dice.between(0, 1'000'000'000);
      plan.tasks.push_back({plan.workflows[0].name, random_text(dice), plan.clusters[0].name, start,
                            start + dice.between(1, 1'000'000), 4, dice.chance(0.5)});
    }
    const std::string text = format_plan(plan);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const PlanRecord read = parse_plan(text, "f");
    EXPECT_EQ(format_plan(read), text);
    EXPECT_EQ(read.now, plan.now);
    EXPECT_EQ(read.deadline, plan.deadline);
    EXPECT_EQ(read.cpu_hours, plan.cpu_hours);
    ASSERT_EQ(read.tasks.size(), plan.tasks.size());
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      EXPECT_EQ(read.tasks[i].id, plan.tasks[i].id);
      EXPECT_EQ(read.tasks[i].start, plan.tasks[i].start);
      EXPECT_EQ(read.tasks[i].end, plan.tasks[i].end);
    }
  }
}

TEST(RoundTrip, Logs) {
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    Dice dice(seed);
    io::SwfLog log;
    log.header.add("Seed", std::to_string(seed));
    for (auto n = dice.between(0, 20); n > 0; --n) {
      io::SwfJob job{.number = n, .submit = random_seconds(dice), .run = random_seconds(dice)};
      job.allocated_processors = dice.between(-1, 1000);
      job.requested_time = random_seconds(dice);
      log.jobs.push_back(job);
    }
    const io::SwfLog read = io::parse_swf(io::format_swf(log), "f");
    EXPECT_EQ(read.jobs, log.jobs) << "seed " << seed;
    EXPECT_EQ(read.header.entries(), log.header.entries()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dovetail
