// The calendar against two simpler ones on the same instances: flat arrays and a std::map.
//
// An instance is a cluster of 256 processors, about 70 % used, by bookings that were placed one
// after the other at random times, each at its earliest fit. Requests are drawn as the bookings
// were: mostly narrow and short, now and then wide or long, ready at a random time.
//
// Names are operation/structure/steps. earliest_fit/ratio runs all structures in turns on the same
// requests and reports how many times faster the calendar is (bench/README.md has the targets).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "dovetail/calendar.hpp"
#include "oracles/flat_calendar.hpp"
#include "oracles/map_calendar.hpp"

namespace dovetail::bench {
namespace {

using testing::MapCalendar;

constexpr Count kCapacity = 256;
constexpr double kLoad = 0.7;
constexpr Duration kMinute = 60'000;
constexpr Duration kDay = 1440 * kMinute;

struct Request {
  Count procs = 1;
  Duration length = 0;
  Time ready = 0;
};

class RequestSource {
 public:
  RequestSource(std::uint64_t seed, Time horizon) : engine_(seed), horizon_(horizon) {}

  // A quarter is serial, the rest a power of two up to half the cluster, small ones first; lengths
  // are spread evenly over the scale from one minute to one day.
  Request next() {
    Request request;
    if (!std::bernoulli_distribution(0.25)(engine_)) {
      request.procs = 1 << std::min(7, 1 + std::geometric_distribution<int>(0.4)(engine_));
    }
    const double exponent = std::uniform_real_distribution<double>(0.0, std::log(1440.0))(engine_);
    request.length = static_cast<Duration>(std::exp(exponent) * kMinute);
    request.ready = std::uniform_int_distribution<Time>(0, horizon_)(engine_);
    return request;
  }

