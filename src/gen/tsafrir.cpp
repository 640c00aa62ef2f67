#include "gen/tsafrir.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "dovetail/error.hpp"
#include "gen/task_times.hpp"

namespace dovetail::gen {
namespace {

// The head: the values that nearly all jobs use. The other values, the tail, share the rest.
constexpr std::size_t kHead = 20;
constexpr double kHeadPercent = 89;
constexpr double kTailPercent = 100 - kHeadPercent;

// The popularity rank of the head's values in four logs, by position in time; row 0 is the longest
// request. Every log uses each rank once.
constexpr std::array<std::array<int, 4>, kHead> kRanksByPosition = {
    {{3, 1, 1, 1},     {1, 3, 4, 6},     {4, 4, 10, 5},    {17, 2, 14, 3},  {13, 12, 20, 7},
     {7, 9, 2, 2},     {8, 8, 3, 18},    {18, 18, 7, 19},  {2, 6, 12, 4},   {6, 7, 6, 11},
     {16, 11, 19, 20}, {10, 20, 5, 9},   {5, 16, 18, 10},  {15, 5, 16, 14}, {14, 14, 9, 13},
     {19, 13, 17, 16}, {11, 10, 15, 15}, {12, 15, 13, 17}, {9, 17, 8, 8},   {20, 19, 11, 12}}};

// The last position at which some log has the rank.
std::size_t last_position(int rank) {
  std::size_t last = 0;
  for (std::size_t position = 0; position < kHead; ++position) {
    const auto& row = kRanksByPosition[position];
    if (std::find(row.begin(), row.end(), rank) != row.end()) last = position;
  }
  return last;
}

// Ranks for the values of the head: element 0 for the longest request, the others by time. A rank
// is drawn from those that the logs have at this position or an earlier one. Drawing twice favours
// the more popular rank; a rank at its last possible position is used first.
std::vector<int> draw_ranks(Random& random) {
  std::vector<int> ranks = {1};
  std::vector<int> pool(kRanksByPosition[0].begin(), kRanksByPosition[0].end());
  for (std::size_t position = 1; position < kHead; ++position) {
    const auto& row = kRanksByPosition[position];
    pool.insert(pool.end(), row.begin(), row.end());
    std::erase_if(
        pool, [&](int rank) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); });
    int rank = static_cast<int>(kHead) + 1;
    for (const int due : pool) {
      if (last_position(due) <= position) rank = std::min(rank, due);
    }
    if (rank > static_cast<int>(kHead)) {
      const int first = pool[random.below(pool.size())];
      rank = std::min(first, pool[random.below(pool.size())]);
    }
    ranks.push_back(rank);
  }
  return ranks;
}

// The share of the jobs that use the value of rank 1..20.
double head_percent(int rank) {
  const auto published = [](int r) { return 14.0491 * std::exp(-0.177531 * r) + 0.462513; };
  if (rank > 1) return published(rank);
  double others = 0;
  for (int r = 2; r <= static_cast<int>(kHead); ++r) others += published(r);
  return kHeadPercent - others;
}

struct Share {
  Duration request = 0;
  double percent = 0;
};

// With fewer than 20 values, only the most popular ones are used.
std::vector<Share> head_shares(Duration longest, std::size_t values, Random& random) {
  const std::vector<Duration> by_time = popular_requests(longest);
  const std::vector<int> ranks = draw_ranks(random);
  std::vector<Share> shares = {{longest, head_percent(1)}};
  for (std::size_t position = 1; position < kHead; ++position) {
    if (static_cast<std::size_t>(ranks[position]) > values) continue;
    shares.push_back({by_time[position - 1], head_percent(ranks[position])});
  }
  return shares;
}

// The time itself, or an unused one near it; nothing when there is none.
std::optional<Duration> unused_near(Duration time, Duration longest,
                                    const std::set<Duration>& used) {
  for (const Duration shift : {0, 30, -30, 20, -20, 10, -10}) {
    const Duration near = time + shift * kSecond;
    if (near > 0 && near < longest && !used.contains(near)) return near;
  }
  return std::nullopt;
}

