#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gen/climate.hpp"
#include "io/formats/ensemble_file.hpp"
#include "study/ensemble/ensemble_study.hpp"

namespace dovetail::study {
namespace {

std::string ours(const EnsembleStudyResult& result, const std::string& figure,
                 const std::string& what) {
  for (const EnsembleStatement& said : result.statements) {
    if (said.figure == figure && said.what == what) return said.ours;
  }
  return "there is no such statement";
}

TEST(EnsembleStudy, FindsWhatTheReportSays) {
  const EnsembleStudyResult result = run_ensemble_study({});
  EXPECT_EQ(ours(result, "13", "mean gains of imp1, imp2, knapsack"), "0.9 / 1.7 / 2.7 %");
  EXPECT_EQ(ours(result, "15", "least gain of knapsack"), "-0.48 %");
  EXPECT_EQ(ours(result, "15", "most gain of knapsack"), "11.97 %");
  EXPECT_EQ(ours(result, "16", "cases that gain"), "26 %");
  EXPECT_EQ(ours(result, "17, 19", "no gain up to this number of processors"), "29");
  EXPECT_EQ(ours(result, "17", "gain at 30, 51, 100 processors"), "2.8 / 9.7 / 23.1 %");
  EXPECT_EQ(ours(result, "17", "gain from 112 processors on"), "25.0 to 25.0 %");
  EXPECT_EQ(ours(result, "20", "100 scenarios, 10 processors per cluster: saved"), "630000 s");
  EXPECT_EQ(ours(result, "22", "loss at 121 and more, without size 12"), "10.5 %");
  EXPECT_EQ(ours(result, "22", "loss at 121 and more, with size 12"), "0.0 to 0.0 %");
}

TEST(EnsembleStudy, IsTheSameOnAnyNumberOfThreads) {
  EXPECT_EQ(to_json(run_ensemble_study({.threads = 1})),
            to_json(run_ensemble_study({.threads = 3})));
}

TEST(EnsembleStudy, HasEveryFigureInEveryForm) {
  const EnsembleStudyResult result = run_ensemble_study({.dispatch = planning::Dispatch::rotate});
  const auto document = nlohmann::json::parse(to_json(result));
  const std::string text = format_table(result);
  const std::string csv = to_csv(result);
  const std::string page = to_html(result);
  ASSERT_EQ(document["figures"].size(), 10U);
  for (const char* number : {"11", "13", "14", "15", "16", "17", "18", "19", "20", "22"}) {
    EXPECT_NE(text.find(std::string("Figure ") + number + ":"), std::string::npos) << number;
    EXPECT_NE(csv.find(std::string("\n") + number + ","), std::string::npos) << number;
    EXPECT_NE(page.find(std::string("Figure ") + number + ":"), std::string::npos) << number;
  }
}

TEST(MadeUpEnsemble, IsTheSameForTheSameSeedAndReadsBack) {
  const gen::ClimateSpec spec{.scenarios = 4, .months = 12, .clusters = 5};
  const Ensemble ensemble = gen::made_up_ensemble(spec);
  for (const bool json : {false, true}) {
    const std::string text = io::format_ensemble(ensemble, json);
    EXPECT_EQ(text, io::format_ensemble(gen::made_up_ensemble(spec), json));
    const io::EnsembleFile file = io::parse_ensemble(text, "e");
    ASSERT_EQ(file.tables.size(), 5U);
    for (std::size_t c = 0; c < 5; ++c) {
      EXPECT_EQ(file.tables[c].times, ensemble.sites[c].times);
    }
  }
}

TEST(ReferenceSites, SatisfyWhatTheReportSaysOfThem) {
  const auto sites = gen::reference_sites();
  ASSERT_EQ(sites.size(), 5U);
  const auto time = [&](std::size_t site, Count procs) {
    return sites[site].times.main[static_cast<std::size_t>(procs - 4)].time;
  };
  EXPECT_EQ(time(0, 5), 4205 * kSecond);
  EXPECT_EQ(time(0, 10), 1502 * kSecond);
  Duration fastest = kForever;
  Duration slowest = 0;
  for (std::size_t c = 0; c < sites.size(); ++c) {
    EXPECT_TRUE(find_fault(sites[c].times).empty());
    fastest = std::min(fastest, time(c, 11));
    slowest = std::max(slowest, time(c, 11));
  }
  EXPECT_EQ(4 * fastest, 3 * slowest) << "25 % apart";
}

}  // namespace
}  // namespace dovetail::study
