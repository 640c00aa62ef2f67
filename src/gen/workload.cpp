#include "gen/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gen/task_times.hpp"
#include "gen/users.hpp"

namespace dovetail::gen {
namespace {

// Each has its own random stream.
constexpr std::uint64_t kJobStream = 0;
constexpr std::uint64_t kRequestStream = 1;
constexpr std::uint64_t kUserStream = 2;

constexpr std::uint32_t kMaxUsers = 1'000'000;

std::vector<LublinJob> make_jobs(const WorkloadSpec& spec, Random random) {
  std::vector<LublinJob> jobs = lublin_log(spec.lublin, random);
  for (LublinJob& job : jobs) job.run = std::min(job.run, spec.longest_request);
  if (spec.load) scale_to_load(jobs, spec.lublin.processors, *spec.load);
  return jobs;
}

std::vector<Duration> make_requests(const WorkloadSpec& spec, const std::vector<Duration>& runs,
                                    Random random) {
  if (spec.requests == RequestKind::exact) return runs;
  if (spec.requests == RequestKind::factor) {
    return factor_requests(runs, spec.longest_request, spec.factor, random);
  }
  return tsafrir_requests(runs, spec.longest_request, spec.tsafrir, random);
}

void add_users(std::vector<WorkloadJob>& jobs, std::uint32_t users, Random random) {
  std::vector<Count> procs;
  procs.reserve(jobs.size());
  for (const WorkloadJob& job : jobs) procs.push_back(job.procs);
  const std::vector<std::uint32_t> drawn = draw_users(procs, users, random);
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].user = drawn[i];
}

io::SwfHeader make_header(const Workload& workload) {
  const std::string processors = std::to_string(workload.spec.lublin.processors);
  const std::string jobs = std::to_string(workload.jobs.size());
  io::SwfHeader header;
  header.add("Version", "2.2");
  header.add("Computer", "synthetic, " + processors + " nodes of one processor");
  header.add("MaxJobs", jobs);
  header.add("MaxRecords", jobs);
  header.add("MaxNodes", processors);
  header.add("MaxProcs", processors);
  header.add("MaxRuntime", format_seconds(workload.spec.longest_request));
  header.add("Note", "jobs by the model of Lublin and Feitelson, 2003");
  if (workload.spec.requests == RequestKind::tsafrir) {
    header.add("Note", "requested times by the model of Tsafrir, Etsion and Feitelson, 2005");
  }
  header.add("Note", "dovetail generate workload " + generate_options(workload.spec));
  return header;
}

}  // namespace

std::string_view to_string(LublinTypes types) {
  constexpr std::string_view kNames[] = {"single", "batch", "interactive", "both"};
  return kNames[static_cast<std::size_t>(types)];
}

std::string_view to_string(RequestKind kind) {
  constexpr std::string_view kNames[] = {"tsafrir", "exact", "factor"};
  return kNames[static_cast<std::size_t>(kind)];
}

Workload make_workload(const WorkloadSpec& spec) {
  check_range("users", spec.users, 0, kMaxUsers);
  check_longest_request(spec.longest_request);
  const Random random(spec.seed);
  const std::vector<LublinJob> jobs = make_jobs(spec, random.split(kJobStream));
  std::vector<Duration> runs;
  runs.reserve(jobs.size());
  for (const LublinJob& job : jobs) runs.push_back(job.run);
  const std::vector<Duration> requests = make_requests(spec, runs, random.split(kRequestStream));

  Workload workload{spec, {}};
  workload.jobs.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    workload.jobs.push_back({jobs[i].submit, jobs[i].run, requests[i], jobs[i].procs});
  }
  if (spec.users > 0) add_users(workload.jobs, spec.users, random.split(kUserStream));
  return workload;
}

std::string generate_options(const WorkloadSpec& spec) {
  std::string options = fmt::format("--types {} --nodes {} --jobs {}", to_string(spec.lublin.types),
                                    spec.lublin.processors, spec.lublin.jobs);
  if (spec.load) options += fmt::format(" --load {}", *spec.load);
  options += fmt::format(" --requests {} --max-request {}", to_string(spec.requests),
                         exact_duration(spec.longest_request));
  if (spec.requests == RequestKind::tsafrir && spec.tsafrir.longest_percent) {
    options += fmt::format(" --max-share {}", *spec.tsafrir.longest_percent);
  }
  if (spec.requests == RequestKind::factor) {
    options += fmt::format(" --factor {}", spec.factor.factor);
    if (spec.factor.round_up) options += " --round-up";
  }
  if (spec.users > 0) options += fmt::format(" --users {}", spec.users);
  return options + fmt::format(" --seed {}", spec.seed);
}

io::SwfLog to_swf(const Workload& workload) {
  io::SwfLog log{make_header(workload), {}};
  log.jobs.reserve(workload.jobs.size());
  for (const WorkloadJob& job : workload.jobs) {
    io::SwfJob line;
    line.number = static_cast<std::int64_t>(log.jobs.size()) + 1;
    line.submit = to_seconds(job.submit);
    line.run = to_seconds(job.run);
    line.allocated_processors = job.procs;
    line.requested_processors = job.procs;
    line.requested_time = to_seconds(job.request);
    line.status = 1;
    line.user = job.user;
    log.jobs.push_back(line);
  }
  return log;
}

std::string format_job_list(const Workload& workload) {
  std::string out = fmt::format("{{\"nodes\":{},\"jobs\":[", workload.spec.lublin.processors);
  std::size_t id = 0;
  for (const WorkloadJob& job : workload.jobs) {
    out += id++ == 0 ? "\n" : ",\n";
    fmt::format_to(std::back_inserter(out),
                   R"({{"id":{},"submit":{},"run":{},"req":{},"nodes":{}}})", id,
                   format_seconds(job.submit), format_seconds(job.run), format_seconds(job.request),
                   job.procs);
  }
  return out + "\n]}\n";
}

}  // namespace dovetail::gen