// The values outside the head, denser where they are short.
std::vector<Duration> tail_values(Duration longest, std::size_t values, std::set<Duration> used) {
  std::vector<Duration> tail;
  const double count = static_cast<double>(values - kHead);
  const double a = 1 + 12.1039 * std::pow(static_cast<double>(values), -0.6026);
  for (double i = 1; i <= count; ++i) {
    const double x = i / count;
    const double minutes = static_cast<double>(longest) / kMinute * (a - 1) * x / (a - x);
    const auto time = unused_near(std::llround(minutes) * kMinute, longest, used);
    if (!time) continue;
    used.insert(*time);
    tail.push_back(*time);
  }
  return tail;
}

template <typename T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

void add_tail(std::vector<Share>& shares, Duration longest, std::size_t values, Random& random) {
  if (values <= kHead) return;
  std::set<Duration> used;
  for (const Share& share : shares) used.insert(share.request);
  std::vector<Duration> tail = tail_values(longest, values, std::move(used));
  shuffle(tail, random);
  const auto weight = [](std::size_t rank) {
    return 795.6 * std::pow(static_cast<double>(rank), -2.267);
  };
  double sum = 0;
  for (std::size_t i = 0; i < tail.size(); ++i) sum += weight(kHead + 1 + i);
  for (std::size_t i = 0; i < tail.size(); ++i) {
    shares.push_back({tail[i], weight(kHead + 1 + i) / sum * kTailPercent});
  }
}

// Makes the shares add up to 100, with the given percentage for the first.
void normalise(std::vector<Share>& shares, double first_percent) {
  double others = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) others += shares[i].percent;
  shares[0].percent = others > 0 ? first_percent : 100;
  for (std::size_t i = 1; i < shares.size(); ++i) {
    shares[i].percent *= (100 - first_percent) / others;
  }
}

// With few jobs there is no tail, and the published shares of the head grow in proportion.
double published_first_percent(const std::vector<Share>& shares) {
  double sum = 0;
  for (const Share& share : shares) sum += share.percent;
  return shares[0].percent / sum * 100;
}

// At least one job each. The rounding error is taken from or added to the largest bins, one job
// each, round after round.
std::vector<RequestBin> count_jobs(std::vector<Share> shares, std::size_t jobs) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.percent > b.percent; });
  std::vector<RequestBin> bins;
  std::size_t sum = 0;
  for (const Share& share : shares) {
    const double exact = share.percent * static_cast<double>(jobs) / 100;
    const auto count = static_cast<std::size_t>(std::max(1LL, std::llround(exact)));
    bins.push_back({share.request, count});
    sum += count;
  }
  for (std::size_t i = 0; sum != jobs; i = (i + 1) % bins.size()) {
    if (sum < jobs) {
      ++bins[i].jobs;
      ++sum;
    } else if (bins[i].jobs > 1) {
      --bins[i].jobs;
      --sum;
    }
  }
  return bins;
}

}  // namespace

void check_longest_request(Duration longest) {
  if (longest >= kMinLongestRequest && longest <= kMaxLongestRequest) return;
  throw InputError(fmt::format("the longest request is {}; it must be between {} and {}",
                               format_duration(longest), format_duration(kMinLongestRequest),
                               format_duration(kMaxLongestRequest)));
}