 private:
  std::mt19937_64 engine_;
  Time horizon_;
};

// Changes in the same words for all structures.
void add(Calendar& calendar, Interval window, Count change) {
  change < 0 ? calendar.reserve(window, -change) : calendar.release(window, change);
}
void add(FlatCalendar& calendar, Interval window, Count change) { calendar.add(window, change); }
void add(MapCalendar& calendar, Interval window, Count change) { calendar.add(window, change); }

template <typename C>
std::optional<Time> earliest(const C& calendar, const Request& request) {
  return calendar.earliest_fit(request.procs, request.length, request.ready, kForever);
}

// How long the requests for `steps` steps have to be spread to load the cluster as wanted. Each
// booking brings about two change points.
Time horizon_for(std::size_t steps) {
  RequestSource source(1, 1);
  double area = 0;
  for (std::size_t i = 0; i < steps / 2; ++i) {
    const Request request = source.next();
    area += static_cast<double>(request.procs) * static_cast<double>(request.length);
  }
  return static_cast<Time>(area / (kLoad * kCapacity));
}

template <typename C>
C loaded(std::size_t steps) {
  C calendar(kCapacity);
  RequestSource source(1, horizon_for(steps));
  while (calendar.step_count() < steps) {
    const Request request = source.next();
    const Time start = *earliest(calendar, request);
    add(calendar, {start, start + request.length}, -request.procs);
  }
  return calendar;
}

std::vector<Request> requests_for(std::size_t steps) {
  RequestSource source(2, horizon_for(steps));
  std::vector<Request> requests(1'024);
  for (Request& request : requests) request = source.next();
  return requests;
}

std::size_t steps_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

template <typename C>
void earliest_fit(benchmark::State& state) {
  const C calendar = loaded<C>(steps_of(state));
  const std::vector<Request> requests = requests_for(steps_of(state));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(earliest(calendar, requests[i++ % requests.size()]));
  }
}

template <typename C>
void latest_fit(benchmark::State& state) {
  const C calendar = loaded<C>(steps_of(state));
  const std::vector<Request> requests = requests_for(steps_of(state));
  std::size_t i = 0;
  for (auto _ : state) {
    const Request& request = requests[i++ % requests.size()];
    benchmark::DoNotOptimize(
        calendar.latest_fit(request.procs, request.length, 0, request.ready + kDay));
  }
}

// One reserve and the release that undoes it.
template <typename C>
void reserve(benchmark::State& state) {
  C calendar = loaded<C>(steps_of(state));
  const std::vector<Request> requests = requests_for(steps_of(state));
  std::vector<Booking> bookings;
  for (const Request& request : requests) {
    const Time start = *earliest(calendar, request);
    bookings.push_back({{start, start + request.length}, request.procs});
  }
  std::size_t i = 0;
  for (auto _ : state) {
    const auto& [window, procs] = bookings[i++ % bookings.size()];
    add(calendar, window, -procs);
    add(calendar, window, procs);
  }
}

template <typename C>
void copy(benchmark::State& state) {
  const C calendar = loaded<C>(steps_of(state));
  for (auto _ : state) {
    C twin = calendar;
    benchmark::DoNotOptimize(twin);
  }
}

Count sweep_sum(const Calendar& calendar, Time from) {
  Count sum = 0;
  for (const Step& step : calendar.steps({from, kForever})) sum += step.free;
  return sum;
}

Count sweep_sum(const FlatCalendar& calendar, Time from) {
  Count sum = 0;
  calendar.sweep(from, [&sum](Time, Count free) { sum += free; });
  return sum;
}

// All steps from the origin on; the counter is steps per second.
template <typename C>
void sweep(benchmark::State& state) {
  const C calendar = loaded<C>(steps_of(state));
  for (auto _ : state) benchmark::DoNotOptimize(sweep_sum(calendar, 0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// What a planner does: copy the calendar, then place a hundred tasks one after the other.
template <typename C>
void place_100(benchmark::State& state) {
  const C calendar = loaded<C>(steps_of(state));
  const std::vector<Request> requests = requests_for(steps_of(state));
  std::size_t i = 0;
  for (auto _ : state) {
    C own = calendar;
    for (int task = 0; task < 100; ++task) {
      const Request& request = requests[i++ % requests.size()];
      const Time start = *earliest(own, request);
      add(own, {start, start + request.length}, -request.procs);
    }
    benchmark::DoNotOptimize(own);
  }
}

// Processor seconds that a calendar takes to answer all requests once. A first pass outside the
// clock brings it back into the caches that the other structures have filled meanwhile.
template <typename C>
double seconds_for(const C& calendar, const std::vector<Request>& requests) {
  for (const Request& request : requests) benchmark::DoNotOptimize(earliest(calendar, request));
  const std::clock_t start = std::clock();
  for (const Request& request : requests) benchmark::DoNotOptimize(earliest(calendar, request));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void earliest_fit_ratio(benchmark::State& state) {
  const auto calendar = loaded<Calendar>(steps_of(state));
  const auto flat = loaded<FlatCalendar>(steps_of(state));
  const auto map = loaded<MapCalendar>(steps_of(state));
  const std::vector<Request> requests = requests_for(steps_of(state));
  double ours = 0;
  double flats = 0;
  double maps = 0;
  for (auto _ : state) {
    ours += seconds_for(calendar, requests);
    flats += seconds_for(flat, requests);
    maps += seconds_for(map, requests);
  }
  const double questions =
      static_cast<double>(state.iterations()) * static_cast<double>(requests.size());
  state.counters["used"] = 1.0 - calendar.mean_free({0, horizon_for(steps_of(state))}) / kCapacity;
  state.counters["calendar_ns"] = ours / questions * 1e9;
  state.counters["map_ns"] = maps / questions * 1e9;
  state.counters["map_ratio"] = maps / ours;
  state.counters["flat_ratio"] = flats / ours;
}

template <typename C>
void add_benchmarks(const std::string& structure) {
  const auto named = [&](const char* operation, auto function) {
    return benchmark::RegisterBenchmark((std::string(operation) + "/" + structure).c_str(),
                                        function)
        ->RangeMultiplier(2)
        ->Range(1'000, 64'000);
  };
  named("earliest_fit", earliest_fit<C>)->Arg(10'000);
  named("latest_fit", latest_fit<C>)->Arg(10'000);
  named("reserve_release", reserve<C>)->Arg(10'000);
  named("copy", copy<C>)->Arg(10'000);
  named("place_100", place_100<C>)->Arg(100)->Arg(300);
  if constexpr (!std::is_same_v<C, MapCalendar>) named("sweep", sweep<C>)->Arg(100)->Arg(10'000);
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("earliest_fit/ratio", earliest_fit_ratio)
      ->Arg(1'000)
      ->Arg(10'000)
      ->Arg(64'000);
  add_benchmarks<Calendar>("calendar");
  add_benchmarks<FlatCalendar>("flat");
  add_benchmarks<MapCalendar>("map");
  return true;
}();

}  // namespace
}  // namespace dovetail::bench
