// Files made to hurt: every reader answers with a value or an InputError of one line, soon, and
// whatever the bytes are.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <functional>

#include "dovetail/io.hpp"
#include "io/formats/ensemble_file.hpp"
#include "io/formats/swf.hpp"
#include "support/file_checks.hpp"
#include "support/random_problem.hpp"

namespace dovetail {
namespace {

using testing::Dice;
using testing::error_of;

struct Reader {
  std::string name;
  std::string sample;
  std::function<void(std::string_view)> read;
};

const std::string kYaml = R"(# a comment
name: demo
tasks:
  - id: prepare
    run: "./prepare.sh \u0041"
    time: 60
    memory: 1.5G
    gpus: 2
    requires: [a100, "ib"]
  - id: solve
    run: |
      line one
      line two
    after: [prepare, {task: month, transfer: 1m30s}]
    time: 3h
    alpha: 0.05
    processors: {min: 4, max: 64}
    memory_per_processor: 1000
    nodes: {min: 2, max: 8}
  - &m {id: month, after: prepare, times: {4: 4205, 5: 3100}}
  - id: 'n1'
    time_on: {r1: 14, r2: 16}
)";

const std::string kCluster = R"(now: 2026-11-15T08:00:00Z
clusters:
  - name: kth
    nodes: 32
    cores_per_node: 4
    memory_per_node: 64G
    gpus_per_node: 2
    speed: 1.5
    free_on_average: 73.2
    reservations: [{start: 2026-11-15T07:00:00Z, end: 2026-11-16T07:00:00Z, processors: 10}]
    joins: -5
    leaves: 2026-12-15T08:00:00+01:00
    queue: {log: x.gz, policy: easy, max_jobs: 3}
  - name: mixed
    node_types: [{count: 2, cores: 8, memory: 1T, gpus: 4, features: [a100]}, {cores: 3}]
)";

const std::string kEnsemble = R"(scenarios: 10
months: 180
post_processors: node
disk: {capacity: 500, archive: 0.12}
clusters:
  grillon: {times: {4: 8050, 5: 1h}, post: 1m40s, windows: {length: 10h, every: 1d}}
  azur: {times: {4: 8050, 8: 3600}, sizes: [4, 8], post: 0, windows: [{start: 0, end: 5}]}
)";

const std::string kWfCommons = R"({"name":"w","schemaVersion":"1.5","workflow":{"specification":{
"tasks":[{"name":"A","id":"a1","parents":[],"children":["b1"],"outputFiles":["f"]},
{"name":"B","id":"b1","parents":["a1"],"children":[],"inputFiles":["f"]}]},
"execution":{"tasks":[{"id":"b1","runtimeInSeconds":2.5,"command":{"program":"x","arguments":["y"]}},
{"id":"a1","runtimeInSeconds":1.25,"memoryInBytes":5000000}]}}})";

const std::string kPlan = R"({"algorithm":"A","now":0,"makespan":60,"turnaround":60,"cpu_hours":1.5,
"deadline":null,"feasible":true,"workflows":[{"name":"d","makespan":60,"stretch":1}],
"clusters":[{"name":"k","processors":8,"reservations":[{"start":0,"end":5,"processors":1}]}],
"tasks":[{"workflow":"d","id":"p","cluster":"k","start":0,"end":60,"processors":1,"critical":true}]})";

const std::string kDax = R"(<?xml version="1.0"?>
<!-- c --><adag xmlns="u" name="t"><job id="a" runtime="1.5"><uses file="f" link="input"/></job>
<job id="b" runtime="2"/><child ref="b"><parent ref="a"/></child></adag>)";

const std::string kDot = R"(# x
strict digraph "g" { // y
 node [time=5]; a [run="x \"y\"", alpha=0.5, processors="2..8"]
 a -> {b c} -> d:p [transfer=3] /* y */; subgraph s { e [times="1=5,2=3"] } e -> <h<b>i</b>> })";

const std::string kSwf =
    "; MaxProcs: 100 (x)\n1 0 5 9.5 3 -1 -1 3 60 -1 1 2 3 -1 4 -1 -1 -1\n"
    "2 10 5 9.5 3 -1 -1 3 60 -1 1 2 3 -1 4 -1 -1 -1\n";

const std::string kEvents = R"(events:
  - {time: 600, reserve: {start: 15m, end: 1800, processors: 3}}
  - {time: 700, cancel: {start: 900, end: 1800, processors: 3}}
  - {time: 800, fail: 1, until: 2h}
  - {time: 900, late: a, factor: 1.5}
  - {time: 950, lost: a, workflow: w}
)";

// Of a workflow with one task on four processors.
void read_events_of_a(std::string_view text) {
  static const Problem problem({parse_workflow("{name: w, tasks: [{id: a, time: 5}]}", "w")},
                               Platform::empty(4));
  parse_events(text, "f", problem);
}

