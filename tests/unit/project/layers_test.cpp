// Nobody reaches upwards: the #include lines of the whole source tree against the layers that
// docs/architecture.md describes.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/documents.hpp"
#include "support/source_code.hpp"
#include "test_places.hpp"

namespace dovetail {
namespace {

enum class Layer { core, io, draw, gen, planners, queue, run, batch, federation, study, apps };

// A folder of src/ or the folder cli/.
const std::map<std::string, Layer> kFolders = {
    {"core", Layer::core},   {"io", Layer::io},       {"draw", Layer::draw},
    {"gen", Layer::gen},     {"queue", Layer::queue}, {"planners", Layer::planners},
    {"run", Layer::run},     {"batch", Layer::batch}, {"federation", Layer::federation},
    {"study", Layer::study}, {"cli", Layer::apps}};

// The layers that one may include, beside itself and the core.
const std::map<Layer, std::set<Layer>> kDoors = {
    {Layer::core, {}},
    {Layer::io, {}},
    {Layer::draw, {Layer::io}},
    {Layer::gen, {Layer::io}},
    {Layer::planners, {}},
    {Layer::queue, {Layer::io, Layer::draw}},
    {Layer::run, {Layer::io, Layer::draw, Layer::planners}},
    {Layer::batch, {Layer::io, Layer::planners, Layer::queue, Layer::run}},
    {Layer::federation, {Layer::io, Layer::planners, Layer::queue, Layer::run, Layer::batch}},
    {Layer::study, {Layer::io, Layer::draw, Layer::gen, Layer::planners, Layer::queue}},
    {Layer::apps,
     {Layer::io, Layer::draw, Layer::gen, Layer::planners, Layer::queue, Layer::run, Layer::batch,
      Layer::federation, Layer::study}}};

// Inside a layer: a folder, and folders of the same layer that it must not include.
const std::vector<std::pair<std::string, std::vector<std::string>>> kInnerDoors = {
    {"src/queue/policies/", {"queue/strategies/", "queue/sim/"}},
    {"src/queue/strategies/", {"queue/sim/"}},
    {"src/planners/list/",
     {"planners/search/", "planners/fair/", "planners/pool/", "planners/ensemble/",
      "planners/replan/"}},
    {"src/planners/pool/", {"planners/search/", "planners/fair/", "planners/ensemble/"}},
    {"src/run/local/", {"run/report/", "run/history/"}},
    {"src/run/history/", {"run/report/", "run/local/"}},
    {"src/federation/net/", {"federation/agent/", "federation/daemon/", "federation/client/"}},
    {"src/federation/agent/", {"federation/daemon/", "federation/client/"}},
    {"src/federation/daemon/", {"federation/client/"}}};

// A public header belongs to the layer that implements it.
const std::map<std::string, Layer> kPublicHeaders = {{"answer.hpp", Layer::planners},
                                                     {"calendar.hpp", Layer::core},
                                                     {"check.hpp", Layer::core},
                                                     {"critical.hpp", Layer::core},
                                                     {"detail/calendar_parts.hpp", Layer::core},
                                                     {"error.hpp", Layer::core},
                                                     {"ensemble.hpp", Layer::core},
                                                     {"event.hpp", Layer::core},
                                                     {"frontier.hpp", Layer::planners},
                                                     {"io.hpp", Layer::io},
                                                     {"draw.hpp", Layer::draw},
                                                     {"certificate.hpp", Layer::core},
                                                     {"fairness.hpp", Layer::core},
                                                     {"metrics.hpp", Layer::core},
                                                     {"nodes.hpp", Layer::core},
                                                     {"plan.hpp", Layer::core},
                                                     {"plan_record.hpp", Layer::core},
                                                     {"planner.hpp", Layer::planners},
                                                     {"platform.hpp", Layer::core},
                                                     {"problem.hpp", Layer::core},
                                                     {"search.hpp", Layer::planners},
                                                     {"speedup.hpp", Layer::core},
                                                     {"time.hpp", Layer::core},
                                                     {"workflow.hpp", Layer::core}};

constexpr const char* kPublicFolder = "include/dovetail/";

std::optional<Layer> find(const std::map<std::string, Layer>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

// The layer of a file of the tree, such as "src/core/time.cpp".
std::optional<Layer> layer_of_file(const std::string& path) {
  if (path.starts_with(kPublicFolder)) {
    return find(kPublicHeaders, path.substr(std::string(kPublicFolder).size()));
  }
  return find(kFolders, first_folder(path.starts_with("src/") ? path.substr(4) : path));
}

// The layer of what stands between the quotes of an #include. Without a folder it is a neighbour.
std::optional<Layer> layer_of_include(const std::string& name, Layer own) {
  if (name.starts_with("dovetail/")) return find(kPublicHeaders, name.substr(9));
  if (name.find('/') == std::string::npos) return own;
  return find(kFolders, first_folder(name));
}

// Standard headers have neither a folder nor an ending.
bool is_standard(const std::string& name) { return name.find_first_of("./") == std::string::npos; }

bool may_include(Layer own, Layer other) {
  return other == own || other == Layer::core || kDoors.at(own).contains(other);
}

bool is_closed_inside(const std::string& path, const std::string& name) {
  for (const auto& [folder, closed] : kInnerDoors) {
    if (!path.starts_with(folder)) continue;
    for (const std::string& other : closed) {
      if (name.starts_with(other)) return true;
    }
  }
  return false;
}

bool standard_only(const std::string& path, Layer own) {
  return own == Layer::core || own == Layer::planners || path.starts_with(kPublicFolder);
}

// One sentence for each include of the file that breaks a rule.
std::vector<std::string> violations(const std::string& path, const std::string& content) {
  const auto own = layer_of_file(path);
  if (!own) return {path + ": belongs to no layer; add it to the maps of this test"};
  static const std::regex kInclude("^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"]");
  std::vector<std::string> found;
  std::istringstream lines(content);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, kInclude)) continue;
    const std::string name = match[2];
    if (match[1] == "<") {
      if (standard_only(path, *own) && !is_standard(name)) {
        found.push_back(path + ": <" + name + "> is not of the standard library");
      }
      continue;
    }
    const auto other = layer_of_include(name, *own);
    if (!other) {
      found.push_back(path + ": \"" + name + "\" belongs to no layer");
    } else if (!may_include(*own, *other) || is_closed_inside(path, name)) {
      found.push_back(path + ": must not include \"" + name + "\", which is of another layer");
    }
  }
  return found;
}

