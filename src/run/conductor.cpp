#include "run/conductor.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "io/text.hpp"
#include "run/local/killed_supervisor.hpp"
#include "run/local/process_backend.hpp"
#include "run/plan_keeper.hpp"
#include "run/run_requests.hpp"
#include "run/task_book.hpp"

namespace dovetail::run {

namespace {

// The loop: start what can start, wait until something happens or is asked, write it down.
class Conductor {
 public:
  Conductor(const RunFolder& folder, const Problem& problem, const RunOptions& options,
            std::shared_ptr<Nursery> nursery, Interrupts& interrupts)
      : options_(options),
        backend_(folder.nursery_lock(), std::move(nursery)),
        requests_(folder, interrupts),
        plan_(problem, options),
        book_(folder, problem, options,
              [this](std::string reason) { plan_.add_reason(std::move(reason)); }) {}

  RunEnd run() {
    book_.take_over(options_.kept, backend_);
    hear_requests();
    if (options_.sets_processors) set_processors(options_.processors, false);
    plan_.begin(book_);
    for (;;) {
      start_tasks();
      if (!is_stopping()) plan_.ask(book_);
      if (options_.progress) options_.progress(book_.state(), book_.dispatcher(), book_.now());
      if (is_over()) break;
      wait();
    }
    const RunOutcome outcome =
        book_.close(requests_.is_cancelled(), requests_.is_stopping() || requests_.is_leaving());
    return {outcome, std::move(book_).take_state()};
  }

 private:
  void start_tasks() {
    std::vector<StepCommand> commands;
    is_stopping() ? book_.put_back() : void(commands = book_.start());
    book_.sync();
    for (const StepCommand& command : commands) backend_.start(command);
  }

  bool is_stopping() const {
    return requests_.is_stopping() || requests_.is_leaving() ||
           (!options_.keep_going && book_.state().count(TaskState::failed) > 0);
  }

  bool is_over() const {
    if (requests_.is_leaving()) return true;
    const Dispatcher& dispatcher = book_.dispatcher();
    if (!dispatcher.running().empty()) return false;
    // Nothing can start, and no new plan is on its way.
    const bool is_stuck = dispatcher.next_chance(book_.now()) == kForever && !plan_.is_thinking();
    return is_stopping() || dispatcher.ready() == 0 || is_stuck;
  }

  void wait() {
    pollfd files[] = {{backend_.descriptor(), POLLIN, 0},
                      {plan_.descriptor(), POLLIN, 0},
                      requests_.files()[0],
                      requests_.files()[1]};
    poll(files, std::size(files), patience());
    hear_requests();
    if (requests_.stops() > 1 || requests_.is_cancelled()) stop_tasks();
    if (has_surplus()) stop_surplus();
    for (const StepEnd& step : backend_.ended()) book_.end(step);
    book_.look_for_late_tasks();
    plan_.hear(book_);
  }

  // Until something has to be looked at that no file tells of.
  int patience() const {
    const Time now = book_.now();
    Time next = book_.monitor().next_check();
    if (!is_stopping()) {
      next = std::min({next, book_.dispatcher().next_chance(now), plan_.next_question()});
      if (book_.is_reading()) next = now;
    }
    const Time longest = options_.is_live ? 1000 : 3'600'000;
    return static_cast<int>(std::clamp<Time>(next - now, 0, longest));
  }

  void hear_requests() {
    const int stops = requests_.stops();
    for (const ProcessorRequest& asked : requests_.hear()) {
      set_processors(asked.processors, asked.at_once);
    }
    if (requests_.is_stopping()) book_.set_stopping();
    if (requests_.stops() > stops && options_.interrupted) {
      options_.interrupted(requests_.stops(), book_.dispatcher());
    }
    book_.sync();
    requests_.forget();
  }

  void set_processors(Count processors, bool at_once) {
    const Count before = book_.dispatcher().processors();
    stops_surplus_ = at_once;
    if (processors < 1 || processors == before) return;
    book_.set_processors(processors);
    plan_.add_need(io::counted(processors, "processor") + " instead of " + std::to_string(before));
  }

  bool has_surplus() const {
    return stops_surplus_ && book_.dispatcher().in_use() > book_.dispatcher().processors();
  }

  // Stops the tasks that started last until the rest fits; they are run again later.
  void stop_surplus() {
    const Dispatcher& dispatcher = book_.dispatcher();
    const std::vector<TaskStatus>& tasks = book_.state().tasks();
    std::vector<std::size_t> running(dispatcher.running().begin(), dispatcher.running().end());
    std::ranges::sort(running, std::ranges::greater{},
                      [&](std::size_t task) { return tasks[task].started; });
    Count surplus = dispatcher.in_use() - dispatcher.processors();
    for (const std::size_t task : running) {
      if (surplus <= 0) break;
      surplus -= tasks[task].processors;
      backend_.stop(static_cast<std::uint32_t>(task));
    }
  }

  void stop_tasks() {
    for (const std::size_t task : book_.dispatcher().running()) {
      backend_.stop(static_cast<std::uint32_t>(task));
    }
  }

  const RunOptions& options_;
  ProcessBackend backend_;
  RunRequests requests_;
  PlanKeeper plan_;
  TaskBook book_;
  bool stops_surplus_ = false;  // of tasks that run on more processors than there are by now
};

// Asks for the end of every attempt that still runs; how many there are.
std::size_t stop_all(const RunFolder& folder, const RunState& state) {
  std::size_t running = 0;
  for (std::uint32_t task = 0; task < state.tasks().size(); ++task) {
    const TaskStatus& status = state.tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end && stop(*attempt.start)) ++running;
  }
  return running;
}

}  // namespace

RunEnd conduct(const RunFolder& folder, const Problem& problem, const RunOptions& options,
               std::shared_ptr<Nursery> nursery, Interrupts& interrupts) {
  return Conductor(folder, problem, options, std::move(nursery), interrupts).run();
}

void cancel(const RunFolder& folder, const Problem& problem, const std::string& started_in) {
  const Descriptor lock = lock_nursery(folder.nursery_lock());
  RunBook book(folder, problem, started_in);
  constexpr useconds_t kPatience = 50'000;
  while (stop_all(folder, book.state()) > 0) usleep(kPatience);
  for (std::uint32_t task = 0; task < problem.task_count(); ++task) {
    const TaskStatus& status = book.state().tasks()[task];
    if (status.state != TaskState::running) continue;
    const Attempt attempt = read_attempt(folder.attempt(task, status.attempt));
    if (attempt.start && !attempt.end) end_leftovers(*attempt.start);
    attempt.end ? book.write_end(task, *attempt.end) : book.write_lost(task);
  }
  book.note("cancelled");
  book.sync();
}

}  // namespace dovetail::run