std::vector<Reader> readers() {
  const auto workflow = [](std::string_view text) { parse_workflow(text, "f"); };
  return {{"yaml", kYaml, workflow},
          {"json", format_workflow(parse_workflow(kYaml, "f"), WorkflowFormat::json), workflow},
          {"wfcommons", kWfCommons, workflow},
          {"dax", kDax, workflow},
          {"dot", kDot, workflow},
          {"cluster", kCluster, [](std::string_view text) { parse_platform(text, "f"); }},
          {"events", kEvents, read_events_of_a},
          {"plan", kPlan, [](std::string_view text) { parse_plan(text, "f"); }},
          {"ensemble", kEnsemble, [](std::string_view text) { io::parse_ensemble(text, "f"); }},
          {"swf", kSwf, [](std::string_view text) { io::parse_swf(text, "f"); }}};
}

// Anything else than a value or an InputError of one line is a failure.
bool reads(const Reader& reader, std::string_view text) {
  const std::string error = error_of([&] { reader.read(text); });
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_LT(error.size(), 1000U) << error;
  return error == "no error";
}

// Bytes and pieces that mean something to one of the readers.
std::string random_piece(Dice& dice) {
  static const std::vector<std::string> pieces = {
      "[",        "]",      "{",         "}",
      ":",        ": ",     ",",         "\"",
      "'",        "\n",     "\n  ",      "- ",
      "-",        "#",      " #",        "&a",
      "*a",       "*m",     "!",         "!2",
      "!!x",      "|",      ">",         "%",
      "@",        "`",      "? ",        "<<",
      "---\n",    "...\n",  "\t",        "\\",
      "null",     "~",      "1e999",     "-1",
      "nan",      ".inf",   "1e308",     "99999999999999999999",
      "0",        "->",     "--",        "<",
      "</",       "/>",     "<!--",      "]]>",
      "&lt;",     "&#x41;", "<![CDATA[", "\xEF\xBB\xBF",
      "\xC3\xA9", "\xFF",   "=",         ";",
      "//",       "/*",     "\r\n"};
  if (dice.chance(0.3)) return std::string(1, static_cast<char>(dice.between(0, 255)));
  return pieces[static_cast<std::size_t>(
      dice.between(0, static_cast<std::int64_t>(pieces.size()) - 1))];
}

void mutate(std::string& text, Dice& dice) {
  const auto at = [&] {
    return static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(text.size())));
  };
  const std::size_t place = at();
  const auto length = static_cast<std::size_t>(dice.between(1, 12));
  switch (dice.between(0, 3)) {
    case 0:
      text.erase(std::min(place, text.size()), length);
      break;
    case 1:
      text.insert(place, random_piece(dice));
      break;
    case 2:
      text.replace(place, std::min(length, text.size() - place), random_piece(dice));
      break;
    default:
      text.insert(at(), text.substr(place, length * 4));
  }
}

TEST(HostileFiles, SamplesAreValid) {
  for (const Reader& reader : readers()) EXPECT_TRUE(reads(reader, reader.sample)) << reader.name;
}

TEST(HostileFiles, EveryPrefixIsReadOrRejected) {
  for (const Reader& reader : readers()) {
    SCOPED_TRACE(reader.name);
    for (std::size_t length = 0; length < reader.sample.size(); ++length) {
      SCOPED_TRACE(length);
      reads(reader, reader.sample.substr(0, length));
    }
  }
}

TEST(HostileFiles, PrefixesOfJsonAreRejected) {
  for (const Reader& reader : readers()) {
    if (!reader.sample.starts_with("{")) continue;
    const std::size_t end = reader.sample.rfind('}');
    for (std::size_t length = 0; length < end; ++length) {
      EXPECT_FALSE(reads(reader, reader.sample.substr(0, length))) << reader.name << length;
    }
  }
}

TEST(HostileFiles, RandomMutationsAreReadOrRejected) {
  constexpr std::uint64_t kRounds = 3000;
  for (const Reader& reader : readers()) {
    std::size_t rejected = 0;
    for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
      SCOPED_TRACE(reader.name + ", seed " + std::to_string(seed));
      Dice dice(seed);
      std::string text = reader.sample;
      for (auto changes = dice.between(1, 6); changes > 0; --changes) mutate(text, dice);
      rejected += reads(reader, text) ? 0 : 1;
    }
    EXPECT_GT(rejected, kRounds / 10) << reader.name << ": the mutations hardly change anything";
  }
}

