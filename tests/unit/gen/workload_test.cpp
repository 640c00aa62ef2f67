#include "gen/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "support/file_checks.hpp"
#include "support/fingerprint.hpp"

namespace dovetail::gen {
namespace {

constexpr Duration kHour = 3'600'000;

WorkloadSpec small_spec() {
  WorkloadSpec spec;
  spec.seed = 5;
  spec.lublin = {.types = LublinTypes::single, .processors = 64, .jobs = 2000};
  return spec;
}

TEST(Workload, JobsFitTheMachineTheLimitAndTheirRequests) {
  for (const RequestKind kind : {RequestKind::tsafrir, RequestKind::exact, RequestKind::factor}) {
    WorkloadSpec spec = small_spec();
    spec.requests = kind;
    spec.longest_request = 4 * kHour;
    const Workload workload = make_workload(spec);
    ASSERT_EQ(workload.jobs.size(), 2000U);
    Time last = 0;
    for (const WorkloadJob& job : workload.jobs) {
      ASSERT_GE(job.submit, last);
      ASSERT_GE(job.run, 1000);
      ASSERT_GE(job.request, job.run);
      ASSERT_LE(job.request, 4 * kHour);
      ASSERT_GE(job.procs, 1);
      ASSERT_LE(job.procs, 64);
      ASSERT_EQ(job.user, -1);
      last = job.submit;
    }
  }
}

TEST(Workload, RequestsAndUsersLeaveTheJobsAsTheyAre) {
  const Workload plain = make_workload(small_spec());
  WorkloadSpec spec = small_spec();
  spec.requests = RequestKind::factor;
  spec.users = 30;
  const Workload other = make_workload(spec);
  bool same_requests = true;
  for (std::size_t i = 0; i < plain.jobs.size(); ++i) {
    EXPECT_EQ(plain.jobs[i].submit, other.jobs[i].submit);
    EXPECT_EQ(plain.jobs[i].run, other.jobs[i].run);
    EXPECT_EQ(plain.jobs[i].procs, other.jobs[i].procs);
    same_requests = same_requests && plain.jobs[i].request == other.jobs[i].request;
  }
  EXPECT_FALSE(same_requests);
}

TEST(Workload, ExactRequestsAreTheRunTimes) {
  WorkloadSpec spec = small_spec();
  spec.requests = RequestKind::exact;
  for (const WorkloadJob& job : make_workload(spec).jobs) EXPECT_EQ(job.request, job.run);
}

TEST(Workload, ReachesTheLoadAfterLongRunsAreCut) {
  WorkloadSpec spec = small_spec();
  spec.load = 0.9;
  spec.longest_request = 4 * kHour;
  const Workload workload = make_workload(spec);
  double area = 0;
  Duration longest = 0;
  for (const WorkloadJob& job : workload.jobs) {
    area += to_seconds(job.run) * job.procs;
    longest = std::max(longest, job.run);
  }
  EXPECT_NEAR(area / (to_seconds(workload.jobs.back().submit) * 64), 0.9, 1e-3);
  EXPECT_EQ(longest, 4 * kHour);
}

TEST(Workload, IsTheSameForTheSameSeedOnly) {
  const auto print = [](std::uint64_t seed) {
    WorkloadSpec spec = small_spec();
    spec.seed = seed;
    spec.users = 20;
    testing::Fingerprint fingerprint;
    for (const WorkloadJob& job : make_workload(spec).jobs) {
      fingerprint.add(job.submit).add(job.run).add(job.request).add(job.procs).add(job.user);
    }
    return fingerprint.value();
  };
  EXPECT_EQ(print(5), 2055641452299005872ULL);
  EXPECT_NE(print(5), print(6));
}

TEST(Workload, SwfHoldsWhatReplayNeeds) {
  WorkloadSpec spec = small_spec();
  spec.users = 20;
  const Workload workload = make_workload(spec);
  const io::SwfLog log = io::parse_swf(io::format_swf(to_swf(workload)), "log.swf");
  ASSERT_EQ(log.jobs.size(), 2000U);
  for (std::size_t i = 0; i < log.jobs.size(); ++i) {
    io::SwfJob expected;
    expected.number = static_cast<std::int64_t>(i) + 1;
    expected.submit = to_seconds(workload.jobs[i].submit);
    expected.run = to_seconds(workload.jobs[i].run);
    expected.allocated_processors = workload.jobs[i].procs;
    expected.requested_processors = workload.jobs[i].procs;
    expected.requested_time = to_seconds(workload.jobs[i].request);
    expected.status = 1;
    expected.user = workload.jobs[i].user;
    ASSERT_EQ(log.jobs[i], expected) << "job " << i + 1;
  }
}

TEST(Workload, SwfHeaderSaysHowItWasMade) {
  WorkloadSpec spec = small_spec();
  spec.load = 0.7;
  spec.users = 20;
  spec.tsafrir.longest_percent = 10;
  const io::SwfHeader header = to_swf(make_workload(spec)).header;
  EXPECT_EQ(header.find("Version"), "2.2");
  EXPECT_TRUE(header.find("Computer").has_value());
  EXPECT_EQ(header.integer("MaxJobs"), 2000);
  EXPECT_EQ(header.integer("MaxRecords"), 2000);
  EXPECT_EQ(header.max_nodes(), 64);
  EXPECT_EQ(header.max_procs(), 64);
  EXPECT_EQ(header.integer("MaxRuntime"), 64'800);
  EXPECT_EQ(header.entries().back(),
            std::pair(std::string("Note"),
                      std::string("dovetail generate workload --types single --nodes 64 --jobs "
                                  "2000 --load 0.7 --requests tsafrir --max-request 18h "
                                  "--max-share 10 --users 20 --seed 5")));
  spec.requests = RequestKind::factor;
  spec.factor = {.factor = 1.5, .round_up = true};
  spec.users = 0;
  EXPECT_EQ(generate_options(spec),
            "--types single --nodes 64 --jobs 2000 --load 0.7 --requests factor --max-request 18h "
            "--factor 1.5 --round-up --seed 5");
}

TEST(Workload, JobListHasTheFiveFields) {
  WorkloadSpec spec = small_spec();
  spec.lublin.jobs = 3;
  const Workload workload = make_workload(spec);
  const auto json = nlohmann::json::parse(format_job_list(workload));
  EXPECT_EQ(json.at("nodes"), 64);
  ASSERT_EQ(json.at("jobs").size(), 3U);
  EXPECT_EQ(json["jobs"][2], (nlohmann::json{{"id", 3},
                                             {"submit", workload.jobs[2].submit / 1000},
                                             {"run", workload.jobs[2].run / 1000},
                                             {"req", workload.jobs[2].request / 1000},
                                             {"nodes", workload.jobs[2].procs}}));
}

TEST(Workload, RefusesWhatIsOutOfRange) {
  const auto error = [](auto change) {
    WorkloadSpec spec = small_spec();
    change(spec);
    return testing::error_of([&] { make_workload(spec); });
  };
  EXPECT_EQ(error([](WorkloadSpec& s) { s.lublin.jobs = 0; }),
            "jobs is 0; it must be between 1 and 10000000");
  EXPECT_EQ(error([](WorkloadSpec& s) { s.load = 0; }),
            "load is 0; it must be between 0.001 and 1000");
  EXPECT_EQ(error([](WorkloadSpec& s) { s.users = 2'000'000; }),
            "users is 2000000; it must be between 0 and 1000000");
  EXPECT_EQ(error([](WorkloadSpec& s) {
              s.requests = RequestKind::exact;
              s.longest_request = 1000;
            }),
            "the longest request is 1s; it must be between 1h and 400d");
}

// The run times of batch jobs are a wide part around e^5.4 seconds and a narrow one around e^9.97.
TEST(Workload, BatchRunTimesHaveTwoParts) {
  WorkloadSpec spec = small_spec();
  spec.lublin = {.types = LublinTypes::batch, .jobs = 20'000};
  spec.longest_request = 100 * kHour;
  std::map<int, int> by_log;
  for (const WorkloadJob& job : make_workload(spec).jobs) {
    ++by_log[static_cast<int>(std::floor(2 * std::log(to_seconds(job.run))))];
  }
  EXPECT_GT(by_log[19], 2 * by_log[17]) << "e^9.5 to e^10 against e^8.5 to e^9";
  EXPECT_GT(by_log[10], by_log[5]);
  EXPECT_GT(by_log[10], by_log[16]);
}

}  // namespace
}  // namespace dovetail::gen
