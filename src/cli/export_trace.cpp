#include "cli/export_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>

#include "cli/samples.hpp"
#include "report/json_text.hpp"

namespace kreplay::cli {
namespace {

using report::PassTime;
using Times = std::pair<uint64_t, uint64_t>;  ///< start and end, ns

std::string quoted(std::string_view text) {
  report::LineBuffer buffer;
  report::append_string(buffer, text);
  return {buffer.data(), buffer.size()};
}

std::string member(const char* name, std::string_view text) {
  return fmt::format("\"{}\":{}", name, quoted(text));
}
std::string member(const char* name, uint64_t value) { return fmt::format("\"{}\":{}", name, value); }

bool possible(const PassTime& pass) { return pass.end_ns >= pass.start_ns; }

/// Where the save of a dispatch must have begun, if its first pass is the first thing after it.
uint64_t begin_of(const DispatchLine& line, const PassTime& first) {
  return first.start_ns - std::min(first.start_ns, line.record.save_ns);
}

/// When the first thing on each host happened.
class Origins : public ResultVisitor {
 public:
  void header(const HeaderLine& line) override { host_ = line.host; }
  void dispatch(const DispatchLine& line) override {
    for (const PassTime& pass : line.passes) {
      const auto [at, added] = first_ns.try_emplace(host_, UINT64_MAX);
      at->second = std::min(at->second, begin_of(line, pass));
    }
  }
  std::map<std::string, uint64_t> first_ns;

 private:
  std::string host_;
};

/// The tracks of a queue, in the order in which they are shown.
enum class Track { windows, launches, passes, copies, count };
constexpr const char* kTracks[] = {"windows", "launches", "passes", "saves and restores"};

class TraceWriter : public ResultVisitor {
 public:
  TraceWriter(const std::map<std::string, uint64_t>& origins, std::FILE* out)
      : origins_(origins), out_(out) {}

  void header(const HeaderLine& line) override {
    end_process();
    ++process_;
    const auto origin = origins_.find(line.host);
    origin_ns_ = origin == origins_.end() ? 0 : origin->second;
    queues_.clear();
    const std::string rank = line.rank ? fmt::format(", rank {}", *line.rank) : "";
    metadata("process_name", 0,
             member("name", fmt::format("{} (pid {} on {}{})", line.program, line.pid, line.host, rank)));
    metadata("process_sort_index", 0, member("sort_index", process_));
  }

  void dispatch(const DispatchLine& line) override {
    if (line.passes.empty() || !std::all_of(line.passes.begin(), line.passes.end(), possible)) {
      ++without_times_;
      return;
    }
    Queue& queue = queue_of(line.record.agent_node, line.record.queue_id);
    const uint64_t first = line.passes.front().start_ns;
    const uint64_t last = line.passes.back().end_ns;
    const std::string name = line.kernel != nullptr ? line.kernel->name : "(unknown kernel)";
    const std::string id = member("dispatch", line.record.dispatch_id);
    slice(queue, Track::launches, name, "launch", {first, last}, id + "," + launch_args(line));
    copies(queue, line, id);
    for (size_t i = 0; i < line.passes.size(); ++i) {
      const PassTime& pass = line.passes[i];
      slice(queue, Track::passes, name, i < line.record.warmup ? "warmup" : "pass",
            {pass.start_ns, pass.end_ns}, id + "," + member("pass", i + 1));
    }
    const uint64_t begin = begin_of(line, line.passes.front());
    if (line.record.window_ns != 0) {
      slice(queue, Track::windows, "window", "window", {begin, std::max(begin + line.record.window_ns, last)},
            id + "," + member("window_ns", line.record.window_ns));
    }
  }

  void end() { end_process(); }

 private:
  struct Queue {
    uint64_t first_track = 0;
    uint64_t ends_ns[static_cast<size_t>(Track::count)] = {};  ///< of the last slice on each track
  };

  static std::string launch_args(const DispatchLine& line) {
    const report::DispatchRecord& record = line.record;
    return member("launch", record.launch) + "," + member("grid", dimensions(record.grid)) + "," +
           member("workgroup", dimensions(record.workgroup)) + "," +
           member("outcome", report::name_of(record.outcome)) + "," +
           member("reason", report::name_of(record.reason)) + "," + member("passes", line.passes.size()) +
           "," + member("thread", record.thread_id) + "," + member("correlation", record.correlation_id);
  }

