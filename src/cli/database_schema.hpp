// Tables and views of the database that `kreplay report --format sqlite` writes. docs/results.md explains
// them; a test compares the two.
#pragma once

namespace kreplay::cli {

inline constexpr const char* kDatabaseSchema = R"sql(
CREATE TABLE process (
  id INTEGER PRIMARY KEY, file TEXT NOT NULL, schema INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL,
  program TEXT NOT NULL, start TEXT NOT NULL, start_unix_ns INTEGER NOT NULL, tool TEXT NOT NULL,
  machine_key TEXT NOT NULL, complete INTEGER NOT NULL, end_unix_ns INTEGER, lines_lost INTEGER, rank INTEGER);
CREATE TABLE process_option (
  process INTEGER NOT NULL REFERENCES process(id), name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE process_machine (
  process INTEGER NOT NULL REFERENCES process(id), name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE skipped (
  process INTEGER NOT NULL REFERENCES process(id), reason TEXT NOT NULL, launches INTEGER NOT NULL);
CREATE TABLE kernel (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id), number INTEGER NOT NULL,
  name TEXT NOT NULL, symbol TEXT NOT NULL);
CREATE TABLE kernel_fact (
  kernel INTEGER NOT NULL REFERENCES kernel(id), name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE outcome (
  id INTEGER PRIMARY KEY, outcome TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE (outcome, reason));
CREATE TABLE dispatch (
  id INTEGER PRIMARY KEY, process INTEGER NOT NULL REFERENCES process(id), number INTEGER NOT NULL,
  kernel INTEGER REFERENCES kernel(id), outcome INTEGER NOT NULL REFERENCES outcome(id), launch INTEGER NOT NULL,
  agent INTEGER NOT NULL, queue INTEGER NOT NULL, thread INTEGER NOT NULL, correlation INTEGER NOT NULL,
  grid TEXT NOT NULL, workgroup TEXT NOT NULL, detail TEXT NOT NULL, tier TEXT NOT NULL, cache TEXT NOT NULL,
  passes_requested INTEGER NOT NULL, passes_run INTEGER NOT NULL, warmup INTEGER NOT NULL, extents INTEGER NOT NULL,
  bytes_saved INTEGER NOT NULL, bytes_restored INTEGER NOT NULL, save_ns INTEGER NOT NULL,
  restore_ns INTEGER NOT NULL, window_ns INTEGER NOT NULL, unverified_bytes INTEGER NOT NULL, launch_site TEXT, lds_bytes INTEGER, passes_end TEXT NOT NULL,
  relative_error_ppm INTEGER);
CREATE TABLE pass (
  dispatch INTEGER NOT NULL REFERENCES dispatch(id), number INTEGER NOT NULL, start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL, PRIMARY KEY (dispatch, number)) WITHOUT ROWID;

CREATE VIEW pass_time AS
  SELECT kernel.name AS kernel, dispatch.grid, dispatch.workgroup, dispatch.process, dispatch.launch,
         pass.dispatch, pass.number AS pass, pass.duration_ns
  FROM pass JOIN dispatch ON dispatch.id = pass.dispatch JOIN outcome ON outcome.id = dispatch.outcome
       LEFT JOIN kernel ON kernel.id = dispatch.kernel
  WHERE outcome.outcome IN ('replayed', 'stopped') AND pass.number > dispatch.warmup
        AND pass.end_ns >= pass.start_ns;
CREATE VIEW launch_time AS
  WITH ranked AS (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY dispatch ORDER BY duration_ns) AS place,
           COUNT(*) OVER (PARTITION BY dispatch) AS passes
    FROM pass_time)
  SELECT process, dispatch, kernel, grid, workgroup, launch, passes, MIN(duration_ns) AS min_ns,
         AVG(duration_ns) AS mean_ns, MAX(duration_ns) AS max_ns,
         AVG(CASE WHEN place IN ((passes + 1) / 2, (passes + 2) / 2) THEN duration_ns END) AS median_ns
  FROM ranked GROUP BY dispatch;
CREATE VIEW kernel_time AS
  WITH ranked AS (
    SELECT kernel, grid, workgroup, duration_ns,
           ROW_NUMBER() OVER (PARTITION BY kernel, grid, workgroup ORDER BY duration_ns) AS place,
           COUNT(*) OVER (PARTITION BY kernel, grid, workgroup) AS passes
    FROM pass_time),
  times AS (
    SELECT kernel, grid, workgroup, passes, MIN(duration_ns) AS min_ns,
           AVG(CASE WHEN place IN ((passes + 1) / 2, (passes + 2) / 2) THEN duration_ns END) AS median_ns,
           MAX(duration_ns) AS max_ns, AVG(duration_ns) AS mean_ns, SUM(duration_ns) AS total_ns
    FROM ranked GROUP BY kernel, grid, workgroup),
  runs AS (
    SELECT kernel, grid, workgroup, COUNT(*) AS launches,
           SUM(median_ns) / (SELECT COUNT(DISTINCT file) FROM process) AS run_ns
    FROM launch_time GROUP BY kernel, grid, workgroup)
  SELECT times.*, launches, run_ns
  FROM times JOIN runs ON times.kernel IS runs.kernel AND times.grid = runs.grid AND times.workgroup = runs.workgroup
  ORDER BY run_ns DESC;
CREATE VIEW outcome_count AS
  SELECT kernel.name AS kernel, outcome.outcome, outcome.reason, COUNT(*) AS dispatches
  FROM dispatch JOIN outcome ON outcome.id = dispatch.outcome LEFT JOIN kernel ON kernel.id = dispatch.kernel
  GROUP BY kernel.name, outcome.id ORDER BY dispatches DESC;
CREATE VIEW not_replayed AS
  SELECT kernel, outcome, reason, dispatches FROM outcome_count WHERE outcome <> 'replayed';
CREATE VIEW snapshot_cost AS
  SELECT kernel.name AS kernel, COUNT(*) AS dispatches, SUM(bytes_saved) AS bytes_saved,
         SUM(bytes_restored) AS bytes_restored, SUM(save_ns) AS save_ns, SUM(restore_ns) AS restore_ns,
         SUM(window_ns) AS window_ns
  FROM dispatch LEFT JOIN kernel ON kernel.id = dispatch.kernel GROUP BY kernel.name ORDER BY window_ns DESC;
)sql";

}  // namespace kreplay::cli
