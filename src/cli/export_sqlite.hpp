// Result files as an SQLite database (docs/results.md has its schema).
#pragma once

#include <string>
#include <vector>

#include "cli/result_reader.hpp"

namespace kreplay::cli {

/// Version of the tables and views, as PRAGMA user_version has it.
constexpr int kDatabaseVersion = 2;

/// Creates a database. Memory does not grow with the number of dispatches.
/// @param database must not exist; removed again on failure
/// @return a failed read of a file, or Error::io with SQLite's reason
Status export_sqlite(const std::vector<std::string>& paths, const std::string& database, Notes* notes);

}  // namespace kreplay::cli
