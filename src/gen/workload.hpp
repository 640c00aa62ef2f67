// A synthetic batch workload: jobs of the Lublin-Feitelson model with requested times and users, as
// a log in SWF or as a JSON job list.
//
//   Workload workload = make_workload({.seed = 7, .lublin = {.processors = 128, .jobs = 20'000}});
//   write_file("log.swf", format_swf(to_swf(workload)));
//
// Jobs, requests and users have separate random streams: changing how requests are made leaves the
// jobs unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/lublin.hpp"
#include "gen/tsafrir.hpp"
#include "io/formats/swf.hpp"

namespace dovetail::gen {

enum class RequestKind { tsafrir, exact, factor };

std::string_view to_string(LublinTypes types);
std::string_view to_string(RequestKind kind);

struct WorkloadSpec {
  std::uint64_t seed = 1;
  LublinSpec lublin = {};
  std::optional<double> load = {};  // stretches the submit times to this offered load
  RequestKind requests = RequestKind::tsafrir;
  // The queue's limit. Longer runs are cut to it before the load is set, and no request exceeds it.
  Duration longest_request = 18LL * 3'600'000;
  TsafrirOptions tsafrir = {};
  FactorOptions factor = {};
  std::uint32_t users = 0;  // 0: unknown
};

struct WorkloadJob {
  Time submit = 0;
  Duration run = 0;
  Duration request = 0;  // at least the run
  Count procs = 0;
  std::int64_t user = -1;
  friend bool operator==(const WorkloadJob&, const WorkloadJob&) = default;
};

struct Workload {
  WorkloadSpec spec;
  std::vector<WorkloadJob> jobs;  // by submit time
};

// Throws InputError for a spec out of range, and when the runs do not fit under the requests.
Workload make_workload(const WorkloadSpec& spec);

// The options of `dovetail generate workload` that reproduce the workload.
std::string generate_options(const WorkloadSpec& spec);

// The size class of a job: 1, 2, 3-4, 5-8, 9-16, ... processors are the classes 0, 1, 2, ...
std::size_t size_class(Count procs);

// A user, 1..users, for each job: a few submit many jobs, many submit few, and each user's jobs
// have about the same size. User r submits about 1/r as many as user 1 (Zipf's law with exponent
// 1). Each belongs to one size class, as far as the classes' shares of the jobs allow. Jobs of a
// class too rare to have its own users go to the users of the nearest smaller class, else of the
// nearest larger one. Needs at least one user, and jobs of at least one processor.
std::vector<std::uint32_t> draw_users(std::span<const Count> procs, std::uint32_t users,
                                      Random& random);

// Includes a header that says how the log was made.
io::SwfLog to_swf(const Workload& workload);

// {"nodes": N, "jobs": [{"id", "submit", "run", "req", "nodes"}, ...]}, times in seconds. The
// format has no users.
std::string format_job_list(const Workload& workload);

}  // namespace dovetail::gen
