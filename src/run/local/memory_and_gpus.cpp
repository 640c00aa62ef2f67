#include "run/local/memory_and_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dovetail::run {

namespace {

Bytes divided_up(Bytes size, Bytes unit) { return size / unit + (size % unit == 0 ? 0 : 1); }

// Takes that many throughout, or as many as are free.
void take_free(Calendar& calendar, Interval window, Count count) {
  if (calendar.fits(window, count)) return calendar.reserve(window, count);
  std::vector<Step> steps;
  for (const Step& step : calendar.steps(window)) steps.push_back(step);
  for (const Step& step : steps) {
    calendar.reserve({step.begin, step.end}, std::min(step.free, count));
  }
}

// A task holds its memory and its GPUs for a moment at least.
Duration held_for(Duration length) { return std::max<Duration>(length, 1); }

}  // namespace

MemoryAndGpus taken_by(const TaskNeeds& needs, Count processors) {
  const Bytes each = std::min(needs.memory_per_processor, kMaxMemory / std::max(processors, 1));
  return {.memory = needs.memory > 0 ? needs.memory : each * processors, .gpus = needs.gpus};
}

std::string memory_text(Bytes size) {
  const auto in = [size](Bytes unit) {
    return static_cast<double>(size) / static_cast<double>(unit);
  };
  if (size < kMebibyte) return fmt::format("{} KiB", (size + 1023) / 1024);
  return size < kGibibyte ? fmt::format("{:.1f} MiB", in(kMebibyte))
                          : fmt::format("{:.1f} GiB", in(kGibibyte));
}

FreeRoom::FreeRoom(Calendar processors, const MemoryAndGpus& limit, const MemoryAndGpus& counts)
    : processors_(std::move(processors)), limit_(limit.memory) {
  if (counts.memory > 0 && limit.memory > 0) {
    unit_ = std::max(kMebibyte, divided_up(limit.memory, kMaxProcessors));
    memory_.emplace(units(limit.memory), kBeginning);
  }
  if (counts.gpus > 0) gpus_.emplace(limit.gpus, kBeginning);
}

// What is no more than the limit is no more units than the limit.
Count FreeRoom::units(Bytes memory) const {
  const Bytes all = limit_ / unit_;
  const Bytes wanted = std::min(divided_up(memory, unit_), Bytes{kMaxProcessors});
  return static_cast<Count>(memory <= limit_ ? std::min(wanted, all) : wanted);
}

std::optional<Time> FreeRoom::earliest_fit(Count processors, const MemoryAndGpus& room,
                                           Duration length, Time ready) const {
  auto start = processors_.earliest_fit(processors, length, ready);
  const Duration held = held_for(length);
  const Count memory = memory_ ? units(room.memory) : 0;
  const Count gpus = gpus_ ? room.gpus : 0;
  if (memory == 0 && gpus == 0) return start;
  while (start) {
    const Time asked = *start;
    if (memory > 0) start = memory_->earliest_fit(memory, held, *start);
    if (start && gpus > 0) start = gpus_->earliest_fit(gpus, held, *start);
    if (start && *start > asked) start = processors_.earliest_fit(processors, length, *start);
    if (!start || *start == asked) break;
  }
  return start;
}

void FreeRoom::reserve(Interval window, Count processors, const MemoryAndGpus& room) {
  processors_.reserve(window, processors);
  const Interval held{window.begin, window.begin + held_for(window.end - window.begin)};
  if (memory_) memory_->reserve(held, units(room.memory));
  if (gpus_) gpus_->reserve(held, room.gpus);
}

void FreeRoom::take(Interval window, Count processors, const MemoryAndGpus& room) {
  take_free(processors_, window, processors);
  if (memory_) take_free(*memory_, window, units(room.memory));
  if (gpus_) take_free(*gpus_, window, room.gpus);
}

}  // namespace dovetail::run
