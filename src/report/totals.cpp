#include "report/totals.hpp"

#include <algorithm>

namespace kreplay::report {
namespace {

/// Reorders them; 0 when there are none.
double median_of(std::vector<uint64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto high = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return high;
  return (high + static_cast<double>(*std::max_element(values.begin(), middle))) / 2;
}

}  // namespace

uint64_t Sums::skipped_sum() const {
  uint64_t sum = 0;
  for (const uint64_t count : skipped) sum += count;
  return sum;
}

void Sums::add(const DispatchRecord& record) {
  ++dispatches;
  ++outcomes[static_cast<size_t>(record.outcome)];
  if (record.outcome == Outcome::declined) ++declined[static_cast<size_t>(record.reason)];
  if (record.outcome == Outcome::stopped) ++stopped[static_cast<size_t>(record.reason)];
  passes_run += record.passes_run;
  bytes_saved += record.bytes_saved;
  bytes_restored += record.bytes_restored;
  bytes_link += record.bytes_link;
  save_ns += record.save_ns;
  restore_ns += record.restore_ns;
  window_ns += record.window_ns;
  unverified_bytes += record.unverified_bytes;
}

void Sums::add(const Sums& other) {
  dispatches += other.dispatches;
  for (size_t i = 0; i < kOutcomes; ++i) outcomes[i] += other.outcomes[i];
  for (size_t i = 0; i < kReasons; ++i) {
    declined[i] += other.declined[i];
    stopped[i] += other.stopped[i];
    skipped[i] += other.skipped[i];
  }
  passes_run += other.passes_run;
  bytes_saved += other.bytes_saved;
  bytes_restored += other.bytes_restored;
  bytes_link += other.bytes_link;
  save_ns += other.save_ns;
  restore_ns += other.restore_ns;
  window_ns += other.window_ns;
  unverified_bytes += other.unverified_bytes;
}

uint64_t counted_passes(const DispatchRecord& record, std::vector<uint64_t>* times_ns) {
  times_ns->clear();
  if (record.passes == nullptr) return 0;
  uint64_t impossible = 0;
  for (uint64_t i = record.warmup; i < record.passes_run; ++i) {
    const PassTime& pass = record.passes[i];
    if (pass.end_ns >= pass.start_ns)
      times_ns->push_back(pass.end_ns - pass.start_ns);
    else
      ++impossible;
  }
  return impossible;
}

void Totals::add(const DispatchRecord& record) {
  sums.add(record);
  KernelTotals& kernel = kernels[record.kernel != nullptr ? record.kernel->kernel_id : kUnknownKernel];
  if (kernel.name.empty()) {
    kernel.name = record.kernel != nullptr ? std::string(record.kernel->demangled) : "(unknown kernel)";
  }
  kernel.sums.add(record);
  const bool timed = record.outcome == Outcome::replayed || record.outcome == Outcome::stopped;
  if (!timed || record.passes == nullptr) return;
  kernel.impossible_passes += counted_passes(record, &times_ns_);
  for (const uint64_t ns : times_ns_) kernel.pass_ns.add(ns);
  kernel.run_ns += median_of(times_ns_);
}

}  // namespace kreplay::report
