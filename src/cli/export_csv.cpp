#include "cli/export_csv.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/markup.hpp"
#include "cli/samples.hpp"

namespace kreplay::cli {
namespace {

constexpr const char* kColumns =
    "host,pid,start_unix_ns,dispatch,kernel,launch,agent,queue,thread,correlation,grid,workgroup,outcome,"
    "reason,tier,"
    "cache,pass,warmup,start_ns,end_ns,duration_ns,bytes_saved,bytes_restored,save_ns,restore_ns,window_ns,"
    "rank,"
    "lds_bytes,passes_end,relative_error_ppm";

/// What kernel lines say of the code, each a column behind the others. A kernel's own LDS has a name apart
/// from that of its launch.
constexpr const char* kFacts[] = {
    "vgprs",         "agprs",         "sgprs",     "vgpr_spills",      "sgpr_spills", "lds_bytes",
    "scratch_bytes", "kernarg_bytes", "code_hash", "code_object_hash", "code_bytes"};

std::string heads() {
  std::string text = kColumns;
  for (const char* fact : kFacts) text += std::string(",kernel_") + fact;
  return text + "\n";
}

class CsvWriter : public ResultVisitor {
 public:
  explicit CsvWriter(std::FILE* out) : out_(out) {}

  void header(const HeaderLine& line) override {
    process_ = fmt::format("{},{},{}", csv_field(line.host), line.pid, line.start_unix_ns);
    rank_ = line.rank ? std::to_string(*line.rank) : "";
    facts_.clear();
  }

  void kernel(const KernelLine& line) override {
    std::string& text = facts_[line.id];
    text.clear();
    for (const char* fact : kFacts) {
      const auto found = line.facts.find(fact);
      text += "," + (found == line.facts.end() ? "" : csv_field(found->second));
    }
  }

  void dispatch(const DispatchLine& line) override {
    const report::DispatchRecord& record = line.record;
    const std::string before =
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", process_, record.dispatch_id,
                    csv_field(line.kernel != nullptr ? line.kernel->name : ""), record.launch,
                    record.agent_node, record.queue_id, record.thread_id, record.correlation_id,
                    dimensions(record.grid), dimensions(record.workgroup), report::name_of(record.outcome),
                    report::name_of(record.reason), csv_field(line.tier), csv_field(line.cache));
    static const std::string kNoFacts(std::size(kFacts), ',');
    const bool looked = record.relative_error_ppm != report::kUnknownError;
    const std::string after = fmt::format(
        "{},{},{},{},{},{},{},{},{}{}\n", record.bytes_saved, record.bytes_restored, record.save_ns,
        record.restore_ns, record.window_ns, rank_, line.has_lds ? std::to_string(record.lds_bytes) : "",
        csv_field(line.passes_end), looked ? std::to_string(record.relative_error_ppm) : "",
        line.kernel != nullptr ? facts_[line.kernel->id] : kNoFacts);
    if (line.passes.empty()) write(before + ",,,,,," + after);
    for (size_t i = 0; i < line.passes.size(); ++i) {
      const report::PassTime& pass = line.passes[i];
      write(fmt::format("{},{},{},{},{},{},{}", before, i + 1, i < record.warmup ? 1 : 0, pass.start_ns,
                        pass.end_ns, static_cast<int64_t>(pass.end_ns - pass.start_ns), after));
    }
  }

  void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), out_); }

 private:
  std::FILE* out_;
  std::string process_, rank_;
  std::map<uint64_t, std::string> facts_;  ///< cells of each kernel of the current process
};

}  // namespace

Status export_csv(const std::vector<std::string>& paths, std::FILE* out, Notes* notes) {
  CsvWriter writer(out);
  writer.write(heads());
  for (const std::string& path : paths)
    if (Status read = read_result_file(path, writer, notes); !read) return read;
  if (std::fflush(out) != 0 || std::ferror(out) != 0)
    return {Error::io, std::string("the table cannot be written: ") + std::strerror(errno)};
  return {};
}

}  // namespace kreplay::cli
