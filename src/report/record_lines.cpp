#include "report/record_lines.hpp"

#include <ctime>

namespace kreplay::report {
namespace {

void append_field(LineBuffer& out, std::string_view name, uint64_t value) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":{}", name, value);
}
void append_field(LineBuffer& out, std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", name);
  append_string(out, value);
}
void append_field(LineBuffer& out, std::string_view name, const uint32_t (&dims)[3]) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":[{},{},{}]", name, dims[0], dims[1], dims[2]);
}

void append_hash(LineBuffer& out, std::string_view name, uint64_t hash) {
  if (hash != 0) fmt::format_to(std::back_inserter(out), ",\"{}\":\"{:016x}\"", name, hash);
}

void append_resources(LineBuffer& out, const KernelResources& resources) {
  append_field(out, "vgprs", uint64_t{resources.vgprs});
  append_field(out, "agprs", uint64_t{resources.agprs});
  append_field(out, "sgprs", uint64_t{resources.sgprs});
  append_field(out, "vgpr_spills", uint64_t{resources.vgpr_spills});
  append_field(out, "sgpr_spills", uint64_t{resources.sgpr_spills});
  append_field(out, "lds_bytes", uint64_t{resources.lds_bytes});
  append_field(out, "scratch_bytes", uint64_t{resources.scratch_bytes});
  append_field(out, "kernarg_bytes", uint64_t{resources.kernarg_bytes});
  if (resources.code_bytes != 0) append_field(out, "code_bytes", resources.code_bytes);
  append_hash(out, "code_hash", resources.code_hash);
  append_hash(out, "code_object_hash", resources.code_object_hash);
}

