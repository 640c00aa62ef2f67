// The daemon starts the months that the simulation predicts: the same ones, on the same groups, at
// the same moments.
#include "planners/ensemble/month_dispatch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <random>
#include <tuple>

#include "federation/daemon/month_runner.hpp"
#include "planners/ensemble/month_simulation.hpp"

namespace dovetail::federation {
namespace {

// Scenarios and months from 0. Of a post task the processors are those of no group.
struct Started {
  Time start = 0;
  bool is_post = false;
  Count scenario = 0;
  Count month = 0;
  Count processors = 0;
  std::uint32_t group = 0;
  friend auto operator<=>(const Started&, const Started&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Started& one) {
    return out << "\nat " << one.start << (one.is_post ? " post" : " main") << " of scenario "
               << one.scenario << " month " << one.month << " on " << one.processors
               << " processors of group " << one.group;
  }
};

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  int operator()(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

std::vector<GroupTime> random_sizes(Draw& draw) {
  std::vector<GroupTime> sizes;
  Count procs = draw(1, 2);
  Duration time = draw(10, 60);
  for (int count = draw(1, 5); count-- > 0;) {
    sizes.push_back({procs, time});
    procs += draw(1, 2);
    time = std::max<Duration>(1, time - draw(0, 15));
  }
  return sizes;
}

planning::MonthProblem random_problem(Draw& draw) {
  planning::MonthProblem problem{
      .scenarios = draw(1, 7), .months = draw(1, 14), .sizes = random_sizes(draw)};
  problem.processors = problem.sizes.front().procs + draw(0, 30);
  problem.post = draw(1, 20);
  return problem;
}

// Any groups at all, also such as no heuristic would choose.
planning::Grouping random_grouping(Draw& draw, const planning::MonthProblem& problem) {
  std::vector<Count> groups;
  Count left = problem.processors;
  for (int most = draw(1, problem.scenarios); most-- > 0;) {
    const Count procs =
        problem.sizes[static_cast<std::size_t>(draw(0, static_cast<int>(problem.sizes.size()) - 1))]
            .procs;
    if (procs > left) continue;
    groups.push_back(procs);
    left -= procs;
  }
  if (groups.empty()) groups.push_back(problem.sizes.front().procs);
  return planning::with_rest(problem, groups);
}

std::vector<Started> simulated(const planning::MonthProblem& problem,
                               const planning::Grouping& grouping) {
  std::vector<Started> starts;
  for (const planning::MonthRun& run :
       planning::simulate_months(problem, grouping, planning::Dispatch::rotate,
                                 planning::KeepRuns::yes)
           .runs) {
    const bool is_post = run.kind == planning::MonthRun::RunKind::post;
    starts.push_back({run.start, is_post, static_cast<Count>(run.scenario), run.month,
                      is_post ? 1 : grouping.groups[run.group], is_post ? 0 : run.group});
  }
  std::ranges::sort(starts);
  return starts;
}

// What the groups of a daemon start when everything takes exactly as long as it should.
class FakeCluster {
 public:
  FakeCluster(const planning::MonthProblem& problem, const planning::Grouping& grouping)
      : problem_(problem), groups_(problem, grouping) {
    for (Count s = 0; s < problem.scenarios; ++s) {
      load_.scenarios.push_back({.request = {"r", "a"}, .scenario = s, .months = problem.months});
    }
  }

  std::vector<Started> run() {
    for (start(0); !ends_.empty();) {
      const Time now = ends_.begin()->first.first;
      while (!ends_.empty() && ends_.begin()->first.first == now) {
        const Started ended = ends_.begin()->second;
        ends_.erase(ends_.begin());
        end(ended);
      }
      start(now);
    }
    std::ranges::sort(starts_);
    return starts_;
  }

 private:
  void start(Time now) {
    load_.waiting_posts = posts_.size();
    const MonthRules rules{.processors = problem_.processors, .posts_at_once = 1000};
    const MonthStarts starts = groups_.start(load_, rules);
    for (const auto& [place, processors, group] : starts.mains) {
      ReadyScenario& one = load_.scenarios[place];
      one.runs = true;
      one.processors = processors;
      begin({now, false, one.scenario, one.done, processors, group}, problem_.time_of(processors));
    }
    for (std::size_t i = 0; i < starts.posts; ++i) {
      ++load_.running_posts;
      begin({now, true, posts_[i].scenario, posts_[i].month, 1, 0}, problem_.post);
    }
    posts_.erase(posts_.begin(), posts_.begin() + static_cast<long>(starts.posts));
  }

  void begin(const Started& one, Duration length) {
    starts_.push_back(one);
    ends_.emplace(std::pair(one.start + length, one.scenario), one);
  }

  void end(const Started& one) {
    if (one.is_post) {
      --load_.running_posts;
      return;
    }
    ReadyScenario& scenario = load_.scenarios[static_cast<std::size_t>(one.scenario)];
    scenario.runs = false;
    ++scenario.done;
    posts_.push_back(one);
  }

  const planning::MonthProblem& problem_;
  MonthGroups groups_;
  MonthLoad load_;
  std::vector<Started> posts_;
  std::vector<Started> starts_;
  std::multimap<std::pair<Time, Count>, Started> ends_;  // those that end together by scenario
};

TEST(MonthDispatch, GroupsOfADaemonStartWhatTheSimulationPredicts) {
  int unequal = 0;
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    const planning::MonthProblem problem = random_problem(draw);
    const planning::Grouping grouping = random_grouping(draw, problem);
    ASSERT_EQ(FakeCluster(problem, grouping).run(), simulated(problem, grouping));
    const auto fair =
        planning::simulate_months(problem, grouping, planning::Dispatch::fair).makespan;
    unequal +=
        fair != planning::simulate_months(problem, grouping, planning::Dispatch::rotate).makespan
            ? 1
            : 0;
  }
  EXPECT_GT(unequal, 300) << "few groups wait for a scenario";
}

// Steps that take exactly as long as expected, on a clock of the test.
class ExactBackend final : public run::Backend {
 public:
  void start(const run::StepCommand& command) override {
    running_.emplace(now + command.expected, command.task);
  }
  void adopt(const run::StepCommand&) override {}
  void stop(std::uint32_t) override {}
  std::vector<run::StepEnd> ended() override {
    std::vector<run::StepEnd> ends;
    for (; !running_.empty() && running_.begin()->first <= now; running_.erase(running_.begin())) {
      ends.push_back({.task = running_.begin()->second});
    }
    return ends;
  }
  int descriptor() const override { return -1; }

