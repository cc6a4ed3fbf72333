#include "report/record_lines.hpp"

#include <ctime>
#include <nlohmann/json.hpp>

namespace kreplay::report {
namespace {

using Json = nlohmann::ordered_json;

void append_json(LineBuffer& out, const Json& json) {
  append(out, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  out.push_back('\n');
}

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

std::string utc_text(uint64_t unix_ns) {
  const auto seconds = static_cast<time_t>(unix_ns / 1'000'000'000);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Json by_reason(const std::array<uint64_t, kReasons>& counts) {
  Json json = Json::object();
  for (size_t i = 0; i < kReasons; ++i)
    if (counts[i] != 0) json[name_of(static_cast<Reason>(i))] = counts[i];
  return json;
}

Json object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::object();
  for (const auto& [name, value] : pairs) json[name] = value;
  return json;
}

}  // namespace

void append_header(LineBuffer& out, const RunInfo& info, const ProcessInfo& process) {
  Json agents = Json::array();
  for (const auto& agent : info.agents) {
    agents.push_back({{"node", agent.node},
                      {"name", agent.name},
                      {"product", agent.product},
                      {"memory_bytes", agent.memory_bytes},
                      {"compute_units", agent.compute_units}});
  }
  append_json(out, Json{{"type", "header"},
                        {"schema", kSchemaVersion},
                        {"producer", "libkreplay " KREPLAY_VERSION},
                        {"host", process.host},
                        {"pid", process.pid},
                        {"program", process.program},
                        {"start", utc_text(process.start_unix_ns)},
                        {"start_unix_ns", process.start_unix_ns},
                        {"tool", info.tool},
                        {"bar_disabled", info.bar_disabled},
                        {"agents", agents},
                        {"runtime", object(info.runtime)},
                        {"options", object(info.options)},
                        {"machine", object(process.machine)},
                        {"machine_key", machine_key(process.machine)}});
}

void append_kernel(LineBuffer& out, const KernelInfo& kernel) {
  append(out, "{\"type\":\"kernel\"");
  append_field(out, "id", kernel.kernel_id);
  append_field(out, "symbol", kernel.symbol);
  append_field(out, "name", kernel.demangled);
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
  append_field(out, "outcome", std::string_view(name_of(record.outcome)));
  append_field(out, "reason", std::string_view(name_of(record.reason)));
  append_field(out, "detail", record.detail);
  append_field(out, "tier", record.tier);
  append_field(out, "cache", record.cache);
  append_field(out, "passes_requested", record.passes_requested);
  append_field(out, "passes_run", record.passes_run);
  append(out, ",\"passes\":[");
  for (uint64_t i = 0; record.passes != nullptr && i < record.passes_run; ++i) {
    fmt::format_to(std::back_inserter(out), "{}[{},{}]", i == 0 ? "" : ",", record.passes[i].start_ns,
                   record.passes[i].end_ns);
  }
  append(out, "]");
  append_field(out, "extents", record.extents);
  append_field(out, "bytes_saved", record.bytes_saved);
  append_field(out, "bytes_restored", record.bytes_restored);
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
  Json outcomes = Json::object();
  for (size_t i = 0; i < kOutcomes; ++i) outcomes[name_of(static_cast<Outcome>(i))] = sums.outcomes[i];
  append_json(out, Json{{"type", "trailer"},
                        {"end_unix_ns", end_unix_ns},
                        {"dispatches", sums.dispatches},
                        {"kernels", kernels},
                        {"outcomes", outcomes},
                        {"declined", by_reason(sums.declined)},
                        {"stopped", by_reason(sums.stopped)},
                        {"skipped", by_reason(sums.skipped)},
                        {"passes_run", sums.passes_run},
                        {"bytes_saved", sums.bytes_saved},
                        {"bytes_restored", sums.bytes_restored},
                        {"save_ns", sums.save_ns},
                        {"restore_ns", sums.restore_ns},
                        {"window_ns", sums.window_ns},
                        {"unverified_bytes", sums.unverified_bytes},
                        {"lines_lost", totals.lines_lost}});
}

}  // namespace kreplay::report
