// Formats that hold every pass: CSV and SQLite.
#include <sqlite3.h>

#include "cli/database_schema.hpp"
#include "cli/export_csv.hpp"
#include "cli/export_sqlite.hpp"
#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

std::vector<std::string> two_files(const Folder& folder) {
  return {fixtures::write_results(folder / "a.jsonl", {{"f<int, 2>(int)", {10, 20, 30}}, {"g()", {}}}),
          fixtures::write_results(folder / "b.jsonl", {{"f<int, 2>(int)", {40, 50}}}, "Vega 20", false)};
}

/// Rows of a query, "a|b" each.
std::vector<std::string> query(const std::string& database, const std::string& sql) {
  sqlite3* handle = nullptr;
  REQUIRE(::sqlite3_open_v2(database.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  std::vector<std::string> rows;
  const auto add = [](void* to, int count, char** values, char** /*names*/) {
    std::string row;
    for (int i = 0; i < count; ++i)
      row += (i == 0 ? "" : "|") + std::string(values[i] != nullptr ? values[i] : "-");
    static_cast<std::vector<std::string>*>(to)->push_back(row);
    return 0;
  };
  char* error = nullptr;
  const int done = ::sqlite3_exec(handle, sql.c_str(), add, &rows, &error);
  INFO(sql << ": " << (error != nullptr ? error : ""));
  CHECK(done == SQLITE_OK);
  ::sqlite3_free(error);
  ::sqlite3_close(handle);
  return rows;
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("C69: CSV has a row per pass, and each says which") {
  const Folder folder;
  const std::string path = folder / "out.csv";
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  Notes notes;
  const Status written = export_csv(two_files(folder), file, &notes);
  std::fclose(file);
  REQUIRE(written.ok());
  CHECK(notes.size() == 1);  // the second file is cut off
  const std::string text = fixtures::read_file(path);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 3 + 1 + 2);
  CHECK(has(text, "host,pid,start_unix_ns,dispatch,kernel,launch"));
  CHECK(has(text,
            ",1,\"f<int, "
            "2>(int)\",0,0,0,0,0,1024x1x1,0x0x0,replayed,none,,as_is,3,0,100,130,30,0,0,0,0,0,,0,none,,,,,,,,"
            ",,,,\n"));
  CHECK(has(text,
            ",2,g(),0,0,0,0,0,1024x1x1,0x0x0,declined,graph,,as_is,,,,,,0,0,0,0,0,,0,none,,,,,,,,,,,,\n"));
}

TEST_CASE("CSV: output that cannot be written is an error") {
  const Folder folder;
  std::FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  Notes notes;
  CHECK(export_csv(two_files(folder), full, &notes).code() == Error::io);
  std::fclose(full);
}

TEST_CASE("SQLite: tables hold every record, views answer the usual questions") {
  const Folder folder;
  const std::string database = folder / "out.db";
  Notes notes;
  REQUIRE(export_sqlite(two_files(folder), database, &notes).ok());
  CHECK(query(database, "PRAGMA user_version") == Rows{"2"});
  CHECK(query(database, "PRAGMA foreign_key_check").empty());
  CHECK(query(database, "SELECT id, complete FROM process") == Rows{"1|1", "2|0"});
  CHECK(query(database, "SELECT COUNT(*) FROM dispatch") == Rows{"3"});
  CHECK(query(database, "SELECT number, duration_ns FROM pass WHERE dispatch = 1") ==
        Rows{"1|10", "2|20", "3|30"});
  CHECK(query(database, "SELECT kernel, passes, min_ns, median_ns, max_ns, total_ns FROM kernel_time") ==
        Rows{"f<int, 2>(int)|5|10|30.0|50|150"});
  CHECK(query(database, "SELECT process, passes, min_ns, max_ns FROM launch_time") ==
        Rows{"1|3|10|30", "2|2|40|50"});
  CHECK(query(database, "SELECT * FROM outcome_count") ==
        Rows{"f<int, 2>(int)|replayed|none|2", "g()|declined|graph|1"});
  CHECK(query(database, "SELECT * FROM not_replayed") == Rows{"g()|declined|graph|1"});
  CHECK(query(database, "SELECT kernel, dispatches FROM snapshot_cost ORDER BY kernel") ==
        Rows{"f<int, 2>(int)|2", "g()|1"});
  // An even number of passes: the mean of the middle two.
  const std::string even = folder / "even.db";
  REQUIRE(
      export_sqlite({fixtures::write_results(folder / "c.jsonl", {{"h()", {10, 20, 40, 90}}})}, even, &notes)
          .ok());
  CHECK(query(even, "SELECT median_ns FROM kernel_time") == Rows{"30.0"});
}

TEST_CASE("CSV and SQLite have what a line says of its end, its error, its rank, options and code") {
  const Folder folder;
  const std::string golden = KREPLAY_SOURCE_DIR "/tests/unit/report/golden/results-1.jsonl";
  std::FILE* file = std::fopen((folder / "out.csv").c_str(), "w");
  REQUIRE(file != nullptr);
  Notes notes;
  REQUIRE(export_csv({golden}, file, &notes).ok());
  std::fclose(file);
  const std::string text = fixtures::read_file(folder / "out.csv");
  CHECK(has(text, ",window_ns,rank,lds_bytes,passes_end,relative_error_ppm,kernel_vgprs,"));
  CHECK(has(text,
            ",70000,3,4352,converged,4300,36,4,22,1,2,4096,16,280,000000000000cafe,0000000000decade,1536\n"));
  CHECK(has(text, ",0,3,0,none,,,,,,,,,,,,\n"));
  const size_t columns =
      static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(text.find('\n')), ','));
  CHECK(columns == 40);
  const std::string database = folder / "out.db";
  REQUIRE(export_sqlite({golden}, database, &notes).ok());
  CHECK(query(database, "SELECT rank FROM process") == Rows{"3"});
  CHECK(query(database, "SELECT value FROM kernel_fact WHERE name = 'code_bytes'") == Rows{"1536"});
  CHECK(query(database, "SELECT passes_end, relative_error_ppm, lds_bytes FROM dispatch") ==
        Rows{"converged|4300|4352", "none|-|0", "none|-|0"});
  CHECK(query(database, "SELECT name, value FROM process_option ORDER BY name") ==
        Rows{"KREPLAY_OUTPUT|run-%p.jsonl", "KREPLAY_PASSES|3"});
  CHECK(query(database, "SELECT value FROM process_machine WHERE name = 'driver'") == Rows{"6.8.5"});
  CHECK(query(database, "SELECT launches, median_ns, run_ns FROM kernel_time") == Rows{"1|12300.0|12300.0"});
}