  bool is_idle() const { return running_.empty(); }
  Time next_end() const { return running_.begin()->first; }

  Time now = 0;

 private:
  std::multimap<Time, std::uint32_t> running_;
};

class MonthsForReal : public ::testing::Test {
 protected:
  // Where nothing has to reach a disk, when there is such a place.
  static std::filesystem::path place() {
    const std::filesystem::path memory = "/dev/shm";
    std::error_code ignored;
    const bool is_usable = access(memory.c_str(), W_OK) == 0;
    return is_usable ? memory : std::filesystem::temp_directory_path(ignored);
  }

  void SetUp() override {
    std::string name = (place() / "dovetail-months-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Up to the first moment at which a scenario is complete: then a daemon chooses new groups for
  // those that are left.
  std::vector<Started> started_by_daemon(const planning::MonthProblem& problem,
                                         const std::string& case_name) {
    DaemonDescription description;
    description.processors = problem.processors;
    description.data = (folder_ / case_name / "data").string();
    description.posts_at_once = 1000;
    description.services = {{.name = "sum",
                             .main = {"sum"},
                             .post = {"post"},
                             .times = {.main = problem.sizes, .post = problem.post}}};
    ExactBackend backend;
    MonthRunner runner({.name = "azur",
                        .description = description,
                        .times = [](const Service& service) { return service.times; }},
                       run::RunFolder::create((folder_ / case_name).string(), "azur"),
                       {.months = backend, .workflows = backend});
    MonthRequest asked{.id = "r", .experiment = "e", .client = "a", .service = "sum"};
    asked.months = problem.months;
    for (Count s = 1; s <= problem.scenarios; ++s) asked.scenarios.push_back({.number = s});
    runner.submit(asked);
    std::vector<Started> starts;
    for (;;) {
      auto ended = runner.ended();
      std::ranges::sort(ended, {}, [](const auto& one) { return one.step.scenario; });
      MonthRunner::settle(ended);
      const std::uint32_t first = runner.state().next_number();
      runner.step(ended);
      const MonthRequest& request = runner.state().requests().front();
      const bool is_one_complete = std::ranges::any_of(
          request.scenarios, [&](const Scenario& one) { return one.done == problem.months; });
      if (is_one_complete) break;
      for (const auto& [number, step] : runner.state().running()) {
        if (number < first) continue;
        const bool is_post = step.kind == StepKind::post;
        starts.push_back(
            {backend.now, is_post, step.scenario - 1, step.month - 1, step.processors, 0});
      }
      if (backend.is_idle()) break;
      backend.now = backend.next_end();
    }
    std::ranges::sort(starts);
    return starts;
  }

  std::filesystem::path folder_;
};

TEST_F(MonthsForReal, ADaemonStartsWhatItPredicted) {
  std::size_t compared = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    planning::MonthProblem problem = random_problem(draw);
    problem.scenarios = draw(2, 5);
    problem.months = draw(2, 10);
    const planning::Grouping grouping =
        planning::best_grouping(problem, planning::Dispatch::rotate);
    const auto done = planning::simulate_months(problem, grouping, planning::Dispatch::rotate,
                                                planning::KeepRuns::yes)
                          .runs;
    Time first_complete = kForever;
    for (const planning::MonthRun& run : done) {
      const bool is_last =
          run.kind == planning::MonthRun::RunKind::main && run.month == problem.months - 1;
      if (is_last) first_complete = std::min(first_complete, run.end);
    }
    std::vector<Started> expected = simulated(problem, grouping);
    std::erase_if(expected, [&](const Started& one) { return one.start >= first_complete; });
    for (Started& one : expected) one.group = 0;  // a daemon's steps know their size
    std::ranges::sort(expected);
    ASSERT_EQ(started_by_daemon(problem, std::to_string(seed)), expected);
    compared += expected.size();
  }
  EXPECT_GT(compared, 5000U);
}

}  // namespace
}  // namespace dovetail::federation