TEST(Layers, NoFileReachesUpwards) {
  const auto files = test::source_files();
  ASSERT_GT(files.size(), 50U) << "the source tree was not found in " << DOVETAIL_SOURCE_DIR;
  for (const std::string& file : files) {
    for (const std::string& violation : violations(file, test::read_document(file))) {
      ADD_FAILURE() << violation;
    }
  }
}

// A batch system is known to its own folder and to the table of systems, whatever the case.
TEST(Layers, OnlyItsFolderAndTheTableNameABatchSystem) {
  static const std::regex kName("slurm", std::regex::icase);
  for (const std::string& file : test::source_files()) {
    const bool may_name = file.starts_with("src/batch/slurm/") || file == "src/batch/table.cpp" ||
                          file.starts_with(kPublicFolder);
    if (may_name) continue;
    EXPECT_FALSE(std::regex_search(test::read_document(file), kName)) << file;
  }
}

TEST(Layers, ReachingUpwardsIsReported) {
  EXPECT_EQ(
      violations("src/core/made_up.cpp", "#include \"planners/list/earliest_slot.hpp\"\n").size(),
      1U);
  EXPECT_EQ(violations("src/core/made_up.cpp", "#include \"dovetail/io.hpp\"\n").size(), 1U);
  EXPECT_EQ(violations("src/io/made_up.cpp", "#  include \"dovetail/planner.hpp\"\n").size(), 1U);
  EXPECT_EQ(violations("src/study/made_up.cpp", "#include \"cli/command.hpp\"\n").size(), 1U);
  EXPECT_EQ(violations("include/dovetail/plan.hpp", "#include \"dovetail/io.hpp\"\n").size(), 1U);
}

TEST(Layers, PlannersKnowOnlyTheCore) {
  EXPECT_EQ(violations("src/planners/made_up.cpp", "#include \"dovetail/io.hpp\"\n").size(), 1U);
  EXPECT_EQ(violations("src/planners/made_up.cpp", "#include \"gen/random.hpp\"\n").size(), 1U);
  EXPECT_TRUE(
      violations(
          "src/planners/made_up.cpp",
          "#include \"dovetail/calendar.hpp\"\n#include \"planners/list/earliest_slot.hpp\"\n")
          .empty());
}

TEST(Layers, CorePlannersAndPublicHeadersNeedOnlyTheStandardLibrary) {
  const std::string fmt = "#include <vector>\n#include <fmt/format.h>\n";
  EXPECT_EQ(violations("src/core/made_up.cpp", fmt).size(), 1U);
  EXPECT_EQ(violations("src/planners/made_up.cpp", fmt).size(), 1U);
  EXPECT_EQ(violations("include/dovetail/io.hpp", fmt).size(), 1U);
  EXPECT_TRUE(violations("src/io/made_up.cpp", fmt).empty());
}

TEST(Layers, WhatBelongsToNoLayerIsReported) {
  EXPECT_EQ(violations("include/dovetail/made_up.hpp", "").size(), 1U);
  EXPECT_EQ(violations("src/made_up/thing.cpp", "").size(), 1U);
  EXPECT_EQ(violations("src/core/thing.cpp", "#include \"made_up/thing.hpp\"\n").size(), 1U);
}

TEST(Layers, DownwardsAndNeighboursAreFine) {
  EXPECT_TRUE(violations("cli/made_up.cpp",
                         "#include \"command.hpp\"\n#include \"study/turnaround.hpp\"\n"
                         "// #include in a comment: \"made_up/thing.hpp\"\n")
                  .empty());
}

}  // namespace
}  // namespace dovetail
