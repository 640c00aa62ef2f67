#include "gen/lublin.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gen/task_times.hpp"

namespace dovetail::gen {
namespace {

// The published constants for one kind of job, in the paper's symbols.
struct Parameters {
  double p_serial, p_pow2;            // share of serial jobs, of powers of two
  double u_low, u_med, u_hi, u_prob;  // log2 of the size: two-stage uniform, for 128 processors
  double a1, b1, a2, b2, pa, pb;      // ln of the run time: two gammas, mixed by size
  double a_arr, b_arr, a_num, b_num;  // ln of the gap; daily cycle
  double arar;  // ratio of the arrival rate in the rush hours to the overall rate
};

constexpr Parameters kBatch = {0.2927, 0.6686, 1.2,    5,      7,      0.875,  6.57,   0.823, 639.1,
                               0.0156, -0.003, 0.6986, 6.0415, 0.8531, 6.1271, 5.2740, 1.0519};
constexpr Parameters kInteractive = {0.1541, 0.625,  1,      3,      5.5,     0.705,
                                     3.8351, 0.6605, 7.073,  0.6856, -0.0118, 0.9156,
                                     6.5510, 0.6621, 8.9186, 3.6680, 0.9797};
constexpr Parameters kSingle = {0.244, 0.576,   0.8,  4.5,     7,      0.86,   4.2,    0.94,  312,
                                0.03,  -0.0054, 0.78, 10.2303, 0.4871, 8.1737, 3.9631, 1.0225};

constexpr int kBuckets = 48;
constexpr double kBucketSeconds = 1800;
constexpr double kMaxLogGap = 13;      // longer gaps are drawn again
constexpr double kMaxLogRunTime = 12;  // about 45 hours

// The lower incomplete gamma function up to the factor that depends on `a` alone. The series has
// only positive terms, so it is accurate for every x.
double incomplete_gamma(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (double n = a + 1; term > sum * 1e-17; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x);
}

using DailyCycle = std::array<double, kBuckets>;

// The share of arrivals per half hour, with mean 1. The cycle starts at 05:30, bucket 11.
DailyCycle daily_cycle(double a, double b) {
  constexpr int kFirst = 11;
  DailyCycle weights{};
  double sum = 0;
  for (int i = kFirst; i < kFirst + kBuckets; ++i) {
    const double share = incomplete_gamma(a, (i + 0.5) / b) - incomplete_gamma(a, (i - 0.5) / b);
    weights[static_cast<std::size_t>((i - 1) % kBuckets)] = share;
    sum += share;
  }
  for (double& weight : weights) weight *= kBuckets / sum;
  return weights;
}

// The arrivals of one kind of job.
class Arrivals {
 public:
  explicit Arrivals(const Parameters& p)
      : shape_(p.a_arr * p.arar), scale_(p.b_arr), weights_(daily_cycle(p.a_num, p.b_num)) {}

  // Seconds since time 0.
  double clock() const { return clock_; }

  void advance(Random& random) {
    double log_gap = random.gamma(shape_, scale_);
    while (log_gap > kMaxLogGap) log_gap = random.gamma(shape_, scale_);
    points_ += std::exp(log_gap) / kBucketSeconds;
    double gap = 0;
    while (points_ > weights_[bucket_]) {
      points_ -= weights_[bucket_];
      bucket_ = (bucket_ + 1) % kBuckets;
      gap += kBucketSeconds;
    }
    const double fraction = points_ / weights_[bucket_];
    gap += kBucketSeconds * (fraction - fraction_);
    fraction_ = fraction;
    clock_ += gap;
  }

 private:
  double shape_;
  double scale_;
  DailyCycle weights_;
  std::size_t bucket_ = 0;
  double points_ = 0;    // how much of this bucket's weight is used up
  double fraction_ = 0;  // the same as a share
  double clock_ = 0;
};

// The sizes are published for 128 processors. For other numbers the range shifts with log2, which
// keeps the distance between u_med and u_hi.
Count draw_size(const Parameters& p, Count processors, Random& random) {
  const double u = random.uniform01();
  if (u <= p.p_serial) return 1;
  const double shift = std::log2(processors) - 7;
  const double high = std::max(p.u_low, p.u_hi + shift);
  const double middle = std::max(p.u_low, p.u_med + shift);
  double x =
      random.chance(p.u_prob) ? random.uniform(p.u_low, middle) : random.uniform(middle, high);
  if (u <= p.p_serial + p.p_pow2) x = std::round(x);
  const double size = std::round(std::exp2(x));
  return static_cast<Count>(std::clamp(size, 1.0, static_cast<double>(processors)));
}

Duration draw_run_time(const Parameters& p, Count procs, Random& random) {
  const double share = std::clamp(p.pa * procs + p.pb, 0.0, 1.0);
  const bool first = random.chance(share);
  double log_run = 0;
  do {
    log_run = first ? random.gamma(p.a1, p.b1) : random.gamma(p.a2, p.b2);
  } while (log_run > kMaxLogRunTime);
  return 1000 * std::max<Duration>(1, static_cast<Duration>(std::exp(log_run)));
}

struct JobStream {
  const Parameters* parameters;
  Arrivals arrivals;
};

std::vector<JobStream> sources(LublinTypes types) {
  const auto source = [](const Parameters& p) { return JobStream{&p, Arrivals(p)}; };
  if (types == LublinTypes::both) return {source(kBatch), source(kInteractive)};
  if (types == LublinTypes::single) return {source(kSingle)};
  return {source(types == LublinTypes::batch ? kBatch : kInteractive)};
}

}  // namespace

std::vector<LublinJob> lublin_log(const LublinSpec& spec, Random& random) {
  check_range("processors", spec.processors, 1, kMaxProcessors);
  check_range("jobs", spec.jobs, 1, static_cast<double>(kMaxGeneratedTasks));
  std::vector<JobStream> kinds = sources(spec.types);
  for (JobStream& kind : kinds) kind.arrivals.advance(random);
  std::vector<LublinJob> jobs;
  jobs.reserve(spec.jobs);
  while (jobs.size() < spec.jobs) {
    JobStream& next =
        *std::min_element(kinds.begin(), kinds.end(), [](const JobStream& a, const JobStream& b) {
          return a.arrivals.clock() < b.arrivals.clock();
        });
    const Count procs = draw_size(*next.parameters, spec.processors, random);
    const Duration run = draw_run_time(*next.parameters, procs, random);
    jobs.push_back({1000 * static_cast<Time>(next.arrivals.clock()), run, procs});
    next.arrivals.advance(random);
  }
  return jobs;
}

double offered_load(const std::vector<LublinJob>& jobs, Count processors) {
  if (jobs.empty() || jobs.back().submit <= 0) return 0;
  double area = 0;
  for (const LublinJob& job : jobs) area += static_cast<double>(job.run) * job.procs;
  return area / (static_cast<double>(jobs.back().submit) * processors);
}

void scale_to_load(std::vector<LublinJob>& jobs, Count processors, double load) {
  check_range("load", load, 0.001, 1000);
  const double factor = offered_load(jobs, processors) / load;
  if (factor <= 0) return;
  for (LublinJob& job : jobs) {
    job.submit = 1000 * static_cast<Time>(to_seconds(job.submit) * factor);
  }
}

}  // namespace dovetail::gen
