#include <gtest/gtest.h>

#include <cmath>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"
#include "support/test_data.hpp"

namespace dovetail {
namespace {

using testing::error_of;

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<adag xmlns=\"http://pegasus.isi.edu/schema/DAX\" version=\"2.1\" name=\"test\">\n";

Workflow parse(const std::string& body, const WorkflowReadOptions& options = {}) {
  return parse_workflow(std::string(kHead) + body + "</adag>\n", "dir/m.dax", options);
}
std::string error_in(const std::string& body) {
  return error_of([&] { parse(body); });
}

TEST(Dax, ReadsJobsAndDependencies) {
  const Workflow flow = parse(
      "<!-- part 2 -->\n<job id=\"ID0\" namespace=\"M\" name=\"x\" runtime=\"101.21\">\n"
      "  <uses file=\"f\" link=\"input\" size=\"3\"/>\n</job>\n"
      "<job id=\"ID1\" name=\"y\" runtime=\"0\"/>\n"
      "<child ref=\"ID0\"><parent ref=\"ID1\"/></child>\n");
  EXPECT_EQ(flow.name(), "m") << "generators call every workflow \"test\"";
  ASSERT_EQ(flow.size(), 2U);
  EXPECT_EQ(flow.time(0).seconds(), 101.21);
  EXPECT_EQ(flow.predecessors(0)[0], 1U);
  EXPECT_EQ(flow.edge_count(), 1U);
}

TEST(Dax, VersionThreeMayPrefixNamesAndKeepRunTimesInProfiles) {
  const Workflow flow = parse_workflow(
      "<p:adag xmlns:p=\"http://pegasus.isi.edu/schema/DAX\" version=\"3.6\">"
      "<p:job id=\"a\"><p:argument>-i <p:file name=\"f\"/></p:argument>"
      "<p:profile namespace=\"pegasus\" key=\"runtime\">5</p:profile></p:job>"
      "<p:job id=\"b\" runtime=\"2\"/><p:child ref=\"b\"><p:parent ref=\"a\"/></p:child></p:adag>",
      "v3.dax");
  EXPECT_EQ(flow.time(0).seconds(), 5.0);
  EXPECT_EQ(flow.edge_count(), 1U);
}

TEST(Dax, MissingRunTimeIsAnErrorUnlessThereIsADefault) {
  EXPECT_EQ(error_in("<job id=\"a\"/>\n"),
            "dir/m.dax:3: job \"a\": it has no runtime; give a default (--default-time)");
  EXPECT_EQ(parse("<job id=\"a\"/>", {.default_seconds = 3}).time(0).seconds(), 3.0);
}

TEST(Dax, ErrorsNameTheLine) {
  EXPECT_EQ(error_in("<job id=\"a\" runtime=\"1\"/>\n\n<child ref=\"b\"/>\n"),
            "dir/m.dax:5: <child>: there is no job \"b\"");
  EXPECT_EQ(error_in("<job id=\"job1\" runtime=\"1\"/>\n<child ref=\"job1\">\n"
                     "<parent ref=\"jbo1\"/></child>\n"),
            "dir/m.dax:5: <parent>: there is no job \"jbo1\"; did you mean \"job1\"?");
  EXPECT_NE(error_in("<job id=\"a\" runtime=\"-1\"/>\n").find("dir/m.dax:3: job \"a\": runtime: "),
            std::string::npos);
  EXPECT_NE(error_in("<job id=\"a\" runtime=\"x\"/>\n").find("found \"x\""), std::string::npos);
  EXPECT_EQ(error_in("<job runtime=\"1\"/>\n"), "dir/m.dax:3: <job> needs \"id\"");
  EXPECT_EQ(error_in("<job id=\"a\" runtime=\"1\"/>\n<job id=\"a\" runtime=\"1\"/>\n"),
            "dir/m.dax:4: job \"a\": this id is used twice");
  EXPECT_EQ(error_in("\n"), "dir/m.dax:2: the workflow has no jobs");
  EXPECT_EQ(error_in("<job id=\"a\" runtime=\"1\"/><child ref=\"a\"><parent ref=\"a\"/></child>"),
            "dir/m.dax:3: a job is its own parent");
  EXPECT_EQ(error_in("<job id=\"a\" runtime=\"1\"></jo>\n").substr(0, 27),
            "dir/m.dax:3: not valid XML:");
  EXPECT_EQ(error_of([] { parse_workflow("<html/>", "x"); }),
            "x:1: expected a DAX workflow (<adag>), found <html>");
}

void expect_published_files_load(const std::filesystem::path& data, std::size_t count) {
  const auto files = testing::files_in(data / "dax" / "glume", "", ".dax");
  EXPECT_EQ(files.size(), count);
  for (const auto& file : files) {
    const std::string name = file.stem().string();
    SCOPED_TRACE(name);
    const Workflow flow = read_workflow(file.string());
    double total = 0;
    for (TaskId task = 0; task < flow.size(); ++task) total += flow.time(task).seconds();
    // The name ends with the total of sequential seconds, which the files meet within 4 hours.
    EXPECT_LT(std::abs(total - std::stod(name.substr(name.rfind('_') + 1))), 4 * 3600.0);
  }
}

TEST(Dax, SmallRealFilesLoad) { expect_published_files_load(testing::real_dir(), 12); }

TEST(Dax, RealFilesLoad) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  expect_published_files_load(*testing::archive_dir(), 33);
}

}  // namespace
}  // namespace dovetail
