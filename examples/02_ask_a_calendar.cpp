// The calendar by itself: when could a job of 100 processors and one hour start, and how late may
// it start to be done by the evening?
#include <cstdio>

#include "dovetail/calendar.hpp"

int main() {
  using namespace dovetail;
  constexpr Duration kHour = 3'600'000;

  Calendar calendar(128);
  calendar.reserve({2 * kHour, 5 * kHour}, 64);
  calendar.reserve({4 * kHour, 6 * kHour}, 50);

  const auto earliest = calendar.earliest_fit(100, kHour, 90 * 60'000);
  const auto latest = calendar.latest_fit(100, kHour, 0, 12 * kHour);
  if (!earliest || !latest) return 1;
  std::printf("earliest start %s, latest start %s\n", format_duration(*earliest).c_str(),
              format_duration(*latest).c_str());

  for (const Step& step : calendar.steps({0, 8 * kHour})) {
    std::printf("%5s to %5s: %3d free\n", format_duration(step.begin).c_str(),
                format_duration(step.end).c_str(), step.free);
  }
  return *earliest == 6 * kHour && *latest == 11 * kHour ? 0 : 1;
}
