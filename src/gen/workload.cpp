#include "gen/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

#include "core/mapped.hpp"
#include "gen/task_times.hpp"

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
  const std::vector<std::uint32_t> drawn =
      draw_users(mapped(jobs, &WorkloadJob::procs), users, random);
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

// The users of a size class, with the running sum of their weights.
struct Club {
  std::vector<std::uint32_t> users;
  std::vector<double> weight_up_to;

  double weight() const { return weight_up_to.empty() ? 0 : weight_up_to.back(); }

  void join(std::uint32_t user, double user_weight) {
    users.push_back(user);
    weight_up_to.push_back(weight() + user_weight);
  }

  std::uint32_t draw(Random& random) const {
    const double at = random.uniform(0, weight());
    const auto found = std::upper_bound(weight_up_to.begin(), weight_up_to.end(), at);
    const auto position = static_cast<std::size_t>(found - weight_up_to.begin());
    return users[std::min(position, users.size() - 1)];
  }
};

std::vector<double> class_shares(std::span<const Count> procs) {
  std::vector<double> shares;
  for (const Count count : procs) {
    const std::size_t c = size_class(count);
    if (c >= shares.size()) shares.resize(c + 1);
    shares[c] += 1.0 / static_cast<double>(procs.size());
  }
  return shares;
}

// Starting with the busiest user, each joins the class whose share of the jobs is least covered.
std::vector<Club> form_clubs(std::vector<double> missing, std::uint32_t users) {
  double total = 0;
  for (std::uint32_t user = 1; user <= users; ++user) total += 1.0 / user;
  std::vector<Club> clubs(missing.size());
  for (std::uint32_t user = 1; user <= users; ++user) {
    const auto c = static_cast<std::size_t>(std::max_element(missing.begin(), missing.end()) -
                                            missing.begin());
    const double weight = 1.0 / user / total;
    clubs[c].join(user, weight);
    missing[c] -= weight;
  }
  return clubs;
}

// For each class, the class whose users submit its jobs.
std::vector<std::size_t> responsible(const std::vector<Club>& clubs) {
  std::vector<std::size_t> result(clubs.size());
  const auto first = std::find_if(clubs.begin(), clubs.end(),
                                  [](const Club& club) { return !club.users.empty(); });
  auto last = static_cast<std::size_t>(first - clubs.begin());
  for (std::size_t c = 0; c < clubs.size(); ++c) {
    if (!clubs[c].users.empty()) last = c;
    result[c] = last;
  }
  return result;
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
  const std::vector<Duration> requests =
      make_requests(spec, mapped(jobs, &LublinJob::run), random.split(kRequestStream));

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

std::size_t size_class(Count procs) {
  assert(procs >= 1);
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(procs - 1)));
}

std::vector<std::uint32_t> draw_users(std::span<const Count> procs, std::uint32_t users,
                                      Random& random) {
  assert(users >= 1);
  if (procs.empty()) return {};
  const std::vector<Club> clubs = form_clubs(class_shares(procs), users);
  const std::vector<std::size_t> club_of = responsible(clubs);
  return mapped(procs, [&](Count count) { return clubs[club_of[size_class(count)]].draw(random); });
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
