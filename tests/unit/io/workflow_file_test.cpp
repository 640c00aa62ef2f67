#include <gtest/gtest.h>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

Workflow parse(std::string_view text) { return parse_workflow(text, "flow.yaml"); }
std::string error_in(std::string_view text) {
  return error_of([&] { parse(text); });
}
// The error of a workflow with one task of these fields; its lines begin at 2.
std::string task_error(const std::string& fields) {
  return error_in("tasks:\n  - {id: solve, " + fields + "}\n");
}

constexpr std::string_view kDesignExample = R"(name: demo
tasks:
  - id: prepare
    run: ./prepare.sh          # what to execute; optional when only planning
    time: 60                   # on one processor
  - id: solve
    run: mpirun -n $DOVETAIL_PROCESSORS ./solve
    after: [prepare]
    time: 3h
    alpha: 0.05                # Amdahl: the part that does not parallelise
    processors: {min: 4, max: 64}
  - id: month
    after: [{task: prepare, transfer: 18}]
    times: {4: 4205, 5: 3100, 11: 1400}
  - id: n1
    time_on: {r1: 14, r2: 16, r3: 9}
)";

TEST(WorkflowFile, ReadsEveryField) {
  const Workflow flow = parse(kDesignExample);
  EXPECT_EQ(flow.name(), "demo");
  ASSERT_EQ(flow.size(), 4U);
  EXPECT_EQ(flow.run(0), "./prepare.sh");
  EXPECT_EQ(flow.time(0).duration(1), 60'000);
  const TaskTime solve = flow.time(1);
  EXPECT_EQ(solve.kind(), TimeKind::amdahl);
  EXPECT_EQ(solve.seconds(), 10'800.0);
  EXPECT_EQ(solve.alpha(), 0.05);
  EXPECT_EQ(solve.min_procs(), 4);
  EXPECT_EQ(solve.max_procs(), 64);
  EXPECT_EQ(flow.time(2).duration(11), 1'400'000);
  EXPECT_FALSE(flow.time(2).allows(6));
  ASSERT_EQ(flow.transfers_in(2).size(), 1U);
  EXPECT_EQ(flow.transfers_in(2)[0], 18'000);
  EXPECT_EQ(flow.time(3).kind(), TimeKind::per_resource);
  EXPECT_EQ(flow.resource_names()[2], "r3");
}

TEST(WorkflowFile, JsonIsTheSameSchema) {
  const Workflow flow = parse(kDesignExample);
  testing::expect_same(flow, parse(format_workflow(flow, WorkflowFormat::json)));
  testing::expect_same(flow, parse(format_workflow(flow, WorkflowFormat::yaml)));
}

TEST(WorkflowFile, AfterMayNameALaterTaskAndMayBeASingleId) {
  const Workflow flow = parse("tasks: [{id: b, time: 1, after: a}, {id: a, time: 1}]");
  ASSERT_EQ(flow.predecessors(0).size(), 1U);
  EXPECT_EQ(flow.predecessors(0)[0], 1U);
}

TEST(WorkflowFile, IdsThatLookLikeNumbersAreText) {
  const Workflow flow = parse(
      "tasks:\n  - {id: 017, time: 1}\n  - {id: 1.0, time: 1, after: 017}\n"
      "  - {id: true, time: 1}\n");
  EXPECT_EQ(flow.id(0), "017");
  EXPECT_EQ(flow.id(1), "1.0");
  EXPECT_EQ(flow.id(2), "true");
  EXPECT_EQ(flow.predecessors(1).size(), 1U);
}

TEST(WorkflowFile, NameComesFromTheFileWhenMissing) {
  EXPECT_EQ(parse_workflow("tasks: [{id: a, time: 1}]", "some/where/flow.v2.yaml").name(), "flow");
  EXPECT_EQ(parse_workflow("tasks: [{id: a, time: 1}]", "standard input").name(), "workflow");
}

TEST(WorkflowFile, ProcessorsMeanWhatTheModelAllows) {
  const auto time_of = [](const std::string& fields) {
    return parse("tasks: [{id: a, " + fields + "}]").time_spec(0);
  };
  EXPECT_EQ(time_of("time: 5, processors: 8").processors.min, 8);
  EXPECT_EQ(time_of("time: 5, processors: 8").kind, TimeKind::fixed);
  EXPECT_EQ(time_of("time: 5, alpha: 0").processors.max, 0) << "as many as the cluster has";
  EXPECT_EQ(time_of("time: 5, alpha: 0, processors: 8").processors.min, 8);
  EXPECT_EQ(time_of("time: 5, alpha: 0, processors: 8").processors.max, 8);
  EXPECT_EQ(time_of("times: {2: 9, 4: 5, 8: 3}, processors: {max: 4}").measured.size(), 2U);
  EXPECT_EQ(time_of("time: 0").seconds, 0.0) << "real instances have tasks of no time";
}

TEST(WorkflowFile, SaysHowItStandsBesideOthers) {
  const std::string tasks = "tasks: [{id: a, time: 1}]\n";
  EXPECT_EQ(parse(tasks).terms(), WorkflowTerms{});
  const WorkflowTerms terms = parse("weight: 2.5\nready_at: 1h30m\n" + tasks).terms();
  EXPECT_EQ(terms.weight, 2.5);
  EXPECT_EQ(terms.ready_at, 5'400'000);
  EXPECT_FALSE(terms.ready_is_date);
  const WorkflowTerms dated = parse("ready_at: 2026-11-15T08:00:00Z\n" + tasks).terms();
  EXPECT_TRUE(dated.ready_is_date);
  for (const WorkflowTerms& kept : {terms, dated, {.weight = 0.1, .ready_at = 250}}) {
    const Workflow flow = parse(tasks).with_terms(kept);
    for (const WorkflowFormat format : {WorkflowFormat::yaml, WorkflowFormat::json}) {
      EXPECT_EQ(parse(format_workflow(flow, format)).terms(), kept);
    }
  }
  EXPECT_NE(error_in("weight: 0\n" + tasks).find("flow.yaml:1: weight: "), std::string::npos);
  EXPECT_NE(error_in("weight: heavy\n" + tasks).find("flow.yaml:1: weight: "), std::string::npos);
  EXPECT_EQ(error_in("ready_at: -5\n" + tasks),
            "flow.yaml:1: ready_at: a time cannot be negative, found -5");
  EXPECT_NE(error_in("ready_at: soon\n" + tasks).find("flow.yaml:1: ready_at: "),
            std::string::npos);
}

TEST(WorkflowFile, UnknownKeysNameKeyLineAndNearest) {
  EXPECT_EQ(error_in("name: x\ntasks:\n  - id: solve\n    time: 1\n    alhpa: 0.5\n"),
            "flow.yaml:5: task \"solve\": unknown key \"alhpa\"; did you mean \"alpha\"?");
  EXPECT_EQ(error_in("tasks: []\ntaks: 1\n"),
            "flow.yaml:2: unknown key \"taks\"; did you mean \"tasks\"?");
  EXPECT_EQ(task_error("time: 1, alpha: 0, processors: {mni: 1}"),
            "flow.yaml:2: task \"solve\": processors: unknown key \"mni\"; did you mean \"min\"?");
}

TEST(WorkflowFile, UnknownIdsNameTheNearestId) {
  EXPECT_EQ(error_in("tasks:\n  - {id: prepare, time: 1}\n  - id: b\n    time: 1\n    after:\n"
                     "      - prepaer\n"),
            "flow.yaml:6: task \"b\": after: there is no task \"prepaer\"; did you mean "
            "\"prepare\"?");
  EXPECT_EQ(task_error("time: 1, after: [{task: nowhere}]"),
            "flow.yaml:2: task \"solve\": after: there is no task \"nowhere\"");
}

TEST(WorkflowFile, ExactlyOneKindOfTime) {
  EXPECT_EQ(task_error("run: x"),
            "flow.yaml:2: task \"solve\": it has no run time; give \"time\", "
            "\"times\" or \"time_on\"");
  EXPECT_EQ(task_error("time: 1, times: {1: 1}"),
            "flow.yaml:2: task \"solve\": give only one of \"time\", \"times\" and \"time_on\"");
  EXPECT_EQ(task_error("times: {1: 1}, alpha: 0.5"),
            "flow.yaml:2: task \"solve\": alpha: it goes with \"time\" only; leave it out");
}

TEST(WorkflowFile, RangeOfProcessorsNeedsAMoldableTask) {
  EXPECT_EQ(task_error("time: 1, processors: {min: 1, max: 4}"),
            "flow.yaml:2: task \"solve\": processors: a range needs a task that can use it; add "
            "\"alpha\", or \"times\" instead of \"time\", or give one number");
  EXPECT_EQ(task_error("time: 1, alpha: 0, processors: {min: 5, max: 4}"),
            "flow.yaml:2: task \"solve\": processors: max: 4 is below min 5");
}

TEST(WorkflowFile, NumbersOutOfRangeAreErrors) {
  EXPECT_EQ(task_error("time: -1"),
            "flow.yaml:2: task \"solve\": time: a time cannot be negative, found -1");
  EXPECT_NE(task_error("time: soon").find("time: expected seconds or a duration"),
            std::string::npos);
  EXPECT_NE(task_error("time: .inf").find("time: expected seconds"), std::string::npos);
  EXPECT_NE(task_error("time: 1e999").find("time: expected seconds"), std::string::npos);
  EXPECT_EQ(task_error("time: 1, alpha: 1.5"),
            "flow.yaml:2: task \"solve\": alpha: expected a number from 0 to 1, found 1.5");
  EXPECT_NE(task_error("time: 1, processors: 0").find("whole number from 1"), std::string::npos);
  EXPECT_NE(task_error("time: 1, processors: 1.5").find("whole number from 1"), std::string::npos);
  EXPECT_NE(task_error("times: {0: 5}").find("as key, found \"0\""), std::string::npos);
  EXPECT_NE(task_error("times: {two: 5}").find("as key, found \"two\""), std::string::npos);
  EXPECT_NE(task_error("times: {2: 5, 2.0: 4}").find("given twice"), std::string::npos);
  EXPECT_NE(task_error("times: {}").find("at least one"), std::string::npos);
  EXPECT_NE(task_error("time_on: {}").find("at least one"), std::string::npos);
  EXPECT_NE(task_error("time: 1, after: [{task: solve, transfer: -3}]").find("after itself"),
            std::string::npos);
}

TEST(WorkflowFile, BrokenStructureIsAnError) {
  EXPECT_EQ(error_in("- a\n- b\n"),
            "flow.yaml:1: expected a mapping with named fields, found a list");
  EXPECT_EQ(error_in("name: x\n"), "flow.yaml:1: \"tasks\" is missing");
  EXPECT_EQ(error_in("tasks: []\n"), "flow.yaml:1: tasks: the workflow has no tasks");
  EXPECT_EQ(error_in("tasks: {a: 1}\n"), "flow.yaml:1: tasks: expected a list, found a mapping");
  EXPECT_EQ(error_in("tasks:\n  - time: 3\n"), "flow.yaml:2: task 1: \"id\" is missing");
  EXPECT_EQ(error_in("tasks:\n  - 3\n"),
            "flow.yaml:2: task 1: expected a mapping with named fields, found 3");
  EXPECT_EQ(error_in("tasks:\n  - {id: a, time: 1}\n  - {id: a, time: 1}\n"),
            "flow.yaml:3: task \"a\": this id is used twice; ids must differ");
  EXPECT_EQ(error_in("tasks:\n  - {id: a, time: 1, after: a}\n"),
            "flow.yaml:2: task \"a\": after: the task comes after itself");
  EXPECT_EQ(error_in(" \n"), "flow.yaml: the file is empty");
}

TEST(WorkflowFile, CyclesAreErrorsThatPrintTheCycle) {
  const std::string error =
      error_in("tasks:\n  - {id: a, time: 1, after: b}\n  - {id: b, time: 1, after: a}\n");
  EXPECT_EQ(error.substr(0, 13), "flow.yaml:1: ");
  EXPECT_NE(error.find("a"), std::string::npos);
  EXPECT_NE(error.find("->"), std::string::npos);
}

TEST(WorkflowFile, AwkwardTextsSurviveYaml) {
  WorkflowBuilder builder("no");
  for (const char* id :
       {"null", "~",   "3",  "a: b", " a", "a ",         "- a", "#",   "a #b", "'",
        "\\",   "a b", "\"", "{",    "[",  "é",          "<<",  "?",   "yes",  "&a",
        "*a",   "!x",  "%",  "@",    "`",  "2026-11-15", "a,b", "0x1", "..."}) {
    builder.add_task(
        {.id = id, .time = TimeSpec::fixed(1), .run = id + std::string("\n\tnext line")});
  }
  const Workflow flow = std::move(builder).build();
  for (WorkflowFormat format : {WorkflowFormat::yaml, WorkflowFormat::json, WorkflowFormat::dot}) {
    const std::string text = format_workflow(flow, format);
    SCOPED_TRACE(text);
    testing::expect_same(flow, parse(text));
  }
}

TEST(WorkflowFile, DaxCannotBeWritten) {
  const Workflow flow = parse(kDesignExample);
  EXPECT_EQ(error_of([&] { format_workflow(flow, WorkflowFormat::dax); }),
            "DAX is read only; write yaml, json, wfcommons or dot");
}

TEST(WorkflowFile, SaysHowATaskIsExecuted) {
  const Workflow workflow = parse_workflow(
      "tasks: [{id: a, time: 1, run: x, kind: k, directory: d, environment: {A: 1, B: b c}, "
      "inputs: i, outputs: [o, p], timeout: 1m30s, retries: 2}]",
      "flow.yaml");
  const TaskExecution& execution = workflow.execution(0);
  EXPECT_EQ(execution.kind, "k");
  EXPECT_EQ(execution.directory, "d");
  EXPECT_EQ(execution.environment,
            (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "b c"}}));
  EXPECT_EQ(execution.inputs, std::vector<std::string>{"i"});
  EXPECT_EQ(execution.outputs, (std::vector<std::string>{"o", "p"}));
  EXPECT_EQ(execution.timeout_seconds, 90);
  EXPECT_EQ(execution.retries, 2U);
}

TEST(WorkflowFile, ExecutionThatMakesNoSenseIsRefused) {
  const auto error = [](const std::string& field) {
    return error_of([&] {
      parse_workflow("tasks:\n  - {id: a, time: 1, run: x, " + field + "}\n", "flow.yaml");
    });
  };
  EXPECT_EQ(error("timeout: 0"), "flow.yaml:2: task \"a\": timeout: expected more than 0");
  EXPECT_NE(error("retries: -1").find("retries"), std::string::npos);
  EXPECT_NE(error("retries: 2.5").find("retries"), std::string::npos);
  EXPECT_NE(error("inputs: ['']").find("inputs: expected the name of a file"), std::string::npos);
  EXPECT_NE(error("environment: {'A=B': 1}").find("the name of a variable"), std::string::npos);
  EXPECT_NE(error("environment: text").find("environment"), std::string::npos);
}

TEST(WorkflowFile, WhoeverReadsMayKnowTheTimeOfATaskThatIsRun) {
  std::vector<UntimedTask> asked;
  const WorkflowReadOptions options{.missing_time = [&](const UntimedTask& task) {
    asked.push_back(task);
    return task.id == "known_1" ? std::optional(TimeSpec::fixed(7)) : std::nullopt;
  }};
  const Workflow workflow =
      parse_workflow("name: w\ntasks: [{id: known_1, run: x, processors: {min: 2, max: 4}}]",
                     "flow.yaml", options);
  EXPECT_EQ(workflow.time(0).seconds(), 7);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].workflow, "w");
  EXPECT_EQ(asked[0].kind, "known");
  EXPECT_TRUE(asked[0].is_moldable);
  EXPECT_EQ(asked[0].processors.max, 4);
  const auto error = [&](const std::string& task) {
    return error_of([&] { parse_workflow("tasks: [" + task + "]", "flow.yaml", options); });
  };
  EXPECT_NE(error("{id: other, run: x}").find("it has no run time"), std::string::npos);
  // Only what is run can be measured.
  EXPECT_NE(error("{id: known_1}").find("it has no run time"), std::string::npos);
  EXPECT_NE(error("{id: known_1, run: x, alpha: 0.1}").find("goes with \"time\" only"),
            std::string::npos);
}

}  // namespace
}  // namespace dovetail
