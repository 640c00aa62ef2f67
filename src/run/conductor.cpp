#include "run/conductor.hpp"

#include <poll.h>

#include <algorithm>

#include "io/text.hpp"
#include "run/interrupts.hpp"
#include "run/local/process_backend.hpp"
#include "run/mailbox.hpp"
#include "run/plan_keeper.hpp"
#include "run/task_book.hpp"

namespace dovetail::run {

namespace {

// The loop: start what can start, wait for what happens, hear everybody who may have something to
// say.
class Conductor {
 public:
  Conductor(const RunFolder& folder, const Problem& problem, const RunOptions& options,
            Nursery nursery)
      : options_(options),
        backend_(folder.nursery_lock(), std::move(nursery)),
        mailbox_(folder),
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
    const RunOutcome outcome = book_.close(is_cancelled_, interrupts_seen_ > 0);
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
    if (interrupts_seen_ > 0) return true;
    return !options_.keep_going && book_.state().count(TaskState::failed) > 0;
  }

  bool is_over() const {
    const Dispatcher& dispatcher = book_.dispatcher();
    if (!dispatcher.running().empty()) return false;
    // Nothing can start, and nobody is thinking about it.
    const bool is_stuck = dispatcher.next_chance(book_.now()) == kForever && !plan_.is_thinking();
    return is_stopping() || dispatcher.ready() == 0 || is_stuck;
  }

  void wait() {
    pollfd files[] = {{backend_.descriptor(), POLLIN, 0},
                      {interrupts_.descriptor(), POLLIN, 0},
                      {mailbox_.descriptor(), POLLIN, 0},
                      {plan_.descriptor(), POLLIN, 0}};
    poll(files, std::size(files), patience());
    hear_interrupts();
    hear_requests();
    if (interrupts_seen_ > 1) stop_tasks();
    if (has_surplus()) stop_surplus();
    for (const StepEnd& step : backend_.ended()) book_.end(step);
    book_.look_for_late_tasks();
    plan_.hear(book_);
  }

  // Until something has to be looked at though nobody tells us.
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

  void hear_interrupts() {
    const int news = interrupts_.take();
    if (news == 0) return;
    interrupts_seen_ += news;
    book_.set_stopping();
    if (options_.interrupted) options_.interrupted(interrupts_seen_, book_.dispatcher());
  }

  void hear_requests() {
    for (const Json& request : mailbox_.take()) {
      const Json what = request.contains("what") ? request.at("what") : Json();
      const Json processors = request.contains("processors") ? request.at("processors") : Json();
      if (what == "cancel") {
        is_cancelled_ = true;
        interrupts_seen_ = std::max(interrupts_seen_, 2);
        book_.set_stopping();
      } else if (what == "resources" && processors.is_number_integer()) {
        set_processors(processors.get<Count>(),
                       request.contains("now") && request.at("now") == true);
      }
    }
    book_.sync();
    mailbox_.forget();
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

  // Those that started last, until the others have no more than there is; they are run again later.
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
  ProcessBackend backend_;  // before signals are blocked, threads begin and files are opened
  Interrupts interrupts_;
  Mailbox mailbox_;
  PlanKeeper plan_;
  TaskBook book_;
  bool stops_surplus_ = false;  // tasks with more processors than there are by now
  int interrupts_seen_ = 0;
  bool is_cancelled_ = false;
};

}  // namespace

RunEnd conduct(const RunFolder& folder, const Problem& problem, const RunOptions& options,
               Nursery nursery) {
  return Conductor(folder, problem, options, std::move(nursery)).run();
}

}  // namespace dovetail::run
