#include "cli/export_sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "cli/database_schema.hpp"
#include "cli/samples.hpp"

namespace kreplay::cli {
namespace {

/// SQLite failed; the text is its reason.
class DatabaseError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Database {
 public:
  explicit Database(const std::string& path) {
    const int opened =
        ::sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    if (opened == SQLITE_OK) return;
    const std::string why = handle_ != nullptr ? ::sqlite3_errmsg(handle_) : "out of memory";
    ::sqlite3_close(handle_);
    throw DatabaseError(why);
  }
  ~Database() { ::sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void check(int result) {
    if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW)
      throw DatabaseError(::sqlite3_errmsg(handle_));
  }
  void run(const char* sql) { check(::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr)); }
  sqlite3* handle() { return handle_; }
  int64_t last_id() { return ::sqlite3_last_insert_rowid(handle_); }

 private:
  sqlite3* handle_ = nullptr;
};

/// The id of another row, which are numbered from 1; 0 refers to none.
struct Reference {
  int64_t id = 0;
};

/// A prepared INSERT; a call binds its values in order.
class Insert {
 public:
  Insert(Database& database, const std::string& table, int columns) : database_(database) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (int i = 1; i < columns; ++i) sql += ",?";
    sql += ")";
    database_.check(::sqlite3_prepare_v2(database_.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Insert() { ::sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  /// @return the new row's id
  template <typename... Values>
  int64_t operator()(const Values&... values) {
    int column = 0;
    (bind(++column, values), ...);
    database_.check(::sqlite3_step(statement_));
    database_.check(::sqlite3_reset(statement_));
    return database_.last_id();
  }

 private:
  void bind(int column, const std::string& text) {
    database_.check(
        ::sqlite3_bind_text(statement_, column, text.data(), static_cast<int>(text.size()),
                            SQLITE_TRANSIENT));  // NOLINT(performance-no-int-to-ptr): SQLite's macro
  }
  void bind(int column, const char* text) { bind(column, std::string(text)); }
  void bind(int column, uint64_t value) { bind(column, static_cast<int64_t>(value)); }
  void bind(int column, uint32_t value) { bind(column, static_cast<int64_t>(value)); }
  void bind(int column, int64_t value) { database_.check(::sqlite3_bind_int64(statement_, column, value)); }
  void bind(int column, std::nullptr_t /*null*/) { database_.check(::sqlite3_bind_null(statement_, column)); }
  void bind(int column, std::optional<uint64_t> value) {
    if (value)
      bind(column, *value);
    else
      bind(column, nullptr);
  }
  void bind(int column, Reference reference) {
    if (reference.id == 0)
      bind(column, nullptr);
    else
      bind(column, reference.id);
  }

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class DatabaseWriter : public ResultVisitor {
 public:
  explicit DatabaseWriter(Database& database)
      : database_(database),
        process_(database, "process", 14),
        option_(database, "process_option", 3),
        machine_(database, "process_machine", 3),
        skipped_(database, "skipped", 3),
        kernel_(database, "kernel", 5),
        fact_(database, "kernel_fact", 3),
        outcome_(database, "outcome", 3),
        dispatch_(database, "dispatch", 29),
        pass_(database, "pass", 5) {}

  void header(const HeaderLine& line) override {
    process_id_ =
        process_(nullptr, line.path, line.schema, line.host, line.pid, line.program, line.start,
                 line.start_unix_ns, line.tool, line.machine_key, uint64_t{0}, nullptr, nullptr, line.rank);
    for (const auto& [name, value] : line.options) option_(process_id_, name, value);
    for (const auto& [name, value] : line.machine) machine_(process_id_, name, value);
    kernels_.clear();
  }

  void kernel(const KernelLine& line) override {
    const int64_t id = kernel_(nullptr, process_id_, line.id, line.name, line.symbol);
    kernels_[line.id] = id;
    for (const auto& [name, value] : line.facts) fact_(id, name, value);
  }

  void dispatch(const DispatchLine& line) override {
    const report::DispatchRecord& r = line.record;
    const Reference kernel{line.kernel != nullptr ? kernels_.at(line.kernel->id) : 0};
    std::optional<uint64_t> lds;
    if (line.has_lds) lds = r.lds_bytes;
    std::optional<uint64_t> error;
    if (r.relative_error_ppm != report::kUnknownError) error = r.relative_error_ppm;
    const int64_t id =
        dispatch_(nullptr, process_id_, r.dispatch_id, kernel, outcome_id(r), r.launch, r.agent_node,
                  r.queue_id, r.thread_id, r.correlation_id, dimensions(r.grid), dimensions(r.workgroup),
                  line.detail, line.tier, line.cache, r.passes_requested, r.passes_run, r.warmup, r.extents,
                  r.bytes_saved, r.bytes_restored, r.save_ns, r.restore_ns, r.window_ns, r.unverified_bytes,
                  line.launch_site, lds, line.passes_end, error);
    uint64_t number = 0;
    for (const report::PassTime& pass : line.passes)
      pass_(id, ++number, pass.start_ns, pass.end_ns, static_cast<int64_t>(pass.end_ns - pass.start_ns));
  }

  void trailer(const TrailerLine& line) override {
    for (const auto& [reason, count] : line.skipped) skipped_(process_id_, report::name_of(reason), count);
    database_.run(
        fmt::format("UPDATE process SET complete = 1, end_unix_ns = {}, lines_lost = {} WHERE id = {}",
                    line.end_unix_ns, line.lines_lost, process_id_)
            .c_str());
  }

 private:
  int64_t outcome_id(const report::DispatchRecord& record) {
    const auto [place, added] = outcomes_.try_emplace({record.outcome, record.reason});
    if (added)
      place->second = outcome_(nullptr, report::name_of(record.outcome), report::name_of(record.reason));
    return place->second;
  }

  Database& database_;
  Insert process_, option_, machine_, skipped_, kernel_, fact_, outcome_, dispatch_, pass_;
  int64_t process_id_ = 0;
  std::map<uint64_t, int64_t> kernels_;  ///< of the current process
  std::map<std::pair<report::Outcome, report::Reason>, int64_t> outcomes_;
};

Status fill(const std::vector<std::string>& paths, const std::string& path, Notes* notes) {
  Database database(path);
  database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");  // removed as a whole on failure
  database.run(kDatabaseSchema);
  database.run(fmt::format("PRAGMA user_version = {}; BEGIN", kDatabaseVersion).c_str());
  {
    DatabaseWriter writer(database);
    for (const std::string& one : paths)
      if (Status read = read_result_file(one, writer, notes); !read) return read;
  }
  database.run("COMMIT; CREATE INDEX dispatch_kernel ON dispatch (kernel)");
  return {};
}

}  // namespace

Status export_sqlite(const std::vector<std::string>& paths, const std::string& database, Notes* notes) {
  if (::access(database.c_str(), F_OK) == 0)
    return {Error::invalid_argument, database + ": exists already; a database is never overwritten"};
  Status status;
  try {
    status = fill(paths, database, notes);
  } catch (const DatabaseError& error) {
    status = {Error::io, database + ": " + error.what()};
  }
  if (!status) ::unlink(database.c_str());
  return status;
}

}  // namespace kreplay::cli
