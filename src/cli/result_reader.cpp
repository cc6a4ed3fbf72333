#include "cli/result_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace kreplay::cli {
namespace {

using Json = nlohmann::json;
using report::DispatchRecord;
using report::Outcome;
using report::Reason;

template <typename Enum>
std::optional<Enum> enum_of(const std::string& name, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (name == report::name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  return std::nullopt;
}

/// A file while it is being read. Kernel ids are per file, so kernels get ids of their own here.
struct Reader {
  const std::string& path;
  Results& out;
  std::map<uint64_t, report::KernelInfo> kernels;
  std::map<uint64_t, std::string> names;  ///< stable storage of the kernels' names
  uint64_t base_id = 0;
  bool header_seen = false;
  bool trailer_seen = false;
  uint64_t unreadable = 0;

  Status header(const Json& line);
  void kernel(const Json& line);
  void dispatch(const Json& line);
  void trailer(const Json& line);
};

Status Reader::header(const Json& line) {
  const auto schema = line.at("schema").get<uint64_t>();
  if (schema == 0 || schema > report::kSchemaVersion) {
    return {Error::invalid_argument,
            fmt::format("{}: schema {} is not known to this program, which reads up to {}", path, schema,
                        report::kSchemaVersion)};
  }
  header_seen = true;
  if (!out.machine_key.empty()) {
    if (out.machine_key != line.value("machine_key", ""))
      out.notes.push_back(path + ": comes from another machine than the first file");
    return {};
  }
  out.program = line.value("program", "");
  out.host = line.value("host", "");
  out.start = line.value("start", "");
  out.producer = line.value("producer", "");
  out.machine_key = line.value("machine_key", "");
  const Json machine = line.value("machine", Json::object());  // named: items() refers to it
  for (const auto& [name, value] : machine.items())
    if (value.is_string()) out.machine[name] = value.get<std::string>();
  return {};
}

void Reader::kernel(const Json& line) {
  const auto id = line.at("id").get<uint64_t>();
  std::string& name = names[id];
  name = line.at("name").get<std::string>();
  report::KernelInfo& info = kernels[id];
  info.kernel_id = base_id + kernels.size();
  info.demangled = name;
}

void Reader::dispatch(const Json& line) {
  DispatchRecord record;
  const auto outcome = enum_of<Outcome>(line.at("outcome"), report::kOutcomes);
  const auto reason = enum_of<Reason>(line.at("reason"), report::kReasons);
  if (!outcome || !reason) throw std::invalid_argument("unknown outcome or reason");
  record.outcome = *outcome;
  record.reason = *reason;
  if (!line.at("kernel").is_null()) record.kernel = &kernels.at(line.at("kernel").get<uint64_t>());
  record.passes_run = line.at("passes_run");
  record.warmup = std::min(line.value("warmup", uint64_t{0}), record.passes_run);
  record.bytes_saved = line.at("bytes_saved");
  record.bytes_restored = line.at("bytes_restored");
  record.save_ns = line.at("save_ns");
  record.restore_ns = line.at("restore_ns");
  record.window_ns = line.at("window_ns");
  record.unverified_bytes = line.at("unverified_bytes");
  std::vector<report::PassTime> passes;
  for (const Json& pass : line.at("passes")) passes.push_back({pass.at(0), pass.at(1)});
  if (passes.size() == record.passes_run) record.passes = passes.data();

  const std::string cache = line.value("cache", "");
  const auto place = std::lower_bound(out.cache_modes.begin(), out.cache_modes.end(), cache);
  if (place == out.cache_modes.end() || *place != cache) out.cache_modes.insert(place, cache);
  if (record.kernel != nullptr &&
      (record.outcome == Outcome::replayed || record.outcome == Outcome::stopped)) {
    ShapeKey key{std::string(record.kernel->demangled), line.at("grid"), line.at("workgroup")};
    Samples& samples = out.samples[std::move(key)];
    for (size_t i = record.warmup; i < passes.size(); ++i)
      if (passes[i].end_ns >= passes[i].start_ns)
        samples.add(static_cast<double>(passes[i].end_ns - passes[i].start_ns));
  }
  out.totals.add(record);
}

void Reader::trailer(const Json& line) {
  trailer_seen = true;
  for (const auto& [name, count] : line.at("skipped").items())
    if (const auto reason = enum_of<Reason>(name, report::kReasons))
      out.totals.sums.skipped[static_cast<size_t>(*reason)] += count.get<uint64_t>();
  out.totals.lines_lost += line.at("lines_lost").get<uint64_t>();
}

}  // namespace

void Samples::add(double value) {
  ++seen;
  if (ns.size() < kMost) {
    ns.push_back(value);
    return;
  }
  // Reservoir sampling with a fixed sequence, so that a file gives the same figures every time.
  uint64_t mixed = seen * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  const uint64_t slot = (mixed ^ (mixed >> 31)) % seen;
  if (slot < kMost) ns[slot] = value;
}

Status read_results(const std::string& path, Results* results) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {Error::io, path + ": " + std::strerror(errno)};
  if (S_ISDIR(info.st_mode)) return {Error::io, path + ": is a directory, not a result file"};
  std::ifstream file(path);
  if (!file) return {Error::io, path + ": cannot be read: " + std::strerror(errno)};
  Reader reader{path, *results, {}, {}, results->totals.kernels.size(), false, false, 0};
  bool any = false;
  for (std::string line; std::getline(file, line);) {
    any = true;
    const bool cut = file.eof();  // the last line has no newline
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
      if (!reader.header_seen) return {Error::invalid_argument, path + ": is not a result file"};
      if (!cut) ++reader.unreadable;
      continue;
    }
    try {
      const std::string type = json.at("type");
      if (!reader.header_seen && type != "header")
        return {Error::invalid_argument, path + ": is not a result file"};
      if (type == "header") {
        if (Status known = reader.header(json); !known) return known;
      } else if (type == "kernel") {
        reader.kernel(json);
      } else if (type == "dispatch") {
        reader.dispatch(json);
      } else if (type == "trailer") {
        reader.trailer(json);
      }  // types of later versions are passed over
    } catch (const std::exception&) {
      if (!reader.header_seen) return {Error::invalid_argument, path + ": is not a result file"};
      ++reader.unreadable;
    }
  }
  if (!any) return {Error::invalid_argument, path + ": is empty; the process recorded nothing"};
  if (!reader.trailer_seen) {
    results->notes.push_back(path +
                             ": has no trailer, so it is cut off: the process was killed, left through "
                             "_exit, or still runs");
  }
  if (reader.unreadable != 0) {
    results->notes.push_back(fmt::format("{}: {} line{} could not be understood and {} left out", path,
                                         reader.unreadable, reader.unreadable == 1 ? "" : "s",
                                         reader.unreadable == 1 ? "is" : "are"));
  }
  return {};
}

}  // namespace kreplay::cli
