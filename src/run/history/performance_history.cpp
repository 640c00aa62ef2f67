#include "run/history/performance_history.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "dovetail/error.hpp"
#include "run/run_folder.hpp"

namespace dovetail::run {

namespace {

// In the header of the file: whose it is ("dvtl"), and the version of its layout.
constexpr int kApplication = 0x6476746c;
constexpr int kVersion = 1;

// How long to wait for another process that is adding.
constexpr int kBusyMilliseconds = 10'000;

constexpr const char* kSchema = R"(
  CREATE TABLE measurement (
    id INTEGER PRIMARY KEY,
    workflow TEXT NOT NULL,
    kind TEXT NOT NULL,
    task TEXT NOT NULL,
    machine TEXT NOT NULL,
    run TEXT NOT NULL,
    processors INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    peak_kib INTEGER NOT NULL,
    ended INTEGER NOT NULL,        -- milliseconds since 1970
    estimate REAL NOT NULL,        -- seconds; 0: none
    was_assumed INTEGER NOT NULL,
    peak_memory INTEGER NOT NULL DEFAULT 0,  -- bytes; 0: not measured
    UNIQUE (machine, workflow, task, ended, run)
  );
  CREATE INDEX by_kind ON measurement (machine, workflow, kind, ended);
)";

constexpr const char* kColumns =
    "workflow, kind, task, machine, run, processors, seconds, cpu_seconds, peak_kib, ended, "
    "estimate, was_assumed";

// A column that earlier versions did not have. They go on reading and adding beside us.
constexpr const char* kMemoryColumn = "peak_memory";
constexpr const char* kAddMemory =
    "ALTER TABLE measurement ADD COLUMN peak_memory INTEGER NOT NULL DEFAULT 0";

std::string reason(const std::string& path, int code, const char* text) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return path + ": not a performance history, or damaged (" + text +
             "); move it away, and a new one is begun";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return path + ": another process keeps it locked; try again when that is done";
    default:
      return path + ": cannot be used: " + text + "; DOVETAIL_STATE names another folder";
  }
}

[[noreturn]] void fail(sqlite3* database) {
  throw ExecutionError(reason(sqlite3_db_filename(database, "main"),
                              sqlite3_extended_errcode(database), sqlite3_errmsg(database)));
}

// Binds values with their lengths instead of writing them into the text: names may hold anything.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& text) : database_(database) {
    check(sqlite3_prepare_v2(database, text.c_str(), -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <typename... Values>
  Statement& bind(const Values&... values) {
    check(sqlite3_reset(statement_));
    int place = 0;
    (bind_one(++place, values), ...);
    return *this;
  }

  // False when there are no more rows.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(database_);
    return code == SQLITE_ROW;
  }

  std::string text(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
  }
  std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) fail(database_);
  }
  void bind_one(int place, const std::string& value) {
    check(sqlite3_bind_text64(statement_, place, value.data(), value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
  }
  void bind_one(int place, double value) { check(sqlite3_bind_double(statement_, place, value)); }
  void bind_one(int place, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, place, value));
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

void execute(sqlite3* database, const std::string& text) {
  if (sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

std::int64_t ask(sqlite3* database, const std::string& text) {
  Statement statement(database, text);
  statement.step();
  return statement.whole(0);
}

// Rolled back unless it is committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    // Not deferred: two readers that both want to write would wait for each other.
    execute(database, "BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (database_ != nullptr) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    execute(database_, "COMMIT");
    database_ = nullptr;
  }

 private:
  sqlite3* database_;
};

// Whether the file has its tables; false for an empty file.
bool has_tables(sqlite3* database) {
  if (ask(database, "SELECT count(*) FROM sqlite_master") == 0) return false;
  const std::string path = sqlite3_db_filename(database, "main");
  if (ask(database, "PRAGMA application_id") != kApplication) {
    throw ExecutionError(path +
                         ": another program's database, not a performance history; "
                         "move it away, and a new one is begun");
  }
  const std::int64_t version = ask(database, "PRAGMA user_version");
  if (version != kVersion) {
    throw ExecutionError(fmt::format(
        "{}: a performance history of version {}, and this program knows version {}; use the "
        "Dovetail that wrote it, or move it away, and a new one is begun",
        path, version, kVersion));
  }
  return true;
}

void make_tables(sqlite3* database) {
  execute(database, kSchema);
  execute(database, fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                kApplication, kVersion));
}

std::vector<Measurement> rows_of(Statement& statement) {
  std::vector<Measurement> rows;
  while (statement.step()) {
    rows.push_back({.workflow = statement.text(0),
                    .kind = statement.text(1),
                    .task = statement.text(2),
                    .machine = statement.text(3),
                    .run = statement.text(4),
                    .processors = static_cast<Count>(statement.whole(5)),
                    .seconds = statement.real(6),
                    .cpu_seconds = statement.real(7),
                    .peak_kib = statement.whole(8),
                    .time = statement.whole(9),
                    .estimate = statement.real(10),
                    .was_assumed = statement.whole(11) != 0});
    rows.back().peak_memory = statement.whole(12);
  }
  return rows;
}

}  // namespace

