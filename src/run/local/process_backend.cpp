#include "run/local/process_backend.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "dovetail/error.hpp"
#include "run/local/killed_supervisor.hpp"

namespace dovetail::run {

namespace {

// Between two looks at what no file tells of.
constexpr long kLookNanoseconds = 200'000'000;

}  // namespace

ProcessBackend::ProcessBackend(const std::string& lock_file, std::shared_ptr<Nursery> nursery)
    : launcher_(lock_file, std::move(nursery)),
      events_(epoll_create1(EPOLL_CLOEXEC)),
      alarm_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!events_.is_open() || !alarm_.is_open()) {
    throw ExecutionError("no file is left to wait for tasks with");
  }
  watch(launcher_.descriptor());
  watch(alarm_.get());
}

void ProcessBackend::watch(int file) const {
  epoll_event event{.events = EPOLLIN, .data = {.fd = file}};
  if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, file, &event) != 0) {
    throw ExecutionError("cannot wait for a task");
  }
}

// Rings while a step has to be asked once more to stop, or its end has to be looked for.
void ProcessBackend::set_alarm() {
  const bool is_needed = !stopping_.empty() || std::ranges::any_of(adopted_, [](const auto& entry) {
    return !entry.second || !entry.second->descriptor();
  });
  if (is_needed == std::exchange(is_alarmed_, is_needed)) return;
  const timespec pause{.tv_sec = 0, .tv_nsec = is_needed ? kLookNanoseconds : 0};
  const itimerspec times{.it_interval = pause, .it_value = pause};
  timerfd_settime(alarm_.get(), 0, &times, nullptr);
}

void ProcessBackend::start(const StepCommand& command) {
  launcher_.start(command);
  running_[command.task] = {command.attempt, command.attempt_file};
}

// As the launcher has the nursery's lock, a step that has no file by now was never begun.
void ProcessBackend::adopt(const StepCommand& command) {
  running_[command.task] = {command.attempt, command.attempt_file};
  auto& supervisor = adopted_[command.task];
  supervisor = Adopted::watch(read_attempt(command.attempt_file));
  if (supervisor && supervisor->descriptor()) watch(*supervisor->descriptor());
  set_alarm();
}

void ProcessBackend::stop(std::uint32_t task) {
  if (!running_.contains(task) || !stopping_.insert(task).second) return;
  ask_to_stop();
  set_alarm();
}

// Called again until they have ended: a step that was started a moment ago may not have begun.
void ProcessBackend::ask_to_stop() const {
  for (const std::uint32_t task : stopping_) {
    const Attempt attempt = read_attempt(running_.at(task).file);
    if (attempt.start && !attempt.end) run::stop(*attempt.start);
  }
}

// How a step ended whose supervisor does not report here, or is gone.
StepEnd ProcessBackend::end_of(std::uint32_t task) const {
  const StartedStep& running = running_.at(task);
  const Attempt attempt = read_attempt(running.file);
  if (attempt.end) return {.task = task, .attempt = running.attempt, .end = *attempt.end};
  if (!attempt.start) return StepEnd::lost(task, running.attempt, "it was never begun");
  end_leftovers(*attempt.start);
  return StepEnd::lost(task, running.attempt, "its supervisor was killed");
}

std::vector<StepEnd> ProcessBackend::ended() {
  std::uint64_t rings = 0;
  if (read(alarm_.get(), &rings, sizeof rings) > 0) ask_to_stop();
  std::vector<StepEnd> ends = launcher_.reports();
  for (StepEnd& end : ends) {
    if (end.is_lost) end = end_of(end.task);
  }
  std::erase_if(adopted_, [&](const auto& entry) {
    const auto& [task, supervisor] = entry;
    // A supervisor may live on after its task, for the next task of the process that started it.
    const bool is_over = !supervisor || supervisor->has_ended() ||
                         read_attempt(running_.at(task).file).end.has_value();
    if (is_over) ends.push_back(end_of(task));
    return is_over;
  });
  for (const StepEnd& end : ends) {
    running_.erase(end.task);
    stopping_.erase(end.task);
  }
  set_alarm();
  return ends;
}

}  // namespace dovetail::run