std::size_t distinct_requests(std::size_t jobs) {
  struct CurvePoint {
    double jobs, values;
  };
  constexpr std::array<CurvePoint, 7> kCurve = {
      {{0, 0}, {20, 10}, {200, 20}, {1000, 35}, {10'000, 90}, {70'000, 340}, {250'000, 565}}};
  const double at = std::min(static_cast<double>(jobs), kCurve.back().jobs);
  std::size_t i = 1;
  while (kCurve[i].jobs < at) ++i;
  const CurvePoint& a = kCurve[i - 1];
  const CurvePoint& b = kCurve[i];
  const double values = a.values + (b.values - a.values) * (at - a.jobs) / (b.jobs - a.jobs);
  return static_cast<std::size_t>(std::max(1LL, std::llround(values)));
}

std::vector<Duration> popular_requests(Duration longest) {
  check_longest_request(longest);
  std::set<Duration> values = {longest};
  const auto add = [&](Duration value) {
    if (values.size() < kHead && value < longest) values.insert(value);
  };
  for (const Duration minutes : {5, 10, 15, 20, 30}) add(minutes * kMinute);
  for (const Duration hours : {1, 2, 3, 4, 5, 6, 8, 10, 12, 18}) add(hours * kHour);
  // Single minutes serve limits under 100 minutes, which have fewer than 20 multiples of five.
  for (const Duration minutes : {12'000, 6'000, 3'000, 600, 300, 120, 60, 20, 10, 5, 1}) {
    const Duration step = minutes * kMinute;
    for (Duration value = longest / step * step; value > 0 && values.size() < kHead;
         value -= step) {
      add(value);
    }
  }
  return {values.begin(), values.end()};
}

std::vector<RequestBin> tsafrir_distribution(std::size_t jobs, Duration longest,
                                             const TsafrirOptions& options, Random& random) {
  check_longest_request(longest);
  if (options.longest_percent) {
    check_range("the percentage of the longest request", *options.longest_percent, 0.1, 99.9);
  }
  if (jobs == 0) return {};
  const std::size_t values = distinct_requests(jobs);
  std::vector<Share> shares = head_shares(longest, values, random);
  add_tail(shares, longest, values, random);
  normalise(shares, options.longest_percent.value_or(published_first_percent(shares)));
  std::vector<RequestBin> bins = count_jobs(std::move(shares), jobs);
  std::sort(bins.begin(), bins.end(),
            [](const RequestBin& a, const RequestBin& b) { return a.request < b.request; });
  return bins;
}

std::vector<Duration> assign_requests(std::span<const Duration> runs,
                                      std::vector<Duration> requests, Random& random) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a] > runs[b]; });
  std::sort(requests.begin(), requests.end(), std::greater<>());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Duration run = runs[order[k]];
    if (requests[k] >= run) continue;
    const auto as_long =
        std::count_if(runs.begin(), runs.end(), [&](Duration r) { return r >= run; });
    throw InputError(
        fmt::format("requests: {} jobs run for {} or longer, but only {} requests are that long; "
                    "raise the longest request or the share of jobs that ask for it",
                    as_long, format_duration(run), k));
  }
  // The requests before `enough` suffice for the current job; those after it are still sorted, so
  // `enough` only grows from job to job.
  std::size_t enough = 0;
  std::vector<Duration> result(runs.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    while (enough < requests.size() && requests[enough] >= runs[order[j]]) ++enough;
    std::swap(requests[j], requests[j + random.below(enough - j)]);
    result[order[j]] = requests[j];
  }
  return result;
}

std::vector<Duration> tsafrir_requests(std::span<const Duration> runs, Duration longest,
                                       const TsafrirOptions& options, Random& random) {
  std::vector<Duration> requests;
  requests.reserve(runs.size());
  for (const RequestBin& bin : tsafrir_distribution(runs.size(), longest, options, random)) {
    requests.insert(requests.end(), bin.jobs, bin.request);
  }
  std::vector<Duration> cut(runs.begin(), runs.end());
  for (Duration& run : cut) run = std::min(run, longest);
  return assign_requests(cut, std::move(requests), random);
}

std::vector<Duration> factor_requests(std::span<const Duration> runs, Duration longest,
                                      const FactorOptions& options, Random& random) {
  check_range("the factor", options.factor, 0, 1e6);
  const std::vector<Duration> popular = popular_requests(longest);
  std::vector<Duration> requests;
  requests.reserve(runs.size());
  for (const Duration run : runs) {
    const double seconds =
        std::ceil(to_seconds(run) * (1 + random.uniform01() * options.factor) - 1e-6);
    const Duration request = std::min(longest, time_ceil(std::min(seconds, kMaxSeconds)));
    requests.push_back(options.round_up ? *std::lower_bound(popular.begin(), popular.end(), request)
                                        : request);
  }
  return requests;
}

}  // namespace dovetail::gen
