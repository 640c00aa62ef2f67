#include "io/formats/ensemble_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "dovetail/error.hpp"
#include "dovetail/io.hpp"
#include "dovetail/speedup.hpp"
#include "io/emit.hpp"
#include "io/gzip_source.hpp"
#include "io/schema.hpp"
#include "io/text.hpp"

namespace dovetail::io {

namespace {

// The last three are for dovetail run: they name what the clusters of a federation execute.
constexpr std::array<std::string_view, 13> kEnsembleKeys = {
    "scenarios",        "months", "clusters", "node_multiples", "extra_size", "post_processors",
    "full_speed_posts", "disk",   "repeat",   "chain",          "name",       "service",
    "parameters"};

constexpr Count kMostCount = 1'000'000;
constexpr double kMostGigabytes = 1e12;

class EnsembleReader {
 public:
  EnsembleReader(const Document& document, bool wall_clock)
      : top_(document.root()), clock_{wall_clock, "the clusters' \"now\""} {
    file_.file = document.file();
  }

  EnsembleFile read() {
    if (top_.find("tasks")) {
      top_.fail_at(top_.line(),
                   "this is a workflow or a plan; expected an ensemble with \"scenarios\"");
    }
    top_.only(kEnsembleKeys);
    file_.scenarios = top_.count(top_.need("scenarios"), 1, kMostCount);
    file_.months = top_.count(top_.need("months"), 1, kMostCount);
    read_rules();
    read_repetition();
    read_tables();
    check_extra_size();
    return std::move(file_);
  }

 private:
  void read_rules() {
    EnsembleRules& rules = file_.rules;
    if (const auto field = top_.find("node_multiples")) rules.node_multiples = top_.boolean(*field);
    rules.extra_size = top_.find_count("extra_size", 1).value_or(rules.extra_size);
    rules.full_speed_posts =
        top_.find_count("full_speed_posts", 1).value_or(rules.full_speed_posts);
    if (const auto field = top_.find("post_processors")) {
      rules.post_node = field->is_scalar() && field->text() == "node";
      if (!rules.post_node) rules.post_processors = top_.count(*field, 0);
    }
    if (const auto field = top_.find("disk")) {
      const Record record(*field, top_);
      rules.disk = read_disk(record, true);
      if (rules.disk->capacity >= rules.disk->month) return;
      record.fail(record.need("capacity"), "the disk does not even hold one month");
    }
  }

  void check_extra_size() const {
    for (const EnsembleTable& table : file_.tables) {
      if (file_.rules.extra_size == 0 || table.times.main.empty()) continue;
      const Count largest = table.times.main.back().procs;
      if (file_.rules.extra_size > largest) continue;
      top_.fail(top_.need("extra_size"),
                fmt::format("expected more than the largest measured size; cluster {} has {}",
                            quote(table.name), largest));
    }
  }

  void read_repetition() {
    const auto repeat = top_.find("repeat");
    const auto chain = top_.find("chain");
    if (repeat) {
      file_.repeat = top_.text(*repeat);
      reject_rules_of_tables();
    }
    if (!chain) return;
    if (!repeat) top_.fail(*chain, "is about the tasks of a workflow; name it with \"repeat\"");
    file_.chain_line = chain->line();
    for (Value item : top_.list(*chain)) file_.chain.emplace_back(top_.text(item));
    if (file_.chain.empty()) top_.fail(*chain, "expected at least one task");
  }

  // These rules apply to main and post tasks only, or follow from the workflow.
  void reject_rules_of_tables() const {
    for (const std::string_view key : {"extra_size", "full_speed_posts", "disk"}) {
      if (const auto field = top_.find(key)) {
        top_.fail(*field, "cannot be given together with \"repeat\"");
      }
    }
  }

  void read_tables() {
    const auto clusters = top_.find("clusters");
    if (!clusters) {
      if (file_.repeat.empty()) top_.need("clusters");
      return;
    }
    file_.clusters_line = clusters->line();
    const Record tables(*clusters, top_);
    std::size_t number = 0;
    for (Value item : tables.value().items()) read_table(item, number++);
    if (file_.tables.empty() && file_.repeat.empty()) {
      top_.fail(*clusters, "expected at least one cluster with its times");
    }
  }

  void read_table(Value value, std::size_t number) {
    Record record(value, "cluster", number);
    record.set_name(value.key());
    record.only({"times", "sizes", "post", "windows", "posts"});
    EnsembleTable table{.name = std::string(value.key()), .line = value.line()};
    if (!file_.repeat.empty()) {
      for (const std::string_view key : {"times", "post", "sizes", "posts"}) {
        if (const auto field = record.find(key)) {
          record.fail(*field, "the repeated workflow says how long its tasks take");
        }
      }
    } else {
      read_times(record, table.times);
      read_posts(record, table.times);
    }
    if (const auto windows = record.find("windows")) read_windows(record, *windows, table.windows);
    file_.tables.push_back(std::move(table));
  }

  static void read_posts(const Record& record, MonthTimes& times) {
    const double seconds = record.duration(record.need("post"));
    times.post = seconds == 0 ? 0 : run_time(seconds);
    times.posts = record.find_count("posts", 0, 1000).value_or(times.posts);
  }

