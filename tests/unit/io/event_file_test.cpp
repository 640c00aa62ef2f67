#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <random>

#include "dovetail/io.hpp"
#include "support/documents.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using Kind = Event::Kind;
using Events = std::vector<Event>;
using testing::error_of;

Workflow workflow_of(const std::string& name, std::initializer_list<const char*> ids) {
  WorkflowBuilder builder(name);
  for (const char* id : ids) builder.add_task({.id = id, .time = TimeSpec::fixed(60)});
  return std::move(builder).build();
}

// Two workflows that both have a task "solve", now at 60 seconds.
Problem on(std::vector<Cluster> clusters) {
  return Problem(
      {workflow_of("demo", {"prepare", "solve"}), workflow_of("other", {"solve", "finish", "17"})},
      Platform(60'000, std::move(clusters)));
}

Problem cluster_problem() {
  return on({{.name = "kth", .processors = 32, .reservations = {{0, 1'000'000, 8}}}});
}

Problem pool_problem() {
  return on({{.name = "r1", .processors = 1},
             {.name = "r2", .processors = 1},
             {.name = "node4", .processors = 1}});
}

Problem dated_problem() {
  return Problem({workflow_of("demo", {"solve"})},
                 Platform(86'400'000, {{.name = "kth", .processors = 32}}, true));
}

// The text of a file with these events, from line 2 on one in each line.
std::string file_of(std::initializer_list<std::string> entries) {
  std::string text = "events:\n";
  for (const std::string& entry : entries) text += "  - {" + entry + "}\n";
  return text;
}

Events on_cluster(std::initializer_list<std::string> entries) {
  return parse_events(file_of(entries), "e.yaml", cluster_problem());
}
Events on_pool(std::initializer_list<std::string> entries) {
  return parse_events(file_of(entries), "e.yaml", pool_problem());
}
std::string cluster_error(std::initializer_list<std::string> entries) {
  return error_of([&] { on_cluster(entries); });
}
std::string pool_error(std::initializer_list<std::string> entries) {
  return error_of([&] { on_pool(entries); });
}
std::string file_error(std::string_view text) {
  return error_of([&] { parse_events(text, "e.yaml", cluster_problem()); });
}
std::string dated_error(const std::string& entry) {
  return error_of([&] { parse_events(file_of({entry}), "e.yaml", dated_problem()); });
}

constexpr std::string_view kClusterEvents = R"(events:
  - {time: 600, reserve: {start: 900, end: 1800, processors: 16}}
  - {time: 10m, reserve: {end: 20m, processors: 2}}
  - {time: 700, cancel: {start: 900, end: 1800, processors: 16}}
  - {time: 800, fail: 8, until: 2h}
  - {time: 810, fail: 4}
  - {time: 900, late: solve, workflow: other, factor: 1.5}
  - {time: 900, late: finish, factor: 0.5}
  - {time: 950, lost: prepare}
)";

TEST(EventFile, ReadsEveryKindOfACluster) {
  const Events expected = {
      {.time = 600'000, .kind = Kind::reserve, .until = 1'800'000, .start = 900'000, .procs = 16},
      {.time = 600'000, .kind = Kind::reserve, .until = 1'200'000, .start = 600'000, .procs = 2},
      {.time = 700'000, .kind = Kind::cancel, .until = 1'800'000, .start = 900'000, .procs = 16},
      {.time = 800'000, .kind = Kind::fail, .until = 7'200'000, .procs = 8},
      {.time = 810'000, .kind = Kind::fail, .until = kForever, .procs = 4},
      {.time = 900'000, .kind = Kind::late, .factor = 1.5, .task = 2},
      {.time = 900'000, .kind = Kind::late, .factor = 0.5, .task = 3},
      {.time = 950'000, .kind = Kind::lost, .task = 0}};
  EXPECT_EQ(parse_events(kClusterEvents, "e.yaml", cluster_problem()), expected);
}

TEST(EventFile, ReadsEveryKindOfAPool) {
  const Events expected = {
      {.time = 70'000, .kind = Kind::join, .resource = 2},
      {.time = 80'000, .kind = Kind::leave_later, .resource = 1, .until = 95'000},
      {.time = 80'000, .kind = Kind::slow, .resource = 1, .factor = 3},
      {.time = 90'000, .kind = Kind::leave, .resource = 0},
      {.time = 90'000, .kind = Kind::late, .factor = 2, .task = 0},
      {.time = 91'000, .kind = Kind::lost, .task = 4}};
  EXPECT_EQ(on_pool({"time: 70, join: node4", "time: 80, leave: r2, at: 95",
                     "time: 80, slow: r2, factor: 3", "time: 90, leave: r1",
                     "time: 90, late: prepare, factor: 2", "time: 91, lost: 17"}),
            expected);
}

TEST(EventFile, JsonAndYamlAreTheSame) {
  constexpr std::string_view json = R"({"events": [
    {"time": 600, "reserve": {"start": 900, "end": 1800, "processors": 16}},
    {"time": "10m", "reserve": {"start": null, "end": "20m", "processors": 2}},
    {"time": 700, "cancel": {"start": 900, "end": 1800, "processors": 16}},
    {"time": 800, "fail": 8, "until": "2h"},
    {"time": 810, "fail": 4},
    {"time": 900, "late": "solve", "workflow": "other", "factor": 1.5},
    {"time": 900, "late": "finish", "factor": 0.5},
    {"time": 950, "lost": "prepare"}]})";
  EXPECT_EQ(parse_events(json, "e.json", cluster_problem()),
            parse_events(kClusterEvents, "e.yaml", cluster_problem()));
}

// The n-th YAML block below the heading "## Events".
std::string documented_example(int number) {
  const std::string page = test::read_document("docs/formats.md");
  std::size_t begin = page.find("\n## Events\n");
  for (; number > 0; --number) begin = page.find("```yaml\n", begin) + 8;
  return page.substr(begin, page.find("```", begin) - begin);
}

TEST(EventFile, DocumentedExamplesAreRead) {
  const Workflow workflow = workflow_of("demo", {"solve", "n1"});
  const Problem cluster({workflow}, Platform::empty(128));
  std::vector<Cluster> resources;
  for (const char* name : {"r1", "r2", "r3", "r4"}) {
    resources.push_back({.name = name, .processors = 1});
  }
  const Problem pool({workflow}, Platform(0, std::move(resources)));
  EXPECT_EQ(parse_events(documented_example(1), "formats.md", cluster).size(), 5U);
  EXPECT_EQ(parse_events(documented_example(2), "formats.md", pool).size(), 5U);
}

TEST(EventFile, IsReadFromDisk) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("events.yaml");
  write_file(path, kClusterEvents);
  EXPECT_EQ(read_events(path, cluster_problem()),
            parse_events(kClusterEvents, "e.yaml", cluster_problem()));
}

TEST(EventFile, OrdersByTimeAndKeepsTheOrderOfOneInstant) {
  const Events events =
      on_pool({"time: 90, leave: r2", "time: 70, slow: r1, factor: 2", "time: 90, join: node4",
               "time: 1m, lost: prepare", "time: 90, leave: r1"});
  std::vector<Time> times;
  std::vector<std::uint32_t> resources;
  for (const Event& event : events) {
    times.push_back(event.time);
    resources.push_back(event.resource);
  }
  EXPECT_EQ(times, (std::vector<Time>{60'000, 70'000, 90'000, 90'000, 90'000}));
  EXPECT_EQ(resources, (std::vector<std::uint32_t>{0, 0, 1, 2, 0}));
}

TEST(EventFile, ReservationsRoundOutwardsAndTimesUp) {
  const Events events =
      on_cluster({"time: 100.0001, reserve: {start: 200.0009, end: 300.0001, processors: 1}",
                  "time: 101, fail: 1, until: 101.0001",
                  // Begins in the millisecond of the event, which is not past.
                  "time: 102.0005, reserve: {start: 102.0005, end: 103, processors: 1}"});
  EXPECT_EQ(events[0].time, 100'001);
  EXPECT_EQ(events[0].start, 200'000);
  EXPECT_EQ(events[0].until, 300'001);
  EXPECT_EQ(events[1].until, 101'001);
  EXPECT_EQ(events[2].time, 102'001);
  EXPECT_EQ(events[2].start, 102'001);
  EXPECT_EQ(on_pool({"time: 80, leave: r2, at: 95.0009"})[0].until, 95'000);
}

TEST(EventFile, DatesNeedAWallClock) {
  const Events events =
      parse_events(file_of({"time: 1970-01-02T01:00:00Z, fail: 8, until: 1970-01-02T03:00:00+01:00",
                            "time: 90001, reserve: {end: 1970-01-02T02:00:00Z, processors: 3}"}),
                   "e.yaml", dated_problem());
  EXPECT_EQ(events[0].time, 90'000'000);
  EXPECT_EQ(events[0].until, 93'600'000);
  EXPECT_EQ(events[1].start, 90'001'000);
  EXPECT_EQ(events[1].until, 93'600'000);
  EXPECT_EQ(cluster_error({"time: 1970-01-02T01:00:00Z, fail: 8"}),
            "e.yaml:2: event 1: time: a date needs \"now\" of the cluster file to be a date too; "
            "give seconds");
  EXPECT_EQ(dated_error("time: 2h, fail: 8"),
            "e.yaml:2: event 1: time: expected a date, since \"now\" of the cluster file is one, "
            "or seconds since 1970, found \"2h\"");
  EXPECT_EQ(dated_error("time: 1970-01-02T01:00:00, fail: 8"),
            "e.yaml:2: event 1: time: expected a date with its zone, such as 2026-11-15T08:00:00Z "
            "or 2026-11-15T08:00:00+01:00, found \"1970-01-02T01:00:00\"");
  EXPECT_EQ(dated_error("time: 1970-01-01T23:00:00Z, fail: 8"),
            "e.yaml:2: event 1: time: \"1970-01-01T23:00:00Z\" is before now, which is "
            "1970-01-02 00:00:00Z");
}

TEST(EventFile, OtherFilesGetAKindMessage) {
  EXPECT_EQ(file_error("now: 0\nclusters: [{name: a, processors: 1}]\n"),
            "e.yaml:1: this is a cluster file; expected events");
  EXPECT_EQ(file_error("name: demo\ntasks: [{id: a, time: 1}]\n"),
            "e.yaml:1: this is a workflow or a plan; expected events");
  EXPECT_EQ(file_error("{\"clusters\": [], \"tasks\": []}"),
            "e.yaml:1: this is a workflow or a plan; expected events");
  EXPECT_EQ(file_error("event: []\n"), "e.yaml:1: unknown key \"event\"; did you mean \"events\"?");
  EXPECT_EQ(file_error("{}"), "e.yaml:1: \"events\" is missing");
  EXPECT_EQ(file_error("events: []\n"), "e.yaml:1: events: expected at least one event");
  EXPECT_EQ(file_error("events: {time: 5}\n"),
            "e.yaml:1: events: expected a list, found a mapping");
  EXPECT_EQ(file_error("- {time: 5}\n"),
            "e.yaml:1: expected a mapping with named fields, found a list");
  EXPECT_EQ(file_error("events:\n  - 5\n"),
            "e.yaml:2: event 1: expected a mapping with named fields, found 5");
}

TEST(EventFile, AnEntryIsOneEvent) {
  EXPECT_EQ(cluster_error({"time: 100"}),
            "e.yaml:2: event 1: what happens is missing; give one of reserve, cancel, fail, late, "
            "lost");
  EXPECT_EQ(pool_error({"time: 100, join: null"}),
            "e.yaml:2: event 1: what happens is missing; give one of join, leave, slow, late, "
            "lost");
  EXPECT_EQ(cluster_error({"time: 100, fail: 2", "time: 100, late: prepare, factor: 2, fail: 2"}),
            "e.yaml:3: event 2: late: \"fail\" is there already; an entry is one event, give each "
            "its own");
  EXPECT_EQ(cluster_error({"fail: 2"}), "e.yaml:2: event 1: \"time\" is missing");
}

TEST(EventFile, KeysThatDoNotBelongAreNamed) {
  EXPECT_EQ(cluster_error({"time: 100, resrve: {end: 200, processors: 1}"}),
            "e.yaml:2: event 1: unknown key \"resrve\"; did you mean \"reserve\"?");
  EXPECT_EQ(cluster_error({"time: 100, fail: 2, because: rain"}),
            "e.yaml:2: event 1: unknown key \"because\"; known keys are time, reserve, cancel, "
            "fail, until, join, leave, at, slow, factor, late, workflow, lost");
  EXPECT_EQ(cluster_error({"time: 100, late: prepare, at: 200, factor: 2"}),
            "e.yaml:2: event 1: key \"at\" does not go with \"late\"; its keys are time, late, "
            "factor, workflow");
  EXPECT_EQ(cluster_error({"time: 100, lost: prepare, factor: 2"}),
            "e.yaml:2: event 1: key \"factor\" does not go with \"lost\"; its keys are time, lost, "
            "workflow");
  EXPECT_EQ(cluster_error({"time: 100, fail: 2, at: 200"}),
            "e.yaml:2: event 1: key \"at\" does not go with \"fail\"; its keys are time, fail, "
            "until");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {end: 200, processors: 1}, until: 300"}),
            "e.yaml:2: event 1: key \"until\" does not go with \"reserve\"; its keys are time, "
            "reserve");
  EXPECT_EQ(pool_error({"time: 100, leave: r1, until: 200"}),
            "e.yaml:2: event 1: key \"until\" does not go with \"leave\"; its keys are time, "
            "leave, at");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {stop: 200, processors: 1}"}),
            "e.yaml:2: event 1: reserve: unknown key \"stop\"; known keys are start, "
            "end, processors");
}

TEST(EventFile, KindsThatThePlatformDoesNotKnowSayWhy) {
  for (const std::string word : {"join", "leave", "slow"}) {
    EXPECT_EQ(cluster_error({"time: 100, " + word + ": r2"}),
              "e.yaml:2: event 1: " + word +
                  ": the platform is one cluster, and only resources of a pool of several join, "
                  "leave or slow down; give one of reserve, cancel, fail, late, lost");
  }
  for (const std::string word : {"reserve", "cancel", "fail"}) {
    EXPECT_EQ(pool_error({"time: 100, " + word + ": 2"}),
              "e.yaml:2: event 1: " + word +
                  ": the platform is a pool of 3 resources, and only processors of a single "
                  "cluster are reserved or fail; give one of join, leave, slow, late, lost");
  }
}

TEST(EventFile, TimesThatCannotBeAreErrors) {
  EXPECT_EQ(cluster_error({"time: 59.9, fail: 2"}),
            "e.yaml:2: event 1: time: 59.9 is before now, which is 60");
  EXPECT_EQ(cluster_error({"time: -5m, fail: 2"}),
            "e.yaml:2: event 1: time: \"-5m\" is before now, which is 60");
  EXPECT_EQ(on_cluster({"time: 60, fail: 2"})[0].time, 60'000);
  EXPECT_EQ(cluster_error({"time: soon, fail: 2"}),
            "e.yaml:2: event 1: time: expected seconds or a duration such as 90, 1m30s, 2h or "
            "1-12:00:00, at most 115740 days, found \"soon\"");
  EXPECT_EQ(cluster_error({"time: 100, fail: 2, until: 100"}),
            "e.yaml:2: event 1: until: expected a moment after the event's \"time\", found 100");
  EXPECT_EQ(pool_error({"time: 100, leave: r2, at: 100.0001"}),
            "e.yaml:2: event 1: at: expected a moment after the event's \"time\", found 100.0001");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {start: 99, end: 200, processors: 1}"}),
            "e.yaml:2: event 1: reserve: start: expected the event's \"time\" or later, found 99");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {start: 200, end: 200, processors: 1}"}),
            "e.yaml:2: event 1: reserve: end: expected a moment after the start, found 200");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {end: 100, processors: 1}"}),
            "e.yaml:2: event 1: reserve: end: expected a moment after the start, found 100");
}

TEST(EventFile, NumbersThatCannotBeAreErrors) {
  EXPECT_EQ(cluster_error({"time: 100, fail: 33"}),
            "e.yaml:2: event 1: fail: expected a whole number from 1 to 32, found 33");
  EXPECT_EQ(cluster_error({"time: 100, fail: 0"}),
            "e.yaml:2: event 1: fail: expected a whole number from 1 to 32, found 0");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {end: 200, processors: 33}"}),
            "e.yaml:2: event 1: reserve: processors: expected a whole number from 1 to 32, found "
            "33");
  EXPECT_EQ(cluster_error({"time: 100, reserve: 16"}),
            "e.yaml:2: event 1: reserve: expected a mapping with named fields, found 16");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {end: 200}"}),
            "e.yaml:2: event 1: reserve: \"processors\" is missing");
  EXPECT_EQ(cluster_error({"time: 100, reserve: {processors: 2}"}),
            "e.yaml:2: event 1: reserve: \"end\" is missing");
  EXPECT_EQ(cluster_error({"time: 100, cancel: {end: 1000, processors: 8}"}),
            "e.yaml:2: event 1: cancel: \"start\" is missing");
  EXPECT_EQ(cluster_error({"time: 100, late: prepare, factor: 0"}),
            "e.yaml:2: event 1: factor: expected a factor above 0");
  EXPECT_EQ(cluster_error({"time: 100, late: prepare, factor: -1"}),
            "e.yaml:2: event 1: factor: expected a number from 0 to 1000000, found -1");
  EXPECT_EQ(pool_error({"time: 100, slow: r2, factor: 1000001"}),
            "e.yaml:2: event 1: factor: expected a number from 0 to 1000000, found 1000001");
  EXPECT_EQ(pool_error({"time: 100, slow: r2"}), "e.yaml:2: event 1: \"factor\" is missing");
  EXPECT_EQ(on_pool({"time: 100, slow: r2, factor: 1e6"})[0].factor, 1e6);
}

TEST(EventFile, UnknownNamesGetTheNearestOne) {
  EXPECT_EQ(pool_error({"time: 100, join: nod4"}),
            "e.yaml:2: event 1: join: there is no resource \"nod4\"; did you mean \"node4\"?");
  EXPECT_EQ(pool_error({"time: 100, leave: elsewhere"}),
            "e.yaml:2: event 1: leave: there is no resource \"elsewhere\"");
  EXPECT_EQ(cluster_error({"time: 100, lost: prepair"}),
            "e.yaml:2: event 1: lost: there is no task \"prepair\"; did you mean \"prepare\"?");
  EXPECT_EQ(cluster_error({"time: 100, late: finsh, factor: 2"}),
            "e.yaml:2: event 1: late: there is no task \"finsh\"; did you mean \"finish\"?");
  EXPECT_EQ(cluster_error({"time: 100, lost: prepare, workflow: othr"}),
            "e.yaml:2: event 1: workflow: there is no workflow \"othr\"; did you mean \"other\"?");
  EXPECT_EQ(cluster_error({"time: 100, lost: prepare, workflow: other"}),
            "e.yaml:2: event 1: lost: there is no task \"prepare\" in workflow \"other\"");
  EXPECT_EQ(cluster_error({"time: 100, lost: [prepare]"}),
            "e.yaml:2: event 1: lost: expected text, found a list");
}

TEST(EventFile, ATaskOfSeveralWorkflowsNeedsTheWorkflow) {
  EXPECT_EQ(cluster_error({"time: 100, lost: solve"}),
            "e.yaml:2: event 1: lost: workflows \"demo\" and \"other\" both have a task "
            "\"solve\"; say which with \"workflow\"");
  EXPECT_EQ(on_cluster({"time: 100, lost: solve, workflow: demo"})[0].task, 1U);
  EXPECT_EQ(on_cluster({"time: 100, lost: solve, workflow: other"})[0].task, 2U);
}

TEST(EventFile, OverbookingNamesTheEvent) {
  // The cluster file has 8 of 32 until 1000.
  EXPECT_EQ(cluster_error({"time: 100, reserve: {end: 500, processors: 24}",
                           "time: 100, reserve: {start: 499, end: 600, processors: 1}"}),
            "e.yaml:3: event 2: reserve: reservations take 33 of 32 processors at 499 (the last of "
            "them: 1 processors from 499 to 600)");
  EXPECT_EQ(on_cluster({"time: 100, reserve: {end: 500, processors: 24}",
                        "time: 100, reserve: {start: 500, end: 1000, processors: 24}",
                        "time: 100, reserve: {start: 1000, end: 2000, processors: 32}"})
                .size(),
            3U);
  // Earlier means earlier in time: the line that stands above is the one that is too much.
  EXPECT_EQ(cluster_error({"time: 200, reserve: {start: 300, end: 400, processors: 20}",
                           "time: 100, reserve: {start: 300, end: 400, processors: 20}"})
                .substr(0, 28),
            "e.yaml:2: event 1: reserve: ");
}

TEST(EventFile, CancelledReservationsMakeRoom) {
  // Not begun: it is gone. Begun: it ends.
  EXPECT_EQ(on_cluster({"time: 100, reserve: {start: 2000, end: 3000, processors: 32}",
                        "time: 200, cancel: {start: 2000, end: 3000, processors: 32}",
                        "time: 200, reserve: {start: 2000, end: 3000, processors: 32}",
                        "time: 400, cancel: {start: 0, end: 1000, processors: 8}",
                        "time: 400, reserve: {end: 1000, processors: 32}"})
                .size(),
            5U);
  EXPECT_EQ(cluster_error({"time: 399, reserve: {end: 500, processors: 32}",
                           "time: 400, cancel: {start: 0, end: 1000, processors: 8}"}),
            "e.yaml:2: event 1: reserve: reservations take 40 of 32 processors at 399 (the last of "
            "them: 32 processors from 399 to 500)");
}

TEST(EventFile, OnlyReservationsThatAreThereCanBeCancelled) {
  const std::string missing =
      "cancel: at 200 there is no reservation of 8 processors from 0 to 1000";
  EXPECT_EQ(cluster_error({"time: 200, cancel: {start: 0, end: 999, processors: 8}"}),
            "e.yaml:2: event 1: cancel: at 200 there is no reservation of 8 processors from 0 to "
            "999");
  EXPECT_EQ(cluster_error({"time: 100, cancel: {start: 0, end: 1000, processors: 8}",
                           "time: 200, cancel: {start: 0, end: 1000, processors: 8}"}),
            "e.yaml:3: event 2: " + missing);
  EXPECT_EQ(cluster_error({"time: 200, cancel: {start: 500, end: 600, processors: 1}",
                           "time: 300, reserve: {start: 500, end: 600, processors: 1}"}),
            "e.yaml:2: event 1: cancel: at 200 there is no reservation of 1 processors from 500 "
            "to 600");
  EXPECT_EQ(cluster_error({"time: 1000, cancel: {start: 0, end: 1000, processors: 8}"}),
            "e.yaml:2: event 1: cancel: that reservation ended at 1000 and cannot be given up at "
            "1000");
  EXPECT_EQ(dated_error("time: 1970-01-02T01:00:00Z, cancel: {start: 1970-01-02T02:00:00Z, end: "
                        "1970-01-02T03:00:00Z, processors: 8}"),
            "e.yaml:2: event 1: cancel: at 1970-01-02 01:00:00Z there is no reservation of 8 "
            "processors from 1970-01-02 02:00:00Z to 1970-01-02 03:00:00Z");
}

// One to four changes: a byte, a piece taken out, or a piece repeated elsewhere.
std::string mutated(std::string text, std::mt19937_64& random) {
  static constexpr std::string_view kBytes = "0123456789-.:,{}[]\"\n #&*e\xFF";
  for (auto changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
    const std::size_t place = random() % text.size();
    const std::size_t length = 1 + random() % 12;
    switch (random() % 3) {
      case 0:
        text[place] = kBytes[random() % kBytes.size()];
        break;
      case 1:
        text.erase(place, length);
        break;
      default:
        text.insert(random() % text.size(), text.substr(place, length));
    }
  }
  return text;
}

TEST(EventFile, DamagedFilesAreReadOrRejected) {
  const Problem problem = cluster_problem();
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = mutated(std::string(kClusterEvents), random);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const std::string error = error_of([&] {
      const Events events = parse_events(text, "e.yaml", problem);
      EXPECT_FALSE(events.empty());
      for (const Event& event : events) {
        EXPECT_GE(event.time, problem.now());
        EXPECT_LT(event.task, problem.task_count());
        EXPECT_LE(event.procs, 32);
        EXPECT_TRUE(std::isfinite(event.factor) && event.factor > 0);
      }
    });
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    rejected += error == "no error" ? 0 : 1;
  }
  EXPECT_GT(rejected, 100);
  EXPECT_LT(rejected, 500);
}

}  // namespace
}  // namespace dovetail
