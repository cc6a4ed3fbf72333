#include "cli/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace kreplay::cli {
namespace {

using report::Outcome;
using report::Reason;

class Collector : public ResultVisitor {
 public:
  explicit Collector(Results* out) : out_(*out) {
    for (const auto& [id, kernel] : out_.totals.kernels) ids_[kernel.name] = id;
  }

  void header(const HeaderLine& line) override {
    places_.clear();
    out_.processes.push_back({line, 0, false});
    if (line.machine_key != out_.processes.front().header.machine_key)
      out_.notes.push_back(line.path + ": comes from another machine than the first file");
  }

  void kernel(const KernelLine& line) override {
    places_.erase(&line);
    Facts& facts = out_.facts[line.name];
    for (const auto& [name, value] : line.facts) facts[name].insert(value);
  }

  void dispatch(const DispatchLine& line) override {
    ++out_.processes.back().dispatches;
    report::DispatchRecord record = line.record;
    report::KernelInfo kernel;
    KernelPlace* place = nullptr;
    if (line.kernel != nullptr) {
      place = &place_of(*line.kernel);
      kernel.kernel_id = place->id;
      kernel.symbol = line.kernel->symbol;
      kernel.demangled = line.kernel->name;
      record.kernel = &kernel;
    }
    out_.totals.add(record);
    if (line.passes.empty()) return;
    if (line.cache != last_cache_ || out_.cache_modes.empty()) {
      last_cache_ = line.cache;
      out_.cache_modes.insert(line.cache);
    }
    const bool timed = record.outcome == Outcome::replayed || record.outcome == Outcome::stopped;
    if (place == nullptr || !timed) return;
    const uint64_t impossible = report::counted_passes(record, &times_ns_);
    if (impossible != 0) {
      out_.impossible_passes[key_of(line)] += impossible;
      impossible_ += impossible;
    }
    if (times_ns_.empty()) return;
    pass_ns_.assign(times_ns_.begin(), times_ns_.end());
    samples_of(line, place).add(out_.runs, pass_ns_);
  }

  void trailer(const TrailerLine& line) override {
    out_.processes.back().complete = true;
    for (const auto& [reason, count] : line.skipped)
      out_.totals.sums.skipped[static_cast<size_t>(reason)] += count;
    out_.totals.lines_lost += line.lines_lost;
  }

  uint64_t impossible() const { return impossible_; }

 private:
  /// Where what belongs to a kernel line goes: looked up once, not for every dispatch.
  struct KernelPlace {
    uint64_t id = 0;
    std::map<std::array<uint32_t, 6>, Samples*> shapes;
  };

  static ShapeKey key_of(const DispatchLine& line) {
    ShapeKey key{line.kernel->name, {}, {}};
    std::copy(std::begin(line.record.grid), std::end(line.record.grid), key.grid.begin());
    std::copy(std::begin(line.record.workgroup), std::end(line.record.workgroup), key.workgroup.begin());
    return key;
  }

  KernelPlace& place_of(const KernelLine& kernel) {
    const auto [at, added] = places_.try_emplace(&kernel);
    if (added) at->second.id = ids_.try_emplace(kernel.name, ids_.size() + 1).first->second;
    return at->second;
  }

  Samples& samples_of(const DispatchLine& line, KernelPlace* place) {
    const auto& [grid, workgroup] = std::tie(line.record.grid, line.record.workgroup);
    Samples*& samples = place->shapes[{grid[0], grid[1], grid[2], workgroup[0], workgroup[1], workgroup[2]}];
    if (samples == nullptr) samples = &out_.samples[key_of(line)];
    return *samples;
  }

  Results& out_;
  std::map<std::string, uint64_t> ids_;                        ///< of kernels by name
  std::unordered_map<const KernelLine*, KernelPlace> places_;  ///< of the current process
  std::string last_cache_;
  uint64_t impossible_ = 0;
  std::vector<uint64_t> times_ns_;  ///< these two are kept for their memory
  std::vector<double> pass_ns_;
};

}  // namespace

Status read_results(const std::string& path, Results* results) { return read_run({path}, results); }

Status read_run(const std::vector<std::string>& paths, Results* results) {
  Status status;
  for (const std::string& path : paths) {
    Collector collector(results);
    status = read_result_file(path, collector, &results->notes);
    if (const uint64_t count = collector.impossible(); count != 0)
      results->notes.push_back(fmt::format("{}: {} pass{} left out that end{} before {} start", path, count,
                                           count == 1 ? " is" : "es are", count == 1 ? "s" : "",
                                           count == 1 ? "its" : "their"));
    if (!status) break;
  }
  ++results->runs;
  return status;
}

}  // namespace kreplay::cli