TEST(HostileFiles, RandomBytesAreRejected) {
  for (const Reader& reader : readers()) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SCOPED_TRACE(reader.name + ", seed " + std::to_string(seed));
      Dice dice(seed);
      // The first byte keeps a log from being one long comment.
      std::string text = "\x80";
      for (auto n = dice.between(20, 400); n > 0; --n) {
        text += static_cast<char>(dice.between(0, 255));
      }
      EXPECT_FALSE(reads(reader, text));
    }
  }
}

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(HostileFiles, DeepNestingIsRejected) {
  constexpr std::size_t kLevels = 100'000;
  for (const std::string& text :
       {repeated("[", kLevels), repeated("{\"a\":", kLevels), repeated("{\"tasks\":[", kLevels),
        repeated("- ", kLevels), repeated("{a: ", kLevels), repeated("? ", kLevels),
        "tasks: " + repeated("[", kLevels), "digraph " + repeated("{", kLevels),
        "digraph {a -> " + repeated("{b -> ", kLevels), repeated("<adag>", kLevels),
        "<adag>" + repeated("<job id='a' runtime='1'>", kLevels),
        "digraph { a [time=" + repeated("<", kLevels)}) {
    for (const Reader& reader : readers()) EXPECT_FALSE(reads(reader, text)) << text.substr(0, 20);
  }
}

TEST(HostileFiles, EntityBombIsHarmless) {
  std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE adag [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'k'; ++c) {
    text += std::string("<!ENTITY ") + c + " \"" +
            repeated(std::string("&") + static_cast<char>(c - 1) + ";", 10) + "\">";
  }
  text += "]><adag><job id=\"x\" runtime=\"1\">&j;</job></adag>";
  EXPECT_EQ(parse_workflow(text, "f").size(), 1U);
}

TEST(HostileFiles, HugeNumbersAreRejected) {
  for (const char* number :
       {"1e999", "-1e999", "1e11", "99999999999999999999999999", "1e-400", "nan", "inf"}) {
    const std::string text = std::string("{\"tasks\":[{\"id\":\"a\",\"time\":") + number + "}]}";
    EXPECT_NE(error_of([&] { parse_workflow(text, "f"); }), "no error") << number;
    const std::string count =
        std::string("{\"clusters\":[{\"name\":\"a\",\"processors\":") + number + "}]}";
    EXPECT_NE(error_of([&] { parse_platform(count, "f"); }), "no error") << number;
  }
}

TEST(HostileFiles, LargeGarbageIsRejectedWithOneLine) {
  Dice dice(1);
  std::string garbage(std::size_t{32} << 20U, 'x');
  for (char& c : garbage) c = static_cast<char>(dice.next() & 0xFFU);
  for (const Reader& reader : readers()) EXPECT_FALSE(reads(reader, garbage)) << reader.name;
}

// Writes a gzip file of that many pieces.
void put_gzip(const std::string& path, const std::string& head, std::string_view piece,
              std::size_t times, const std::string& tail) {
  gzFile file = gzopen(path.c_str(), "wb");
  const std::string text = head + repeated(piece, times) + tail;
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
}

TEST(HostileFiles, GzipOfDenseValuesIsCutOff) {
  // Within 16 MiB of text, but a hundred times the memory of the file and more.
  struct Dense {
    const char* head;
    const char* piece;
    const char* tail;
  };
  constexpr std::size_t kTimes = 2'100'000;
  const testing::TemporaryFolder folder;
  const std::string expected = "holds more than 4 values for each of its bytes";
  for (const auto& [head, piece, tail] : {Dense{"{\"tasks\": [", "1,", "1]}"},
                                          {"{\"tasks\": [", "[],", "[]]}"},
                                          {"{\"tasks\": [{\"after\": [", "\"a\",", "\"a\"]}]}"},
                                          {"<adag>", "<a/>", "</adag>"},
                                          {"digraph {", "a->", "a}"},
                                          {"tasks:\n", "- 1\n", ""}}) {
    put_gzip(folder.file("x"), head, piece, kTimes, tail);
    EXPECT_NE(error_of([&] { read_workflow(folder.file("x")); }).find(expected), std::string::npos)
        << piece;
  }
  put_gzip(folder.file("x"), "{\"tasks\": [", "1,", 1'900'000, "1]}");
  EXPECT_NE(error_of([&] { read_workflow(folder.file("x")); }).find("task 1"), std::string::npos)
      << "that many are read";
}

TEST(HostileFiles, GzipBombIsCutOff) {
  // 40 MiB of zeros in 40 KB: no text is like that.
  const testing::TemporaryFolder folder;
  gzFile file = gzopen(folder.file("x").c_str(), "wb");
  const std::string zeros(std::size_t{1} << 20U, '\0');
  for (int i = 0; i < 40; ++i) gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(file);
  const std::string expected = "expands to more than 64 times its size";
  EXPECT_NE(error_of([&] { read_workflow(folder.file("x")); }).find(expected), std::string::npos);
  EXPECT_NE(error_of([&] { io::read_swf(folder.file("x")); }), "no error");
}

}  // namespace
}  // namespace dovetail