  static void read_times(const Record& record, MonthTimes& times) {
    const Value field = record.need("times");
    const Record table(field, record);
    std::vector<std::pair<GroupTime, Value>> rows;
    for (Value item : table.value().items()) {
      const auto procs = parse_processors(item.key());
      if (!procs) {
        record.fail_at(item.line(), fmt::format("times: expected a number of processors, found {}",
                                                quote(item.key())));
      }
      const double seconds = table.duration(item);
      if (seconds <= 0) table.fail(item, "a month takes some time; expected more than 0");
      rows.push_back({{*procs, run_time(seconds)}, item});
    }
    if (rows.empty()) record.fail(field, "expected at least one number of processors with a time");
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first.procs; });
    const auto chosen = record.find("sizes");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) check_row(record, rows[i - 1].first, rows[i].first, rows[i].second);
      times.main.push_back(rows[i].first);
    }
    chosen ? choose_sizes(record, *chosen, times) : reject_gaps(record, field, times);
  }

  static void check_row(const Record& record, GroupTime smaller, GroupTime size, Value item) {
    if (size.procs == smaller.procs) {
      record.fail_at(item.line(), fmt::format("times: {} processors appear twice", size.procs));
    }
    if (size.time > smaller.time) {
      record.fail_at(
          item.line(),
          fmt::format("times: {} processors take longer than {} ({} s, {} s); times must "
                      "not rise with the processors",
                      size.procs, smaller.procs, format_seconds(size.time),
                      format_seconds(smaller.time)));
    }
  }

  // A table must list its sizes if it leaves some out.
  static void reject_gaps(const Record& record, Value field, const MonthTimes& times) {
    std::vector<Count> sizes;
    std::string missing;
    for (const GroupTime& size : times.main) {
      const Count next = sizes.empty() ? size.procs : sizes.back() + 1;
      if (missing.empty() && next < size.procs) {
        missing = next + 1 == size.procs ? fmt::format("{} processors", next)
                                         : fmt::format("{} to {} processors", next, size.procs - 1);
      }
      sizes.push_back(size.procs);
    }
    if (missing.empty()) return;
    record.fail(field, fmt::format("none for {}; measure them, or if groups are to have only the "
                                   "sizes of this table, add sizes: [{}]",
                                   missing, fmt::join(sizes, ", ")));
  }

  static void choose_sizes(const Record& record, Value field, MonthTimes& times) {
    std::vector<GroupTime> chosen;
    for (Value item : record.list(field)) {
      const Count procs = record.count(item, 1);
      const auto found = std::ranges::find(times.main, procs, &GroupTime::procs);
      if (found == times.main.end()) {
        record.fail_at(item.line(), fmt::format("sizes: there is no time for {}", procs));
      }
      chosen.push_back(*found);
    }
    if (chosen.empty()) record.fail(field, "expected at least one size");
    std::ranges::sort(chosen, {}, &GroupTime::procs);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    times.main = std::move(chosen);
  }

  // Rounded inwards, so that the cluster is available during the whole window.
  void read_windows(const Record& record, Value field, Windows& windows) const {
    if (field.kind() == ValueKind::mapping) return read_slots(record, field, windows);
    for (Value item : record.list(field)) {
      const Record window(item, record);
      window.only({"start", "end"});
      const Interval interval{milliseconds_up(read_moment(window, window.need("start"), clock_)),
                              milliseconds_down(read_moment(window, window.need("end"), clock_))};
      if (interval.end <= interval.begin) {
        record.fail_at(
            item.line(),
            fmt::format("windows: expected an end after its start {}, found {}",
                        quote(window.need("start").text()), quote(window.need("end").text())));
      }
      if (!windows.list.empty() && interval.begin < windows.list.back().end) {
        record.fail_at(item.line(),
                       fmt::format("windows: the one from {} on begins before the one above it "
                                   "ends; join them, or put them in order",
                                   quote(window.need("start").text())));
      }
      windows.list.push_back(interval);
    }
    if (windows.list.empty()) record.fail(field, "expected at least one window");
  }

  void read_slots(const Record& record, Value field, Windows& windows) const {
    const Record slots(field, record);
    slots.only({"length", "every", "first"});
    windows.length = milliseconds_down(slots.duration(slots.need("length")));
    windows.every = milliseconds_up(slots.duration(slots.need("every")));
    if (const auto first = slots.find("first")) {
      windows.first = milliseconds_up(read_moment(slots, *first, clock_));
    }
    if (windows.length < 1) slots.fail(slots.need("length"), "expected more than 0");
    if (windows.every < windows.length) {
      slots.fail(slots.need("every"), "slots would overlap; expected at least their length");
    }
  }

  Record top_;
  FileClock clock_;
  EnsembleFile file_;
};

const EnsembleTable* find_table(const EnsembleFile& file, const Cluster& cluster) {
  const auto found = std::ranges::find(file.tables, cluster.name, &EnsembleTable::name);
  return found == file.tables.end() ? nullptr : &*found;
}

