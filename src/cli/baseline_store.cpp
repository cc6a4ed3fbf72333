#include "cli/baseline_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/results.hpp"

namespace kreplay::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "/kreplay-baselines";

std::vector<std::string> runs_in(const fs::path& folder) {
  std::vector<std::string> runs;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl") runs.push_back(entry.path());
  std::sort(runs.begin(), runs.end());  // names begin with the time, 19 digits until the year 2286
  return runs;
}

/// Why a file is no baseline; empty when it is one.
std::string unfit(const Results& results) {
  for (const Process& process : results.processes) {
    if (!process.complete) return "is cut off";
    if (process.header.machine_key != results.processes.front().header.machine_key)
      return "holds results of several machines";
    if (process.header.machine_key.empty()) return "has no machine key";
  }
  return results.samples.empty() ? "has no measured pass" : "";
}

/// Names of files are made of names of hosts: only what is harmless there stays.
std::string harmless(std::string text) {
  for (char& c : text)
    if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = '_';
  return text;
}

}  // namespace

bool BaselineStore::is_store(const std::string& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder + kMark, ignored);
}

Result<BaselineStore::Added> BaselineStore::add(const std::string& path, size_t keep) {
  Results results;
  if (Status read = read_results(path, &results); !read) return read;
  if (const std::string why = unfit(results); !why.empty())
    return {Error::invalid_argument, path + ": " + why + ", so it cannot be a baseline"};
  const HeaderLine& header = results.processes.front().header;
  try {
    const fs::path folder = folder_of(header.machine_key);
    fs::create_directories(folder);
    if (!is_store(folder_)) std::ofstream(folder_ + kMark) << "1\n";
    const fs::path to =
        folder / fmt::format("{}-{}-{}.jsonl", header.start_unix_ns, header.pid, harmless(header.host));
    const fs::path part = to.string() + ".part";  // never half a run under a run's name
    fs::copy_file(path, part, fs::copy_options::overwrite_existing);
    fs::rename(part, to);
    std::vector<std::string> runs = runs_in(folder);
    for (; runs.size() > keep; runs.erase(runs.begin())) fs::remove(runs.front());
    return Added{to, header.machine_key, runs.size()};
  } catch (const fs::filesystem_error& error) {
    return {Error::io, error.what()};
  }
}

Status BaselineStore::clear(const std::string& machine_key) {
  std::error_code error;
  if (is_store(folder_)) fs::remove_all(folder_of(machine_key), error);
  return error ? Status(Error::io, folder_of(machine_key) + ": " + error.message()) : Status();
}

Result<std::vector<BaselineStore::Machine>> BaselineStore::machines() const {
  if (!is_store(folder_)) return {Error::not_found, folder_ + ": is no store of baselines"};
  std::vector<Machine> machines;
  try {
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.is_directory()) machines.push_back({entry.path().filename(), runs_in(entry.path())});
  } catch (const fs::filesystem_error& error) {
    return {Error::io, error.what()};
  }
  std::sort(machines.begin(), machines.end(),
            [](const Machine& a, const Machine& b) { return a.key < b.key; });
  return machines;
}

}  // namespace kreplay::cli
