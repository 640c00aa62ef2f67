// Reads the events file: the events that happen while the workflows of a problem run.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail {

namespace {

using io::Record;
using io::Value;
using Kind = Event::Kind;

// Which platforms an event can happen to.
enum class Where { cluster, pool, anywhere };

// `word` is the key that names the kind of event; `others` are its keys beside `time`.
struct KindRow {
  std::string_view word;
  Kind kind;
  Where where;
  std::array<std::string_view, 2> others = {};
};

constexpr std::array<KindRow, 8> kKinds = {
    {{"reserve", Kind::reserve, Where::cluster},
     {"cancel", Kind::cancel, Where::cluster},
     {"fail", Kind::fail, Where::cluster, {"until"}},
     {"join", Kind::join, Where::pool},
     {"leave", Kind::leave, Where::pool, {"at"}},
     {"slow", Kind::slow, Where::pool, {"factor"}},
     {"late", Kind::late, Where::anywhere, {"factor", "workflow"}},
     {"lost", Kind::lost, Where::anywhere, {"workflow"}}}};

std::vector<std::string_view> keys_of(const KindRow& row) {
  std::vector<std::string_view> keys = {"time", row.word};
  for (std::string_view other : row.others) {
    if (!other.empty()) keys.push_back(other);
  }
  return keys;
}

std::vector<std::string_view> all_keys() {
  std::vector<std::string_view> keys;
  for (const KindRow& row : kKinds) {
    for (std::string_view key : keys_of(row)) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

// "reserve, cancel, fail, late, lost".
std::string words_for(Where platform) {
  std::vector<std::string_view> words;
  for (const KindRow& row : kKinds) {
    if (row.where == platform || row.where == Where::anywhere) words.push_back(row.word);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// An event with its place in the file, for errors that are found after sorting.
struct Entry {
  Event event;
  Value value;
  std::size_t number;
};

// The reservations of other users, while the events happen one after the other.
class Bookings {
 public:
  explicit Bookings(const Problem& problem)
      : cluster_(problem.platform().clusters()[0]), wall_clock_(problem.platform().wall_clock()) {}

  void apply(const Entry& entry) {
    if (entry.event.kind == Kind::reserve) add(entry);
    if (entry.event.kind == Kind::cancel) remove(entry);
  }

 private:
  static Reservation booking_of(const Event& event) {
    return {.start = event.start, .end = event.until, .procs = event.procs};
  }

  [[noreturn]] static void fail(const Entry& entry, std::string_view word,
                                const std::string& message) {
    const Record record(entry.value, "event", entry.number);
    record.fail(record.need(word), message);
  }

  void add(const Entry& entry) {
    const Reservation added = booking_of(entry.event);
    // Only reservations that overlap the new one can exceed the capacity together with it.
    Cluster part{.name = cluster_.name, .processors = cluster_.processors};
    for (const Reservation& other : cluster_.reservations) {
      if (other.start < added.end && added.start < other.end) part.reservations.push_back(other);
    }
    part.reservations.push_back(added);
    if (const auto problem = find_overbooking(part, wall_clock_)) fail(entry, "reserve", *problem);
    cluster_.reservations.push_back(added);
  }

  void remove(const Entry& entry) {
    std::vector<Reservation>& held = cluster_.reservations;
    const Reservation wanted = booking_of(entry.event);
    const Time now = entry.event.time;
    const auto found = std::ranges::find(held, wanted);
    if (found == held.end()) {
      fail(entry, "cancel",
           fmt::format("at {} there is no reservation of {} processors from {} to {}", shown(now),
                       wanted.procs, shown(wanted.start), shown(wanted.end)));
    }
    if (found->end <= now) {
      fail(entry, "cancel",
           fmt::format("that reservation ended at {} and cannot be given up at {}",
                       shown(found->end), shown(now)));
    }
    if (found->start < now) {
      found->end = now;
    } else {
      held.erase(found);
    }
  }

  std::string shown(Time moment) const { return format_clock(moment, wall_clock_); }

  Cluster cluster_;
  bool wall_clock_;
};

class EventReader {
 public:
  EventReader(const io::Document& document, const Problem& problem)
      : top_(document.root()),
        problem_(problem),
        platform_(problem.platform()),
        clock_{.wall = platform_.wall_clock(), .now = "\"now\" of the cluster file"},
        where_(platform_.clusters().size() == 1 ? Where::cluster : Where::pool),
        known_(all_keys()) {}

  std::vector<Event> read() const {
    if (top_.find("tasks")) {
      top_.fail_at(top_.line(), "this is a workflow or a plan; expected events");
    }
    if (top_.find("clusters")) {
      top_.fail_at(top_.line(), "this is a cluster file; expected events");
    }
    top_.only({"events"});
    const Value list = top_.need("events");
    std::vector<Entry> entries;
    for (Value value : top_.list(list)) {
      const Record record(value, "event", entries.size());
      entries.push_back({read_event(record), value, entries.size()});
    }
    if (entries.empty()) top_.fail(list, "expected at least one event");
    return in_order(std::move(entries));
  }

 private:
  std::vector<Event> in_order(std::vector<Entry> entries) const {
    std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return entry.event.time; });
    Bookings bookings(problem_);
    std::vector<Event> events;
    for (const Entry& entry : entries) {
      bookings.apply(entry);
      events.push_back(entry.event);
    }
    return events;
  }

  Event read_event(const Record& record) const {
    record.only(known_);
    const KindRow& row = kind_of(record);
    const Value field = record.need(row.word);
    require_platform(record, row, field);
    require_own_keys(record, row);
    Event event{.time = read_time(record), .kind = row.kind};
    if (row.where == Where::pool) event.resource = resource(record, field);
    if (row.where == Where::anywhere) event.task = task(record, field);
    if (row.others[0] == "factor") event.factor = factor(record);
    if (row.kind == Kind::reserve || row.kind == Kind::cancel) {
      read_booking(Record(field, record), event);
    }
    if (row.kind == Kind::fail) read_failure(record, field, event);
    if (row.kind == Kind::leave) read_notice(record, event);
    return event;
  }

  const KindRow& kind_of(const Record& record) const {
    const KindRow* found = nullptr;
    for (const KindRow& row : kKinds) {
      const auto field = record.find(row.word);
      if (!field) continue;
      if (found != nullptr) {
        record.fail(*field, fmt::format("\"{}\" is there already; an entry is one event, give each "
                                        "its own",
                                        found->word));
      }
      found = &row;
    }
    if (found == nullptr) {
      record.fail_at(record.line(), "what happens is missing; give one of " + words_for(where_));
    }
    return *found;
  }

  void require_platform(const Record& record, const KindRow& row, Value field) const {
    if (row.where == where_ || row.where == Where::anywhere) return;
    const std::string why =
        where_ == Where::cluster
            ? std::string(
                  "the platform is one cluster, and only resources of a pool of several "
                  "join, leave or slow down")
            : fmt::format(
                  "the platform is a pool of {} resources, and only processors of a single "
                  "cluster are reserved or fail",
                  platform_.clusters().size());
    record.fail(field, fmt::format("{}; give one of {}", why, words_for(where_)));
  }

  // Rejects keys of other kinds of events; only() would suggest a similar key, which would mislead.
  static void require_own_keys(const Record& record, const KindRow& row) {
    const auto own = keys_of(row);
    for (Value item : record.value().items()) {
      if (std::find(own.begin(), own.end(), item.key()) != own.end()) continue;
      record.fail_at(item.line(), fmt::format("key \"{}\" does not go with \"{}\"; its keys are {}",
                                              item.key(), row.word, fmt::join(own, ", ")));
    }
  }

  // Rounded up: an event is never known before the given moment.
  Time read_time(const Record& record) const {
    const Value field = record.need("time");
    const Time time = io::milliseconds_up(moment(record, field));
    const Time now = problem_.now();
    if (time < now) {
      record.fail(field, fmt::format("{} is before now, which is {}", io::describe(field),
                                     format_clock(now, clock_.wall)));
    }
    return time;
  }

  // Rounded outwards, as in the cluster file.
  void read_booking(const Record& booking, Event& event) const {
    booking.only({"start", "end", "processors"});
    const bool adds = event.kind == Kind::reserve;
    event.start = event.time;
    if (const auto start = adds ? booking.find("start") : booking.need("start")) {
      const double seconds = moment(booking, *start);
      event.start = io::milliseconds_down(seconds);
      if (adds && io::milliseconds_up(seconds) < event.time) {
        booking.fail(*start, "expected the event's \"time\" or later, found " + describe(*start));
      }
      // Rounding outwards must not reserve time before the event.
      if (adds) event.start = std::max(event.start, event.time);
    }
    const Value end = booking.need("end");
    event.until = io::milliseconds_up(moment(booking, end));
    if (event.until <= event.start) {
      booking.fail(end, "expected a moment after the start, found " + io::describe(end));
    }
    event.procs = processors(booking, booking.need("processors"));
  }

  // The end is rounded up, so that the processors are back by then.
  void read_failure(const Record& record, Value field, Event& event) const {
    event.procs = processors(record, field);
    event.until = kForever;
    if (const auto until = record.find("until")) {
      event.until = io::milliseconds_up(moment(record, *until));
      require_later(record, *until, event);
    }
  }

  // Rounded down, so that the resource exists until then.
  void read_notice(const Record& record, Event& event) const {
    if (const auto at = record.find("at")) {
      event.kind = Kind::leave_later;
      event.until = io::milliseconds_down(moment(record, *at));
      require_later(record, *at, event);
    }
  }

  static void require_later(const Record& record, Value field, const Event& event) {
    if (event.until > event.time) return;
    record.fail(field, "expected a moment after the event's \"time\", found " + describe(field));
  }

  double moment(const Record& record, Value field) const {
    return io::read_moment(record, field, clock_);
  }

  Count processors(const Record& record, Value field) const {
    return record.count(field, 1, platform_.clusters()[0].processors);
  }

  static double factor(const Record& record) {
    const Value field = record.need("factor");
    const double value = record.number(field, 0, kMaxFactor);
    if (value == 0) record.fail(field, "expected a factor above 0");
    return value;
  }

  std::uint32_t resource(const Record& record, Value field) const {
    const std::string_view name = record.text(field);
    if (const auto found = platform_.find(name)) return static_cast<std::uint32_t>(*found);
    record.fail(field, "there is no resource " + io::quote(name) +
                           io::did_you_mean(name, platform_.clusters(), &Cluster::name));
  }

  // The task's number, counted over all workflows.
  TaskId task(const Record& record, Value field) const {
    const std::string_view id = record.text(field);
    const Workflow* only_in = nullptr;
    if (const auto workflow = record.find("workflow")) only_in = &find_workflow(record, *workflow);
    const Workflow* owner = nullptr;
    TaskRef ref;
    for (const Workflow& workflow : problem_.workflows()) {
      const auto found =
          only_in == nullptr || only_in == &workflow ? workflow.find(id) : std::nullopt;
      if (found && owner != nullptr) {
        record.fail(field, fmt::format("workflows {} and {} both have a task {}; say which with "
                                       "\"workflow\"",
                                       io::quote(owner->name()), io::quote(workflow.name()),
                                       io::quote(id)));
      }
      if (found) {
        owner = &workflow;
        ref = {static_cast<std::uint32_t>(&workflow - problem_.workflows().data()), *found};
      }
    }
    if (owner == nullptr) reject_task(record, field, only_in);
    return static_cast<TaskId>(problem_.number_of(ref));
  }

  const Workflow& find_workflow(const Record& record, Value field) const {
    const std::string_view name = record.text(field);
    const auto workflows = problem_.workflows();
    const auto found = std::ranges::find(workflows, name, &Workflow::name);
    if (found != workflows.end()) return *found;
    record.fail(field, "there is no workflow " + io::quote(name) +
                           io::did_you_mean(name, workflows, &Workflow::name));
  }

  [[noreturn]] void reject_task(const Record& record, Value field, const Workflow* only_in) const {
    const std::string_view id = field.text();
    io::NearestWord nearest(id);
    for (const Workflow& workflow : problem_.workflows()) {
      if (only_in != nullptr && only_in != &workflow) continue;
      for (TaskId task = 0; task < workflow.size(); ++task) nearest.offer(workflow.id(task));
    }
    const std::string where =
        only_in == nullptr ? std::string() : " in workflow " + io::quote(only_in->name());
    record.fail(field, "there is no task " + io::quote(id) + where + nearest.suggestion());
  }

  Record top_;
  const Problem& problem_;
  const Platform& platform_;
  io::FileClock clock_;
  Where where_;
  std::vector<std::string_view> known_;
};

}  // namespace

std::vector<Event> parse_events(std::string_view text, const std::string& file,
                                const Problem& problem) {
  const io::Document document = io::parse_document(text, file);
  return EventReader(document, problem).read();
}

std::vector<Event> read_events(const std::string& path, const Problem& problem) {
  return parse_events(read_file(path), io::display_name(path), problem);
}

}  // namespace dovetail