// Reports why no group fits on the first cluster.
[[noreturn]] void reject_small(const EnsembleFile& file, const Ensemble& ensemble,
                               std::size_t line) {
  const EnsembleSite& site = ensemble.sites.front();
  const auto sizes = group_sizes(site, ensemble.rules);
  const Count room = site.processors - reserved_for_posts(site, ensemble.rules);
  if (sizes.empty()) {
    throw InputError(
        file.file, line,
        fmt::format("cluster \"{0}\": no size is a multiple of its {1} cores per node; "
                    "measure one, or add extra_size with a multiple of {1}",
                    site.name, site.cores_per_node));
  }
  throw InputError(
      file.file, line,
      fmt::format("cluster \"{}\": no size fits; the smallest group has {} processors, "
                  "and there are {} for groups",
                  site.name, sizes.front().procs, std::max(0, room)));
}

void check_sums(const EnsembleFile& file, const Ensemble& ensemble) {
  at_place(file.file, std::max<std::size_t>(1, file.clusters_line), [&] {
    // The times of a repeated workflow come from its own file.
    check(file.repeat.empty() ? ensemble : Ensemble{file.scenarios, file.months});
  });
}

std::string table_text(const EnsembleSite& site, const Emitter& emitter) {
  Emitter::Fields times;
  for (const GroupTime& size : site.times.main) {
    times.emplace_back(std::to_string(size.procs), format_seconds(size.time));
  }
  Emitter::Fields fields = {{"times", emitter.mapping(times)},
                            {"post", format_seconds(site.times.post)}};
  if (site.times.posts != 1) fields.emplace_back("posts", std::to_string(site.times.posts));
  return emitter.mapping(fields);
}

}  // namespace

EnsembleFile read_ensemble(const std::string& path, bool wall_clock) {
  return parse_ensemble(read_file(path), display_name(path), wall_clock);
}

EnsembleFile parse_ensemble(std::string_view text, const std::string& file, bool wall_clock) {
  require_utf8(text, file);
  const Document document = parse_document(skip_bom(text), file);
  return EnsembleReader(document, wall_clock).read();
}

DiskSpec read_disk(const Record& record, bool needs_capacity) {
  record.only({"capacity", "month", "archive", "margin"});
  if (needs_capacity) record.need("capacity");
  DiskSpec disk;
  const auto read = [&](std::string_view key, auto& megabytes) {
    const auto gigabytes = record.find_number(key, 0, kMostGigabytes);
    if (gigabytes) megabytes = std::llround(*gigabytes * 1000);
  };
  read("capacity", disk.capacity);
  read("month", disk.month);
  read("archive", disk.archive);
  read("margin", disk.margin);
  return disk;
}

std::string table_names(const EnsembleFile& file) {
  return fmt::format("{}",
                     fmt::join(file.tables | std::views::transform(&EnsembleTable::name), ", "));
}

Ensemble on_platform(const EnsembleFile& file, const Platform& platform) {
  Ensemble ensemble{file.scenarios, file.months, file.rules, {}};
  bool has_room = false;
  std::size_t line = file.clusters_line;
  for (const Cluster& cluster : platform.clusters()) {
    const EnsembleTable* table = find_table(file, cluster);
    EnsembleSite site{cluster.name, cluster.processors, cluster.cores_per_node, {}, {}};
    if (table != nullptr) {
      site.times = table->times;
      site.windows = table->windows;
      if (ensemble.sites.empty()) line = table->line;
    } else if (file.repeat.empty()) {
      throw InputError(file.file, file.clusters_line,
                       fmt::format("clusters: no times for cluster {}; there are times for {}",
                                   quote(cluster.name), table_names(file)));
    }
    const auto sizes = group_sizes(site, file.rules);
    const Count room = site.processors - reserved_for_posts(site, file.rules);
    has_room = has_room || !file.repeat.empty() || (!sizes.empty() && sizes.front().procs <= room);
    ensemble.sites.push_back(std::move(site));
  }
  const bool is_meant = std::ranges::any_of(platform.clusters(), [&](const Cluster& cluster) {
    return find_table(file, cluster) != nullptr;
  });
  if (!is_meant && !file.tables.empty()) {
    throw InputError(
        file.file, file.clusters_line,
        fmt::format("clusters: none of {} is among the clusters given", table_names(file)));
  }
  if (!has_room) reject_small(file, ensemble, line);
  check_sums(file, ensemble);
  return ensemble;
}

std::string format_ensemble(const Ensemble& ensemble, bool json) {
  const Emitter emitter(json);
  std::string tables;
  for (const EnsembleSite& site : ensemble.sites) {
    tables += fmt::format("{}  {}: {}", json && !tables.empty() ? ",\n" : "\n",
                          emitter.text(site.name), table_text(site, emitter));
  }
  if (json) {
    return fmt::format("{{\"scenarios\": {}, \"months\": {}, \"clusters\": {{{}}}}}\n",
                       ensemble.scenarios, ensemble.months, tables);
  }
  return fmt::format("scenarios: {}\nmonths: {}\nclusters:{}\n", ensemble.scenarios,
                     ensemble.months, tables);
}

}  // namespace dovetail::io