std::string utc_text(uint64_t unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / 1'000'000'000);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// A member that is an object; closed when it goes out of scope.
class ObjectField {
 public:
  ObjectField(LineBuffer& out, std::string_view name) : out_(out) {
    fmt::format_to(std::back_inserter(out_), ",\"{}\":{{", name);
  }
  ~ObjectField() { out_.push_back('}'); }
  ObjectField(const ObjectField&) = delete;
  ObjectField& operator=(const ObjectField&) = delete;
  void member(std::string_view name, uint64_t value) {
    key(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void member(std::string_view name, std::string_view value) {
    key(name);
    append_string(out_, value);
  }

 private:
  void key(std::string_view name) {
    if (!first_) out_.push_back(',');
    first_ = false;
    append_string(out_, name);
    out_.push_back(':');
  }
  LineBuffer& out_;
  bool first_ = true;
};

void append_counts(LineBuffer& out, std::string_view name, const std::array<uint64_t, kReasons>& counts) {
  ObjectField field(out, name);
  for (size_t i = 0; i < kReasons; ++i)
    if (counts[i] != 0) field.member(name_of(static_cast<Reason>(i)), counts[i]);
}

/// Of equal names the last value counts.
void append_pairs(LineBuffer& out, std::string_view name,
                  const std::vector<std::pair<std::string, std::string>>& pairs) {
  ObjectField field(out, name);
  for (size_t i = 0; i < pairs.size(); ++i) {
    bool again = false;
    for (size_t k = i + 1; k < pairs.size(); ++k) again |= pairs[k].first == pairs[i].first;
    if (!again) field.member(pairs[i].first, pairs[i].second);
  }
}

}  // namespace

void append_header(LineBuffer& out, const RunInfo& info, const ProcessInfo& process) {
  append(out, "{\"type\":\"header\"");
  append_field(out, "schema", uint64_t{kSchemaVersion});
  append_field(out, "producer", "libkreplay " KREPLAY_VERSION);
  append_field(out, "host", process.host);
  append_field(out, "pid", static_cast<uint64_t>(process.pid));
  if (process.rank) append_field(out, "rank", *process.rank);
  append_field(out, "program", process.program);
  append_field(out, "start", utc_text(process.start_unix_ns));
  append_field(out, "start_unix_ns", process.start_unix_ns);
  append_field(out, "tool", info.tool);
  append(out, info.bar_disabled ? ",\"bar_disabled\":true" : ",\"bar_disabled\":false");
  append(out, ",\"agents\":[");
  for (size_t i = 0; i < info.agents.size(); ++i) {
    const auto& agent = info.agents[i];
    fmt::format_to(std::back_inserter(out), "{}{{\"node\":{}", i == 0 ? "" : ",", agent.node);
    append_field(out, "name", agent.name);
    append_field(out, "product", agent.product);
    append_field(out, "memory_bytes", uint64_t{agent.memory_bytes});
    append_field(out, "compute_units", uint64_t{agent.compute_units});
    out.push_back('}');
  }
  out.push_back(']');
  append_pairs(out, "runtime", info.runtime);
  append_pairs(out, "options", info.options);
  append_pairs(out, "machine", process.machine);
  append_field(out, "machine_key", machine_key(process.machine));
  append(out, "}\n");
}

void append_kernel(LineBuffer& out, const KernelInfo& kernel) {
  append(out, "{\"type\":\"kernel\"");
  append_field(out, "id", kernel.kernel_id);
  append_field(out, "symbol", kernel.symbol);
  append_field(out, "name", kernel.demangled);
  if (kernel.resources) append_resources(out, *kernel.resources);
  append(out, "}\n");
}

void append_dispatch(LineBuffer& out, const DispatchRecord& record) {
  append(out, "{\"type\":\"dispatch\"");
  append_field(out, "id", record.dispatch_id);
  if (record.kernel != nullptr)
    append_field(out, "kernel", record.kernel->kernel_id);
  else
    append(out, ",\"kernel\":null");
  append_field(out, "launch", record.launch);
  append_field(out, "agent", record.agent_node);
  append_field(out, "queue", record.queue_id);
  append_field(out, "thread", record.thread_id);
  append_field(out, "correlation", record.correlation_id);
  append_field(out, "grid", record.grid);
  append_field(out, "workgroup", record.workgroup);
  append_field(out, "lds_bytes", uint64_t{record.lds_bytes});
  append_field(out, "outcome", std::string_view(name_of(record.outcome)));
  append_field(out, "reason", std::string_view(name_of(record.reason)));
  append_field(out, "detail", record.detail);
  append_field(out, "tier", record.tier);
  append_field(out, "cache", record.cache);
  append_field(out, "passes_requested", record.passes_requested);
  append_field(out, "passes_run", record.passes_run);
  append_field(out, "warmup", record.warmup);
  append_field(out, "passes_end", std::string_view(name_of(record.passes_end)));
  if (record.relative_error_ppm != kUnknownError)
    append_field(out, "relative_error_ppm", record.relative_error_ppm);
  append(out, ",\"passes\":[");
  for (uint64_t i = 0; record.passes != nullptr && i < record.passes_run; ++i) {
    fmt::format_to(std::back_inserter(out), "{}[{},{}]", i == 0 ? "" : ",", record.passes[i].start_ns,
                   record.passes[i].end_ns);
  }
  append(out, "]");
  append_field(out, "extents", record.extents);
  append_field(out, "bytes_saved", record.bytes_saved);
  append_field(out, "bytes_restored", record.bytes_restored);
  append_field(out, "bytes_link", record.bytes_link);
  append_field(out, "save_ns", record.save_ns);
  append_field(out, "restore_ns", record.restore_ns);
  append_field(out, "window_ns", record.window_ns);
  append_field(out, "unverified_bytes", record.unverified_bytes);
  if (!record.launch_site.empty()) append_field(out, "launch_site", record.launch_site);
  append(out, "}\n");
}

void append_trailer(LineBuffer& out, const Totals& totals, uint64_t end_unix_ns) {
  const Sums& sums = totals.sums;
  uint64_t kernels = 0;
  for (const auto& [id, kernel] : totals.kernels)
    kernels += id != kUnknownKernel && kernel.sums.dispatches != 0 ? 1 : 0;
  append(out, "{\"type\":\"trailer\"");
  append_field(out, "end_unix_ns", end_unix_ns);
  append_field(out, "dispatches", sums.dispatches);
  append_field(out, "kernels", kernels);
  {
    ObjectField field(out, "outcomes");
    for (size_t i = 0; i < kOutcomes; ++i) field.member(name_of(static_cast<Outcome>(i)), sums.outcomes[i]);
  }
  append_counts(out, "declined", sums.declined);
  append_counts(out, "stopped", sums.stopped);
  append_counts(out, "skipped", sums.skipped);
  append_field(out, "passes_run", sums.passes_run);
  append_field(out, "bytes_saved", sums.bytes_saved);
  append_field(out, "bytes_restored", sums.bytes_restored);
  append_field(out, "bytes_link", sums.bytes_link);
  append_field(out, "save_ns", sums.save_ns);
  append_field(out, "restore_ns", sums.restore_ns);
  append_field(out, "window_ns", sums.window_ns);
  append_field(out, "unverified_bytes", sums.unverified_bytes);
  append_field(out, "lines_lost", totals.lines_lost);
  append(out, "}\n");
}

}  // namespace kreplay::report