std::string machine_name() {
  if (const char* own = std::getenv("DOVETAIL_MACHINE"); own != nullptr && *own != '\0') return own;
  std::array<char, 256> name{};
  const bool is_known = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return is_known ? name.data() : "localhost";
}

void PerformanceHistory::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }

std::string PerformanceHistory::default_path() { return state_folder() + "/history.sqlite"; }

PerformanceHistory::PerformanceHistory(std::string path) : path_(std::move(path)) { for_reading(); }
PerformanceHistory::~PerformanceHistory() = default;
PerformanceHistory::PerformanceHistory(PerformanceHistory&&) noexcept = default;
PerformanceHistory& PerformanceHistory::operator=(PerformanceHistory&&) noexcept = default;

// Keeps SQLite's default way of committing: the faster write-ahead log needs memory that all
// processes with the file share, which a network file system does not offer.
PerformanceHistory::Database PerformanceHistory::open(int flags) const {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &raw, flags, nullptr);
  Database database(raw);
  if (code != SQLITE_OK) throw ExecutionError(reason(path_, code, sqlite3_errstr(code)));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyMilliseconds);
  return database;
}

sqlite3* PerformanceHistory::for_reading() const {
  if (!database_) {
    std::error_code ignored;
    if (!std::filesystem::exists(path_, ignored)) return nullptr;
    database_ = open(SQLITE_OPEN_READWRITE);
  }
  if (!is_made_) is_made_ = has_tables(database_.get());
  return is_made_ ? database_.get() : nullptr;
}

sqlite3* PerformanceHistory::for_writing() {
  if (!database_) {
    std::error_code error;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) throw ExecutionError(reason(path_, SQLITE_CANTOPEN, error.message().c_str()));
    database_ = open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  }
  return database_.get();
}

bool PerformanceHistory::has_memory(sqlite3* database) const {
  if (!has_memory_) {
    has_memory_ = ask(database, fmt::format("SELECT count(*) FROM pragma_table_info('measurement') "
                                            "WHERE name = '{}'",
                                            kMemoryColumn)) > 0;
  }
  return has_memory_;
}

void PerformanceHistory::add(std::span<const Measurement> measurements) {
  if (measurements.empty()) return;
  sqlite3* database = for_writing();
  Transaction transaction(database);
  if (!is_made_ && !has_tables(database)) make_tables(database);
  if (!has_memory(database)) execute(database, kAddMemory);
  Statement insert(database, fmt::format("INSERT OR IGNORE INTO measurement ({}, {}) "
                                         "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                         kColumns, kMemoryColumn));
  Statement forget(database,
                   "DELETE FROM measurement WHERE id IN (SELECT id FROM measurement "
                   "WHERE machine = ? AND workflow = ? AND task = ? "
                   "ORDER BY ended DESC, run DESC LIMIT -1 OFFSET ?)");
  for (const Measurement& m : measurements) {
    insert
        .bind(m.workflow, m.kind, m.task, m.machine, m.run, std::int64_t{m.processors}, m.seconds,
              m.cpu_seconds, m.peak_kib, m.time, m.estimate, std::int64_t{m.was_assumed},
              m.peak_memory)
        .step();
    forget.bind(m.machine, m.workflow, m.task, static_cast<std::int64_t>(kKeptPerTask)).step();
  }
  transaction.commit();
  is_made_ = true;
}

std::vector<Measurement> PerformanceHistory::newest(const char* column, const std::string& value,
                                                    const std::string& workflow,
                                                    const std::string& machine,
                                                    std::size_t limit) const {
  sqlite3* database = for_reading();
  if (database == nullptr) return {};
  Statement query(database,
                  fmt::format("SELECT {}, {} FROM measurement "
                              "WHERE machine = ? AND workflow = ? AND {} = ? "
                              "ORDER BY ended DESC, id DESC LIMIT ?",
                              kColumns, has_memory(database) ? kMemoryColumn : "0", column));
  return rows_of(query.bind(machine, workflow, value, static_cast<std::int64_t>(limit)));
}

std::vector<Measurement> PerformanceHistory::of(const std::string& workflow,
                                                const std::string& kind, const std::string& machine,
                                                std::size_t limit) const {
  return newest("kind", kind, workflow, machine, limit);
}

std::vector<Measurement> PerformanceHistory::of_task(const std::string& workflow,
                                                     const std::string& task,
                                                     const std::string& machine,
                                                     std::size_t limit) const {
  return newest("task", task, workflow, machine, limit);
}

std::vector<PerformanceHistory::Kind> PerformanceHistory::kinds() const {
  sqlite3* database = for_reading();
  if (database == nullptr) return {};
  Statement query(database,
                  "SELECT DISTINCT workflow, kind, machine FROM measurement ORDER BY 1, 2, 3");
  std::vector<Kind> kinds;
  while (query.step()) {
    kinds.push_back({.workflow = query.text(0), .kind = query.text(1), .machine = query.text(2)});
  }
  return kinds;
}

}  // namespace dovetail::run
