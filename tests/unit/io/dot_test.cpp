#include <gtest/gtest.h>

#include "dovetail/io.hpp"
#include "io/formats/dot_parser.hpp"
#include "support/file_checks.hpp"

namespace dovetail {
namespace {

using testing::error_of;

Workflow parse(std::string_view text) { return parse_workflow(text, "g.dot"); }
std::string error_in(std::string_view text) {
  return error_of([&] { parse(text); });
}

std::vector<std::string> edges_of(const Workflow& flow) {
  std::vector<std::string> edges;
  for (TaskId task = 0; task < flow.size(); ++task) {
    for (TaskId next : flow.successors(task)) {
      edges.push_back(std::string(flow.id(task)) + ">" + std::string(flow.id(next)));
    }
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

TEST(Dot, ReadsOurAttributes) {
  const Workflow flow = parse(R"(digraph demo {
    a [time=60, run="./a \"x\"", label="A", shape=box];
    b [time="3h", alpha=0.05, processors="4..64"]
    c [times="4=4205, 11=1400"]; d [time_on="r1=14,r2=16"];
    e [time=1 processors=8]
    f [time=1 alpha=0 processors="2.."]
    a -> b [transfer=18];
  })");
  EXPECT_EQ(flow.name(), "demo");
  EXPECT_EQ(flow.run(0), "./a \"x\"");
  EXPECT_EQ(flow.time(1).seconds(), 10'800.0);
  EXPECT_EQ(flow.time(1).min_procs(), 4);
  EXPECT_EQ(flow.time(1).max_procs(), 64);
  EXPECT_EQ(flow.time(2).duration(11), 1'400'000);
  EXPECT_EQ(flow.time(3).kind(), TimeKind::per_resource);
  EXPECT_EQ(flow.time(4).min_procs(), 8);
  EXPECT_EQ(flow.time_spec(5).processors.max, 0);
  EXPECT_EQ(flow.transfers_in(1)[0], 18'000);
}

TEST(Dot, ReadsChainsSubgraphsPortsAndComments) {
  const Workflow flow = parse(
      "# made by hand\n// one\nstrict digraph {\n  node [time=1] /* default */\n"
      "  rankdir = LR; graph [bgcolor=white] edge [color=red]\n"
      "  a:p:n -> b -> {c d} -> \"e\" + \"f\"\n"
      "  subgraph cluster_x { node [time=5]; g; label = x }\n  g -> <h<i>h</i>> ; -1.5 -> a }");
  EXPECT_EQ(edges_of(flow), (std::vector<std::string>{"-1.5>a", "a>b", "b>c", "b>d", "c>ef", "d>ef",
                                                      "g>h<i>h</i>"}));
  EXPECT_EQ(flow.time(*flow.find("g")).seconds(), 5.0);
  EXPECT_EQ(flow.time(*flow.find("h<i>h</i>")).seconds(), 1.0)
      << "the default ends with its braces";
}

TEST(Dot, LaterAttributesReplaceDefaults) {
  const Workflow flow = parse(
      "digraph { node [time=1]; a; a [time=9]; edge [transfer=2]; a -> b;"
      " b -> c [transfer=3] }");
  EXPECT_EQ(flow.time(0).seconds(), 9.0);
  EXPECT_EQ(flow.transfers_in(1)[0], 2000);
  EXPECT_EQ(flow.transfers_in(2)[0], 3000);
}

TEST(Dot, OneWayToGiveATimeReplacesAnother) {
  const Workflow flow =
      parse("digraph { node [time=1, alpha=0.5]; a [times=\"2=3\"]; b [time=7] }");
  EXPECT_EQ(flow.time(0).kind(), TimeKind::table);
  EXPECT_EQ(flow.time(1).seconds(), 7.0);
  EXPECT_EQ(flow.time(1).alpha(), 0.5);
}

TEST(Dot, QuotedStringsKeepForeignEscapes) {
  const io::DotGraph graph = io::parse_dot("digraph { \"a\\nb\"; \"c\\\\\"; \"d\\\ne\" }", "g.dot");
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.nodes[0].id, "a\\nb");
  EXPECT_EQ(graph.nodes[1].id, "c\\");
  EXPECT_EQ(graph.nodes[2].id, "de") << "a backslash joins lines";
}

TEST(Dot, MissingTimeIsAnErrorUnlessThereIsADefault) {
  EXPECT_EQ(
      error_in("digraph {\n a -> b\n}"),
      "g.dot:2: task \"a\": it has no time; add the attribute, or give a default (--default-time)");
  const Workflow flow =
      parse_workflow("digraph { a -> b [time=4] }", "g.dot", {.default_seconds = 4});
  EXPECT_EQ(flow.time(1).seconds(), 4.0);
}

TEST(Dot, ErrorsNameTheLine) {
  EXPECT_EQ(error_in("graph { a -- b }"),
            "g.dot:1: an undirected graph has no order; expected a digraph with ->");
  EXPECT_EQ(error_in("digraph {\n a -- b }"), "g.dot:2: -- is for undirected graphs; expected ->");
  EXPECT_EQ(error_in("digraph {\n a ->"), "g.dot:2: expected a name, found the end of the file");
  EXPECT_EQ(error_in("digraph\n a b"), "g.dot:2: expected {, found \"b\"");
  EXPECT_EQ(error_in("digraph { a [time=1] }\n}"), "g.dot:2: the graph has ended; found \"}\"");
  EXPECT_EQ(error_in("digraph {\n\"a }"), "g.dot:2: this string does not end; add a quote");
  EXPECT_EQ(error_in("digraph {\n/* a }"), "g.dot:2: this comment does not end; add */");
  EXPECT_EQ(error_in("digraph {\n<a }"), "g.dot:2: this <html> string does not end; add >");
  EXPECT_NE(error_in("digraph { a.b }").find("unexpected character \".\""), std::string::npos);
  EXPECT_EQ(error_in("digraph { }"), "g.dot: the graph has no nodes");
  EXPECT_NE(error_in("digraph { a [time=1]; a -> a }").find("g.dot:1: "), std::string::npos);
  EXPECT_NE(error_in("digraph { a [time=1] a -> {} [transfer=x] }").find("transfer: expected"),
            std::string::npos);
}

TEST(Dot, AttributeErrorsNameTheTask) {
  const auto error_for = [](const std::string& attributes) {
    return error_in("digraph {\n a [" + attributes + "] }");
  };
  EXPECT_NE(error_for("time=soon").find("g.dot:2: task \"a\": expected seconds"),
            std::string::npos);
  EXPECT_NE(error_for("time=1 alpha=2").find("alpha: expected a number from 0 to 1"),
            std::string::npos);
  EXPECT_NE(error_for("time=1 processors=\"1..4\"").find("a range needs alpha"), std::string::npos);
  EXPECT_NE(error_for("time=1 alpha=0 processors=\"4..1\"").find("found \"4..1\""),
            std::string::npos);
  EXPECT_NE(error_for("times=\"4\"").find("expected a list such as"), std::string::npos);
  EXPECT_NE(error_for("times=\"0=4\"").find("expected processors"), std::string::npos);
  EXPECT_NE(error_for("time=1 times=\"1=4\"").find("give only one"), std::string::npos);
  EXPECT_NE(error_for("times=\"1=4\" alpha=0").find("alpha goes with time only"),
            std::string::npos);
  EXPECT_NE(error_for("time_on=\"r=1, r=2\"").find("\"r\" is given twice"), std::string::npos);
}

TEST(Dot, SubgraphsAreLimitedInDepth) {
  std::string deep = "digraph ";
  for (int i = 0; i < 100'000; ++i) deep += "{";
  EXPECT_NE(error_in(deep).find("subgraphs are nested more than 64 deep"), std::string::npos);
}

std::string many_nodes(std::size_t count, std::size_t first = 0) {
  std::string names;
  for (std::size_t i = first; i < first + count; ++i) names += "n" + std::to_string(i) + " ";
  return names;
}

// 134 KB made 18 million edges.
TEST(Dot, ShortFilesDoNotMakeAnyNumberOfEdges) {
  const std::string sets =
      "digraph { node [time=1] {" + many_nodes(9'000) + "} -> {" + many_nodes(2'000, 9'000) + "} }";
  EXPECT_NE(error_in(sets).find("g.dot:1: sets of nodes make more than "), std::string::npos)
      << error_in(sets);
  const Workflow fine = parse("digraph { node [time=1] {" + many_nodes(500) + "} -> {" +
                              many_nodes(500, 500) + "} }");
  EXPECT_EQ(fine.predecessors(999).size(), 500U);
}

TEST(Dot, LongDefaultsDoNotMultiply) {
  const std::string run(100'000, 'x');
  EXPECT_NE(error_in("digraph {\nnode [time=1 run=" + run + "]\n" + many_nodes(5'000) + "}")
                .find("g.dot:3: the defaults of `node` are too long"),
            std::string::npos);
  const Workflow fine =
      parse("digraph { node [time=1 run=" + run + "] " + many_nodes(50) + "{} {} a -> b }");
  EXPECT_EQ(fine.run(49), run);
}

TEST(Dot, ManyResourcesOfATaskAreComparedOnce) {
  std::string times;
  for (int i = 0; i < 50'000; ++i) times += "r" + std::to_string(i) + "=1,";
  EXPECT_EQ(parse("digraph { a [time_on=\"" + times + "r=1\"] }").resource_names().size(), 50'001U);
}

TEST(Dot, YamlThatBeginsLikeDotIsYaml) {
  EXPECT_EQ(error_in("graph: 1\n").substr(0, 24), "g.dot:1: unknown key \"gr");
}

}  // namespace
}  // namespace dovetail
