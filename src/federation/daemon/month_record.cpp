#include "federation/daemon/month_record.hpp"

#include <filesystem>
#include <utility>

#include "dovetail/error.hpp"

namespace dovetail::federation {

namespace {

// Fewer entries are not worth the trouble at the start, and fewer bytes not while it runs.
constexpr std::size_t kManyEntries = 200;
constexpr std::uintmax_t kManyBytes = 1'000'000;

std::uintmax_t size_of(const std::string& file) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(file, missing);
  return missing ? 0 : size;
}

std::uintmax_t shorten_beyond(std::uintmax_t bytes) { return 2 * bytes + kManyBytes; }

// A journal of which most is history becomes a short one with the same meaning.
MonthState read_month_state(const std::string& journal, const MemoryOfRequests& memory) {
  MonthState state;
  if (!std::filesystem::exists(journal)) return state;
  std::size_t count = 0;
  run::read_journal(journal, [&](const Json& entry) {
    ++count;
    std::string wrong;
    try {
      return state.apply(entry);
    } catch (const Refusal& refusal) {
      wrong = refusal.what();
    } catch (const Json::exception& error) {
      wrong = error.what();
    }
    throw InputError(journal, count,
                     "the journal is damaged: " + one_line(wrong) +
                         "; move it away, and the daemon begins anew");
  });
  state.forget_finished(memory.requests, memory.bytes);
  const std::vector<Json> entries = state.entries();
  if (count > kManyEntries && count > 2 * entries.size()) run::replace_journal(journal, entries);
  return state;
}

}  // namespace

MonthRecord::MonthRecord(std::string journal, MemoryOfRequests memory)
    : path_(std::move(journal)), memory_(memory), state_(read_month_state(path_, memory)) {
  journal_.emplace(path_);
  shorten_at_ = shorten_beyond(size_of(path_));
}

void MonthRecord::write(const Json& entry) {
  journal_->add(entry);
  journal_->sync();
  const std::lock_guard lock(mutex_);
  state_.apply(entry);
}

void MonthRecord::announce() {
  {
    // One that has just asked its question, and waits in a moment, hears it too.
    const std::lock_guard lock(mutex_);
  }
  changed_.notify_all();
}

// A disk that has no room for a second journal must not stop what the first one still can do.
void MonthRecord::tidy() {
  if (size_of(path_) <= shorten_at_) return;
  {
    const std::lock_guard lock(mutex_);
    state_.forget_finished(memory_.requests, memory_.bytes);
  }
  try {
    run::replace_journal(path_, state_.entries());
  } catch (const ExecutionError&) {
    shorten_at_ = shorten_beyond(size_of(path_));
    return;
  }
  journal_.emplace(path_);
  shorten_at_ = shorten_beyond(size_of(path_));
}

}  // namespace dovetail::federation