TEST_CASE("a pass that ends before it starts is in CSV and SQLite as it is, and in no figure") {
  const Folder folder;
  std::string text =
      fixtures::read_file(fixtures::write_results(folder / "a.jsonl", {{"f()", {10, 20, 30}}}));
  text.replace(text.find("[100,110]"), 9, "[110,100]");
  const std::string path = fixtures::write_file(folder / "b.jsonl", text);
  std::FILE* file = std::fopen((folder / "out.csv").c_str(), "w");
  REQUIRE(file != nullptr);
  Notes notes;
  REQUIRE(export_csv({path}, file, &notes).ok());
  std::fclose(file);
  CHECK(has(fixtures::read_file(folder / "out.csv"), ",1,0,110,100,-10,"));
  REQUIRE(export_sqlite({path}, folder / "out.db", &notes).ok());
  CHECK(query(folder / "out.db", "SELECT duration_ns FROM pass ORDER BY number") == Rows{"-10", "20", "30"});
  CHECK(query(folder / "out.db", "SELECT passes, min_ns FROM kernel_time") == Rows{"2|20"});
}

TEST_CASE("SQLite: kernels come by time per run, however many passes they had") {
  const Folder folder;
  const std::string path = fixtures::write_results(
      folder / "a.jsonl", {{"many()", std::vector<uint64_t>(100, 10)}, {"long()", {20}}});
  Notes notes;
  REQUIRE(export_sqlite({path}, folder / "out.db", &notes).ok());
  CHECK(query(folder / "out.db", "SELECT kernel, run_ns, total_ns FROM kernel_time") ==
        Rows{"long()|20.0|20", "many()|10.0|1000"});
}

TEST_CASE("SQLite: never overwrites, and leaves nothing half-written") {
  const Folder folder;
  Notes notes;
  const std::string there = fixtures::write_file(folder / "there.db", "mine");
  CHECK(has(export_sqlite(two_files(folder), there, &notes).message(), "exists already"));
  CHECK(fixtures::read_file(there) == "mine");
  const std::string database = folder / "new.db";
  CHECK(!export_sqlite({two_files(folder)[0], folder / "absent.jsonl"}, database, &notes).ok());
  CHECK(!std::filesystem::exists(database));
  CHECK(export_sqlite(two_files(folder), folder / "no/such/folder.db", &notes).code() == Error::io);
}

TEST_CASE("docs/results.md has every table and view of the database") {
  const std::string page = fixtures::read_file(KREPLAY_SOURCE_DIR "/docs/results.md");
  const std::string schema = kDatabaseSchema;
  size_t names = 0;
  for (const std::string kind : {"CREATE TABLE ", "CREATE VIEW "}) {
    for (size_t at = schema.find(kind); at != std::string::npos; at = schema.find(kind, at + 1)) {
      const size_t begin = at + kind.size();
      const std::string name = schema.substr(begin, schema.find(' ', begin) - begin);
      INFO(name);
      CHECK(has(page, "`" + name + "`"));
      ++names;
    }
  }
  CHECK(names == 15);
}