  void copies(Queue& queue, const DispatchLine& line, const std::string& id) {
    const report::DispatchRecord& record = line.record;
    const uint64_t first = line.passes.front().start_ns;
    if (record.save_ns != 0)
      slice(queue, Track::copies, "save", "save", {begin_of(line, line.passes.front()), first},
            id + "," + member("bytes", record.bytes_saved));
    const uint64_t restores = line.passes.size() - 1;
    if (restores == 0 || record.restore_ns == 0) return;
    for (size_t i = 1; i < line.passes.size(); ++i) {
      const uint64_t end = line.passes[i].start_ns;
      const uint64_t start =
          std::max(end - std::min(end, record.restore_ns / restores), line.passes[i - 1].end_ns);
      slice(queue, Track::copies, "restore", "restore", {std::min(start, end), end},
            id + "," + member("bytes", record.bytes_restored / restores));
    }
  }

  Queue& queue_of(uint64_t agent, uint64_t number) {
    const auto [at, added] = queues_.try_emplace({agent, number});
    if (!added) return at->second;
    at->second.first_track = 1 + (queues_.size() - 1) * static_cast<uint64_t>(Track::count);
    for (size_t i = 0; i < static_cast<size_t>(Track::count); ++i) {
      const uint64_t track = at->second.first_track + i;
      metadata("thread_name", track,
               member("name", fmt::format("agent {} queue {}: {}", agent, number, kTracks[i])));
      metadata("thread_sort_index", track, member("sort_index", track));
    }
    return at->second;
  }

  /// @param what the event's category
  void slice(Queue& queue, Track track, std::string_view name, const char* what, Times times,
             const std::string& args) {
    // Slices of one track must not overlap unless one holds the other; what was put by guess gives way.
    uint64_t& end = queue.ends_ns[static_cast<size_t>(track)];
    const uint64_t from = std::max(times.first, end);
    const uint64_t to = std::max(times.second, from);
    end = to;
    event(fmt::format(
        "\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}",
        quoted(name), what, process_, queue.first_track + static_cast<uint64_t>(track),
        microseconds(from - std::min(from, origin_ns_)), microseconds(to - from), args));
  }

  /// Exact: a double would lose the last digits.
  static std::string microseconds(uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  void metadata(const char* what, uint64_t track, const std::string& args) {
    event(fmt::format("\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}", what, process_,
                      track, args));
  }

  void event(const std::string& members) {
    std::fputs(first_ ? "\n{" : ",\n{", out_);
    first_ = false;
    std::fwrite(members.data(), 1, members.size(), out_);
    std::fputc('}', out_);
  }

  void end_process() {
    if (process_ != 0 && without_times_ != 0)
      metadata("process_labels", 0,
               member("labels", fmt::format("{} dispatches without times are not shown", without_times_)));
    without_times_ = 0;
  }

  const std::map<std::string, uint64_t>& origins_;
  std::FILE* out_;
  uint64_t process_ = 0, origin_ns_ = 0, without_times_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, Queue> queues_;  ///< of the current process, by agent and number
  bool first_ = true;
};

}  // namespace

Status export_trace(const std::vector<std::string>& paths, std::FILE* out, Notes* notes) {
  Origins origins;
  for (const std::string& path : paths) {
    if (path == "-")
      return {Error::invalid_argument, "standard input: a trace needs its input twice, so it must be a file"};
    Notes ignored;
    if (Status read = read_result_file(path, origins, &ignored); !read) return read;
  }
  TraceWriter writer(origins.first_ns, out);
  std::fputs(
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"kreplay report --format "
      "trace\"},\"traceEvents\":[",
      out);
  for (const std::string& path : paths)
    if (Status read = read_result_file(path, writer, notes); !read) return read;
  writer.end();
  std::fputs("\n]}\n", out);
  if (std::fflush(out) != 0 || std::ferror(out) != 0)
    return {Error::io, std::string("the trace cannot be written: ") + std::strerror(errno)};
  return {};
}

}  // namespace kreplay::cli
