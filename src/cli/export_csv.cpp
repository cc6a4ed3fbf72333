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
    "reason,"
    "tier,cache,pass,warmup,start_ns,end_ns,duration_ns,bytes_saved,bytes_restored,save_ns,restore_ns,window_"
    "ns\n";

class CsvWriter : public ResultVisitor {
 public:
  explicit CsvWriter(std::FILE* out) : out_(out) {}

  void header(const HeaderLine& line) override {
    process_ = fmt::format("{},{},{}", csv_field(line.host), line.pid, line.start_unix_ns);
  }

  void dispatch(const DispatchLine& line) override {
    const report::DispatchRecord& record = line.record;
    const std::string before =
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", process_, record.dispatch_id,
                    csv_field(line.kernel != nullptr ? line.kernel->name : ""), record.launch,
                    record.agent_node, record.queue_id, record.thread_id, record.correlation_id,
                    dimensions(record.grid), dimensions(record.workgroup), report::name_of(record.outcome),
                    report::name_of(record.reason), csv_field(line.tier), csv_field(line.cache));
    const std::string after = fmt::format("{},{},{},{},{}\n", record.bytes_saved, record.bytes_restored,
                                          record.save_ns, record.restore_ns, record.window_ns);
    if (line.passes.empty()) write(before + ",,,,,," + after);
    for (size_t i = 0; i < line.passes.size(); ++i) {
      const report::PassTime& pass = line.passes[i];
      write(fmt::format("{},{},{},{},{},{},{}", before, i + 1, i < record.warmup ? 1 : 0, pass.start_ns,
                        pass.end_ns, pass.end_ns - pass.start_ns, after));
    }
  }

  void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), out_); }

 private:
  std::FILE* out_;
  std::string process_;
};

}  // namespace

Status export_csv(const std::vector<std::string>& paths, std::FILE* out, Notes* notes) {
  CsvWriter writer(out);
  writer.write(kColumns);
  for (const std::string& path : paths)
    if (Status read = read_result_file(path, writer, notes); !read) return read;
  if (std::fflush(out) != 0 || std::ferror(out) != 0)
    return {Error::io, std::string("the table cannot be written: ") + std::strerror(errno)};
  return {};
}

}  // namespace kreplay::cli
