#include "cli/results.hpp"

#include <algorithm>

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
    out_.processes.push_back({line, 0, false});
    if (line.machine_key != out_.processes.front().header.machine_key)
      out_.notes.push_back(line.path + ": comes from another machine than the first file");
  }

  void kernel(const KernelLine& line) override {
    Facts& facts = out_.facts[line.name];
    for (const auto& [name, value] : line.facts) facts[name].insert(value);
  }

  void dispatch(const DispatchLine& line) override {
    ++out_.processes.back().dispatches;
    report::DispatchRecord record = line.record;
    report::KernelInfo kernel;
    if (line.kernel != nullptr) {
      kernel.kernel_id = ids_.try_emplace(line.kernel->name, ids_.size() + 1).first->second;
      kernel.symbol = line.kernel->symbol;
      kernel.demangled = line.kernel->name;
      record.kernel = &kernel;
    }
    out_.totals.add(record);
    if (line.passes.empty()) return;
    out_.cache_modes.insert(line.cache);
    const bool timed = record.outcome == Outcome::replayed || record.outcome == Outcome::stopped;
    if (line.kernel == nullptr || !timed) return;
    pass_ns_.clear();
    for (size_t i = record.warmup; i < line.passes.size(); ++i) {
      const report::PassTime& pass = line.passes[i];
      if (pass.end_ns >= pass.start_ns) pass_ns_.push_back(static_cast<double>(pass.end_ns - pass.start_ns));
    }
    ShapeKey key{line.kernel->name, {}, {}};
    std::copy(std::begin(record.grid), std::end(record.grid), key.grid.begin());
    std::copy(std::begin(record.workgroup), std::end(record.workgroup), key.workgroup.begin());
    if (!pass_ns_.empty()) out_.samples[std::move(key)].add(out_.runs, pass_ns_);
  }

  void trailer(const TrailerLine& line) override {
    out_.processes.back().complete = true;
    for (const auto& [reason, count] : line.skipped)
      out_.totals.sums.skipped[static_cast<size_t>(reason)] += count;
    out_.totals.lines_lost += line.lines_lost;
  }

 private:
  Results& out_;
  std::map<std::string, uint64_t> ids_;  ///< of kernels by name
  std::vector<double> pass_ns_;          ///< kept for its memory
};

}  // namespace

Status read_results(const std::string& path, Results* results) { return read_run({path}, results); }

Status read_run(const std::vector<std::string>& paths, Results* results) {
  Status status;
  for (const std::string& path : paths) {
    Collector collector(results);
    status = read_result_file(path, collector, &results->notes);
    if (!status) break;
  }
  ++results->runs;
  return status;
}

}  // namespace kreplay::cli
