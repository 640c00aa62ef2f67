#include "gen/pegasus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dovetail/io.hpp"
#include "support/file_checks.hpp"
#include "support/fingerprint.hpp"
#include "support/test_data.hpp"
#include "support/workflow_shape.hpp"

namespace dovetail::gen {
namespace {

using testing::level_widths;
using testing::seconds_by_type;
using testing::type_of;
using testing::Widths;

using Make = Workflow (*)(const PegasusSpec&, Random&, std::string);

struct Family {
  const char* name;
  Make make;
  std::uint32_t fewest;
};

constexpr Family kFamilies[] = {{"cybershake", cybershake, 10},
                                {"epigenomics", epigenomics, 9},
                                {"montage", montage, 14},
                                {"sipht", sipht, 13}};

Workflow make(const Family& family, std::uint32_t tasks, double hours, std::uint64_t seed = 1) {
  Random random(seed);
  return family.make({tasks, hours}, random, family.name);
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double total_hours(const Workflow& workflow) {
  double seconds = 0;
  for (TaskId task = 0; task < workflow.size(); ++task) seconds += workflow.time(task).seconds();
  return seconds / 3600;
}

double critical_hours(const Workflow& workflow) {
  std::vector<double> end(workflow.size());
  for (const TaskId task : workflow.topological_order()) {
    for (const TaskId parent : workflow.predecessors(task)) {
      end[task] = std::max(end[task], end[parent]);
    }
    end[task] += workflow.time(task).seconds();
  }
  return *std::max_element(end.begin(), end.end()) / 3600;
}

// The tasks of a type that a task comes after or before.
std::size_t count_type(const Workflow& workflow, std::span<const TaskId> tasks,
                       const std::string& type) {
  return static_cast<std::size_t>(std::count_if(
      tasks.begin(), tasks.end(), [&](TaskId task) { return type_of(workflow.id(task)) == type; }));
}

std::vector<TaskId> tasks_of(const Workflow& workflow, const std::string& type) {
  std::vector<TaskId> tasks;
  for (TaskId task = 0; task < workflow.size(); ++task) {
    if (type_of(workflow.id(task)) == type) tasks.push_back(task);
  }
  return tasks;
}

TEST(Pegasus, LevelsAreAsWideAsInThePublishedFiles) {
  const auto widths = [](const Family& family, std::uint32_t tasks) {
    return level_widths(make(family, tasks, 100));
  };
  EXPECT_EQ(widths(kFamilies[0], 50), (Widths{2, 23, 24, 1}));
  EXPECT_EQ(widths(kFamilies[0], 250), (Widths{2, 123, 124, 1}));
  EXPECT_EQ(widths(kFamilies[0], 500), (Widths{2, 248, 249, 1}));
  EXPECT_EQ(widths(kFamilies[1], 50), (Widths{2, 10, 10, 10, 10, 2, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[1], 250), (Widths{3, 60, 60, 60, 60, 3, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[1], 500), (Widths{19, 114, 114, 114, 114, 19, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[2], 50), (Widths{8, 28, 1, 1, 8, 1, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[2], 250), (Widths{41, 162, 1, 1, 41, 1, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[2], 500), (Widths{82, 330, 1, 1, 82, 1, 1, 1, 1}));
  EXPECT_EQ(widths(kFamilies[3], 50), (Widths{32, 4, 8, 2, 2}));
  EXPECT_EQ(widths(kFamilies[3], 250), (Widths{178, 16, 32, 8, 8}));
  EXPECT_EQ(widths(kFamilies[3], 500), (Widths{356, 32, 64, 16, 16}));
}

TEST(Pegasus, OtherSizesAreMetAsNearlyAsTheShapeAllows) {
  for (const Family& family : kFamilies) {
    const std::size_t levels = level_widths(make(family, 50, 100)).size();
    for (std::uint32_t tasks = family.fewest; tasks < 1200; tasks += 1 + tasks / 40) {
      if (tasks == 50 || tasks == 250 || tasks == 500) continue;
      const Workflow workflow = make(family, tasks, 100);
      const double off = std::abs(static_cast<double>(workflow.size()) - tasks);
      EXPECT_LE(off, family.make == epigenomics ? 2 : 0) << family.name << " " << tasks;
      EXPECT_EQ(level_widths(workflow).size(), levels) << family.name << " " << tasks;
      EXPECT_NEAR(total_hours(workflow), 100, 0.01) << family.name << " " << tasks;
    }
  }
}

TEST(Pegasus, TasksRunOnOneProcessor) {
  for (const Family& family : kFamilies) {
    const Workflow workflow = make(family, 50, 100);
    for (TaskId task = 0; task < workflow.size(); ++task) {
      EXPECT_EQ(workflow.time(task).kind(), TimeKind::fixed);
      EXPECT_EQ(workflow.time(task).max_procs(), 1);
      EXPECT_GT(workflow.time(task).seconds(), 0);
    }
  }
}

TEST(Pegasus, TotalsAreAsAskedForEverySizeAndSeed) {
  for (const Family& family : kFamilies) {
    for (const std::uint32_t tasks : {50U, 250U, 500U}) {
      for (const double hours : {1.0, 100.0, 500.0, 1000.0, 20'000.0}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          EXPECT_NEAR(total_hours(make(family, tasks, hours, seed)), hours, 0.005)
              << family.name << " " << tasks << " seed " << seed;
        }
      }
    }
  }
}

TEST(CyberShake, SeismogramsBelongToOneExtractionEach) {
  const Workflow workflow = make(kFamilies[0], 250, 100, 3);
  EXPECT_EQ(workflow.edge_count(), 4 * 123U);
  std::vector<std::size_t> parts;
  for (const TaskId task : tasks_of(workflow, "ExtractSGT")) {
    EXPECT_TRUE(workflow.predecessors(task).empty());
    parts.push_back(workflow.successors(task).size());
  }
  EXPECT_EQ(parts[0] + parts[1], 123U);
  EXPECT_GT(std::min(parts[0], parts[1]), 35U);
  for (const TaskId task : tasks_of(workflow, "SeismogramSynthesis")) {
    EXPECT_EQ(workflow.predecessors(task).size(), 1U);
    EXPECT_EQ(workflow.successors(task).size(), 2U);
    EXPECT_EQ(count_type(workflow, workflow.successors(task), "ZipSeis"), 1U);
  }
  EXPECT_EQ(workflow.predecessors(*workflow.find("ZipSeis_0")).size(), 123U);
  EXPECT_EQ(workflow.predecessors(*workflow.find("ZipPSA_0")).size(), 123U);
  EXPECT_EQ(*workflow.predecessors(*workflow.find("PeakValCalcOkaya_7")).begin(),
            *workflow.find("SeismogramSynthesis_7"));
}

TEST(CyberShake, SplitDiffersBySeed) {
  std::map<std::size_t, int> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Workflow workflow = make(kFamilies[0], 50, 100, seed);
    ++seen[workflow.successors(*workflow.find("ExtractSGT_0")).size()];
  }
  EXPECT_GE(seen.size(), 4U);
  EXPECT_GE(seen.begin()->first, 1U);
}

TEST(Epigenomics, ChainsOfALaneMeetInItsMerge) {
  const Workflow workflow = make(kFamilies[1], 250, 100);
  EXPECT_EQ(workflow.edge_count(), 5 * 60U + 3 + 2);
  for (int lane = 0; lane < 3; ++lane) {
    const auto split = *workflow.find("fastqSplit_" + std::to_string(lane));
    const auto merge = *workflow.find("mapMerge_" + std::to_string(lane));
    ASSERT_EQ(workflow.successors(split).size(), 20U);
    ASSERT_EQ(workflow.predecessors(merge).size(), 20U);
    // Down the first chain of the lane.
    TaskId task = workflow.successors(split)[0];
    for (const char* type : {"filterContams", "sol2sanger", "fastq2bfq", "map"}) {
      EXPECT_EQ(type_of(workflow.id(task)), type);
      ASSERT_EQ(workflow.successors(task).size(), 1U);
      task = workflow.successors(task)[0];
    }
    EXPECT_EQ(task, merge);
  }
  EXPECT_EQ(workflow.predecessors(*workflow.find("mapMerge_3")).size(), 3U);
  EXPECT_TRUE(workflow.successors(*workflow.find("pileup_0")).empty());
}

TEST(Montage, OverlapsAreDifferentPairsOfImagesAndUseEveryImage) {
  for (const std::uint32_t tasks : {14U, 50U, 250U, 500U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::to_string(tasks) + " tasks, seed " + std::to_string(seed));
      const Workflow workflow = make(kFamilies[2], tasks, 100, seed);
      std::map<std::vector<TaskId>, int> pairs;
      std::size_t singles = 0;
      for (const TaskId fit : tasks_of(workflow, "mDiffFit")) {
        const auto images = workflow.predecessors(fit);
        if (images.size() == 1) {
          ++singles;
          continue;
        }
        ASSERT_EQ(images.size(), 2U);
        EXPECT_EQ(++pairs[std::vector<TaskId>(images.begin(), images.end())], 1);
      }
      EXPECT_LE(singles, 14U);
      for (const TaskId image : tasks_of(workflow, "mProjectPP")) {
        const std::size_t overlaps = count_type(workflow, workflow.successors(image), "mDiffFit");
        EXPECT_GE(overlaps, 1U);
        EXPECT_LE(overlaps, 25U);
        EXPECT_EQ(count_type(workflow, workflow.successors(image), "mBackground"), 1U);
      }
      for (const TaskId background : tasks_of(workflow, "mBackground")) {
        EXPECT_EQ(workflow.predecessors(background).size(), 2U);
      }
    }
  }
}

TEST(Montage, AFewOverlapsHaveOneImage) {
  // Of 28, 162 and 330 overlaps about four, as in the published files (106 to 109 edges at 50).
  double singles = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Workflow workflow = make(kFamilies[2], 250, 100, seed);
    singles += 613.0 - static_cast<double>(workflow.edge_count());
  }
  EXPECT_NEAR(singles / 50, 162.0 / 41, 1);
}

TEST(Sipht, StructuresAreIndependent) {
  const Workflow workflow = make(kFamilies[3], 250, 100);
  EXPECT_EQ(workflow.edge_count(), 146 + 8 * 16U);
  std::size_t patsers = 0;
  for (const TaskId concate : tasks_of(workflow, "Patser_concate")) {
    EXPECT_GE(workflow.predecessors(concate).size(), 16U);
    EXPECT_LE(workflow.predecessors(concate).size(), 21U);
    patsers += workflow.predecessors(concate).size();
  }
  EXPECT_EQ(patsers, 146U);
  for (const TaskId srna : tasks_of(workflow, "SRNA")) {
    EXPECT_EQ(workflow.predecessors(srna).size(), 4U);
    EXPECT_EQ(workflow.successors(srna).size(), 6U);
  }
  for (const TaskId annotate : tasks_of(workflow, "SRNA_annotate")) {
    EXPECT_EQ(workflow.predecessors(annotate).size(), 6U);
    EXPECT_TRUE(workflow.successors(annotate).empty());
  }
  for (const TaskId synteny : tasks_of(workflow, "Blast_synteny")) {
    EXPECT_EQ(count_type(workflow, workflow.predecessors(synteny), "FFN_Parse"), 1U);
    EXPECT_EQ(count_type(workflow, workflow.predecessors(synteny), "SRNA"), 1U);
  }
}

TEST(Sipht, FiftyTasksHaveTwelvePatsersEach) {
  const Workflow workflow = make(kFamilies[3], 50, 100, 9);
  EXPECT_EQ(workflow.edge_count(), 56U);
  EXPECT_EQ(workflow.predecessors(*workflow.find("Patser_concate_0")).size(), 12U);
  EXPECT_EQ(workflow.predecessors(*workflow.find("Patser_concate_1")).size(), 12U);
}

struct ExpectedShare {
  std::size_t family;
  std::uint32_t tasks;
  double hours;
  const char* type;
  double low, high;  // per cent, as published
};

TEST(Pegasus, TypesHaveTheirShareOfTheWork) {
  const ExpectedShare cases[] = {
      {0, 50, 100, "SeismogramSynthesis", 27.5, 28.7},
      {0, 50, 1000, "PeakValCalcOkaya", 88, 89},
      {0, 250, 500, "PeakValCalcOkaya", 70, 71},
      {0, 500, 100, "SeismogramSynthesis", 62.5, 63.3},
      {0, 500, 100, "ExtractSGT", 3.0, 3.2},
      {0, 500, 20'000, "PeakValCalcOkaya", 68.8, 69.6},
      {0, 250, 223.6, "PeakValCalcOkaya", 57.5, 58.7},  // half way from 45.7 to 70.5
      {0, 50, 100, "ZipPSA", 0, 0.03},
      {1, 50, 500, "map", 95.7, 96.3},
      {1, 250, 100, "map", 99.1, 99.4},
      {1, 500, 100, "map", 99.1, 99.4},
      {1, 50, 100, "pileup", 3.6, 4.1},
      {1, 500, 1000, "pileup", 0.32, 0.34},
      {1, 500, 1000, "fastqSplit", 0, 0.16},
      {2, 50, 100, "mProjectPP", 21.1, 21.5},
      {2, 250, 1000, "mDiffFit", 61, 61.4},
      {2, 500, 500, "mBackground", 15.4, 15.8},
      {2, 500, 500, "mBgModel", 0.56, 0.84},
      {3, 50, 100, "Blast", 33, 44},
      {3, 250, 500, "Findterm", 21, 31},
      {3, 250, 1000, "Blast_QRNA", 24, 32},
      {3, 500, 1000, "SRNA", 6, 8},
      {3, 50, 100, "Transterm", 0.6, 1.6},
      {3, 250, 100, "Patser", 0.25, 0.45},
      {3, 250, 100, "Blast_candidate", 0.08, 0.16},
  };
  for (const ExpectedShare& c : cases) {
    const Workflow workflow = make(kFamilies[c.family], c.tasks, c.hours, 4);
    const double percent = sum(seconds_by_type(workflow).at(c.type)) / c.hours / 36;
    EXPECT_GE(percent, c.low) << c.type << " " << c.tasks << " " << c.hours;
    EXPECT_LE(percent, c.high) << c.type << " " << c.tasks << " " << c.hours;
  }
}

double variation(const std::vector<double>& values) {
  const double mean = sum(values) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size())) / mean;
}

TEST(Pegasus, TimesOfATypeVaryAsPublished) {
  const auto spread = [](std::size_t family, const char* type) {
    return variation(seconds_by_type(make(kFamilies[family], 500, 1000, 2)).at(type));
  };
  EXPECT_NEAR(spread(0, "PeakValCalcOkaya"), 0.28, 0.05);
  EXPECT_NEAR(spread(1, "map"), 0.27, 0.06);
  EXPECT_NEAR(spread(2, "mDiffFit"), 0.01, 0.005);
  EXPECT_NEAR(spread(3, "Patser"), 0.22, 0.04);
  EXPECT_LT(spread(3, "Blast_synteny"), 1e-9);
  // Nothing is far out: times lie within 2.5 deviations, and above a fifth of the mean.
  const auto times = seconds_by_type(make(kFamilies[1], 500, 1000, 2)).at("fastq2bfq");
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const double mean = sum(times) / static_cast<double>(times.size());
  EXPECT_GT(*least, 0.15 * mean);
  EXPECT_LT(*most, 2.3 * mean);
}

TEST(Pegasus, CriticalPathsAreNearThePublishedOnes) {
  struct Expected {
    std::size_t family;
    std::uint32_t tasks;
    double hours[3];  // at totals of 100, 500 and 1000 hours
  };
  const Expected cases[] = {
      {0, 50, {9.1, 43.6, 71.2}},   {0, 250, {2.0, 8.9, 18.9}},   {0, 500, {1.7, 6.1, 11.3}},
      {1, 50, {17.5, 97.1, 184.5}}, {1, 250, {3.6, 18.7, 34.4}},  {1, 500, {2.0, 8.7, 20.2}},
      {2, 50, {10.9, 56.1, 105.2}}, {2, 250, {4.4, 21.5, 42.8}},  {2, 500, {3.3, 17.7, 37.2}},
      {3, 50, {37, 213.8, 423.3}},  {3, 250, {10.7, 53.7, 113.1}}};
  constexpr double kTotals[] = {100, 500, 1000};
  for (const Expected& c : cases) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const double got =
            critical_hours(make(kFamilies[c.family], c.tasks, kTotals[i], seed)) / c.hours[i];
        EXPECT_GT(got, 1 / 1.5) << kFamilies[c.family].name << " " << c.tasks << " " << kTotals[i];
        EXPECT_LT(got, 1.5) << kFamilies[c.family].name << " " << c.tasks << " " << kTotals[i];
      }
    }
  }
}

// Compares ours with the published files of `data`, and says how many there were.
std::size_t compare_with_published(const std::filesystem::path& data) {
  const std::map<std::string, std::size_t> families = {
      {"CYBERSHAKE", 0}, {"GENOME", 1}, {"MONTAGE", 2}, {"SIPHT", 3}};
  std::size_t compared = 0;
  for (const auto& [prefix, family] : families) {
    for (const auto& file : testing::files_in(data / "dax" / "glume", prefix, ".dax")) {
      const std::string name = file.stem().string();
      const auto tasks = static_cast<std::uint32_t>(std::stoul(name.substr(prefix.size() + 1)));
      const Workflow published = read_workflow(file.string());
      const Workflow ours = make(kFamilies[family], tasks, 100);
      // One file has four extractions instead of two.
      if (name == "CYBERSHAKE_500_360000") continue;
      EXPECT_EQ(level_widths(ours), level_widths(published)) << name;
      const double edges = static_cast<double>(published.edge_count());
      EXPECT_NEAR(static_cast<double>(ours.edge_count()), edges, family == 2 ? 12 : 0) << name;
      ++compared;
    }
  }
  return compared;
}

TEST(Pegasus, PublishedSmallFilesHaveTheSameLevels) {
  EXPECT_EQ(compare_with_published(testing::real_dir()), 12U);
}

TEST(Pegasus, PublishedFilesHaveTheSameLevels) {
  if (!testing::archive_dir()) GTEST_SKIP() << testing::kNoArchive;
  EXPECT_GE(compare_with_published(*testing::archive_dir()), 10U);
}

TEST(Pegasus, IsTheSameForTheSameSeed) {
  const std::uint64_t expected[] = {7349262605872681527ULL, 8450833134763993102ULL,
                                    11982629488970826622ULL, 12366297921318296950ULL};
  for (std::size_t i = 0; i < 4; ++i) {
    const Workflow workflow = make(kFamilies[i], 250, 500, 7);
    EXPECT_EQ(testing::fingerprint(workflow), expected[i]) << kFamilies[i].name;
    EXPECT_NE(testing::fingerprint(make(kFamilies[i], 250, 500, 8)), expected[i]);
  }
}

TEST(Pegasus, RefusesWhatNoShapeCanBe) {
  const auto error = [](std::size_t family, std::uint32_t tasks, double hours) {
    return testing::error_of([&] { make(kFamilies[family], tasks, hours); });
  };
  EXPECT_EQ(error(0, 9, 100), "cybershake: tasks is 9; it must be between 10 and 10000000");
  EXPECT_EQ(error(1, 8, 100), "epigenomics: tasks is 8; it must be between 9 and 10000000");
  EXPECT_EQ(error(2, 13, 100), "montage: tasks is 13; it must be between 14 and 10000000");
  EXPECT_EQ(error(3, 12, 100), "sipht: tasks is 12; it must be between 13 and 10000000");
  EXPECT_EQ(error(2, 50, 0), "montage: hours is 0; it must be between 0.01 and 1000000");
  EXPECT_EQ(error(2, 50, std::nan("")),
            "montage: hours is nan; it must be between 0.01 and 1000000");
  EXPECT_EQ(error(1, 5000, 0.01),
            "hours is 0.01; too little for 5001 tasks of at least 0.01 s each");
}

}  // namespace
}  // namespace dovetail::gen
