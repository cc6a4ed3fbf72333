#include "cli/result_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

using Json = nlohmann::json;
using report::Outcome;
using report::Reason;

template <typename Enum>
std::optional<Enum> enum_of(const std::string& name, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (name == report::name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  return std::nullopt;
}

/// Numbers and texts of an object, as texts.
std::map<std::string, std::string> plain_members(const Json& object) {
  std::map<std::string, std::string> members;
  for (const auto& [name, value] : object.items()) {
    if (value.is_string()) members[name] = value.get<std::string>();
    if (value.is_number() || value.is_boolean()) members[name] = value.dump();
  }
  return members;
}
std::map<std::string, std::string> plain_members(const Json& line, const char* name) {
  const Json object = line.value(name, Json::object());  // named: items() refers to it
  return plain_members(object);
}

void copy_sizes(const Json& from, uint32_t (&to)[3]) {
  for (size_t i = 0; i < 3; ++i) to[i] = from.at(i).get<uint32_t>();
}

/// No text within a line can look like it, since its quotes would be escaped.
constexpr std::string_view kHeaderBegin = "{\"type\":\"header\"";

/// A file while it is being read.
class Reader {
 public:
  Reader(const std::string& path, ResultVisitor& visitor, Notes* notes)
      : path_(path), visitor_(visitor), notes_(notes) {}

  /// @param cut the line has no newline: the file ends in it
  Status line(const std::string& text, bool cut);
  void end();
  bool header_seen() const { return header_seen_; }

 private:
  Status no_result_file() const { return {Error::invalid_argument, path_ + ": is not a result file"}; }
  Status joined(const std::string& text, bool cut);
  Status header(const Json& line);
  void kernel(Json line);
  void dispatch(const Json& line);
  void trailer(const Json& line);
  void end_process();

  const std::string& path_;
  ResultVisitor& visitor_;
  Notes* notes_;
  HeaderLine header_;
  std::map<uint64_t, KernelLine> kernels_;
  DispatchLine dispatch_;
  bool header_seen_ = false;
  bool trailer_seen_ = false;
  uint64_t unreadable_ = 0;
};

Status Reader::line(const std::string& text, bool cut) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    if (text.find(kHeaderBegin, 1) != std::string::npos) return joined(text, cut);
    if (!header_seen_ && text.rfind(kHeaderBegin, 0) != 0) return no_result_file();
    if (!cut) ++unreadable_;
    return {};
  }
  try {
    const std::string type = json.at("type");
    if (!header_seen_ && type != "header") return no_result_file();
    if (type == "header") return header(json);
    if (type == "kernel") {
      kernel(json);
    } else if (type == "dispatch") {
      dispatch(json);
    } else if (type == "trailer") {
      trailer(json);
    }  // types of later versions are passed over
  } catch (const Json::exception&) {
    if (!header_seen_) return no_result_file();
    ++unreadable_;
  } catch (const std::out_of_range&) {  // a kernel without its line
    ++unreadable_;
  }
  return {};
}

/// Files were joined of which some end within a line: the next one's header stands in the same line.
Status Reader::joined(const std::string& text, bool cut) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(kHeaderBegin, begin + 1), text.size());
    const bool last = end == text.size();
    const std::string part = text.substr(begin, end - begin);
    if (!last && part.rfind(kHeaderBegin, 0) == 0 && !Json::accept(part)) {
      notes_->push_back(path_ + ": holds a process of which not even the first line is whole");
    } else if (Status read = line(part, cut || !last); !read) {
      return read;
    }
    begin = end;
  }
  return {};
}

Status Reader::header(const Json& line) {
  const auto schema = line.at("schema").get<uint64_t>();
  if (schema == 0 || schema > report::kSchemaVersion) {
    return {Error::invalid_argument,
            fmt::format("{}: schema {} is not known to this program, which reads up to {}", path_, schema,
                        report::kSchemaVersion)};
  }
  end_process();
  header_ = {};
  header_.path = path_;
  header_.schema = schema;
  header_.producer = line.value("producer", "");
  header_.host = line.value("host", "");
  header_.program = line.value("program", "");
  header_.start = line.value("start", "");
  header_.tool = line.value("tool", "");
  header_.machine_key = line.value("machine_key", "");
  header_.pid = line.value("pid", uint64_t{0});
  header_.start_unix_ns = line.value("start_unix_ns", uint64_t{0});
  header_.machine = plain_members(line, "machine");
  header_.options = plain_members(line, "options");
  header_.runtime = plain_members(line, "runtime");
  header_seen_ = true;
  trailer_seen_ = false;
  kernels_.clear();
  visitor_.header(header_);
  return {};
}

void Reader::kernel(Json line) {
  KernelLine kernel;
  kernel.id = line.at("id").get<uint64_t>();
  kernel.name = line.at("name").get<std::string>();
  kernel.symbol = line.value("symbol", "");
  for (const char* known : {"type", "id", "name", "symbol"}) line.erase(known);
  kernel.facts = plain_members(line);
  KernelLine& kept = kernels_[kernel.id];
  kept = std::move(kernel);
  visitor_.kernel(kept);
}

void Reader::dispatch(const Json& line) {
  DispatchLine& out = dispatch_;
  report::DispatchRecord record;
  const auto outcome = enum_of<Outcome>(line.at("outcome"), report::kOutcomes);
  const auto reason = enum_of<Reason>(line.at("reason"), report::kReasons);
  if (!outcome || !reason) throw std::out_of_range("unknown outcome or reason");
  record.outcome = *outcome;
  record.reason = *reason;
  out.kernel = line.at("kernel").is_null() ? nullptr : &kernels_.at(line.at("kernel").get<uint64_t>());
  record.dispatch_id = line.at("id");
  record.launch = line.at("launch");
  record.agent_node = line.at("agent");
  record.queue_id = line.at("queue");
  record.thread_id = line.at("thread");
  record.correlation_id = line.at("correlation");
  copy_sizes(line.at("grid"), record.grid);
  copy_sizes(line.at("workgroup"), record.workgroup);
  record.passes_requested = line.at("passes_requested");
  record.passes_run = line.at("passes_run");
  record.warmup = std::min(line.value("warmup", uint64_t{0}), record.passes_run);
  record.extents = line.at("extents");
  record.bytes_saved = line.at("bytes_saved");
  record.bytes_restored = line.at("bytes_restored");
  record.save_ns = line.at("save_ns");
  record.restore_ns = line.at("restore_ns");
  record.window_ns = line.at("window_ns");
  record.unverified_bytes = line.at("unverified_bytes");
  out.passes.clear();
  for (const Json& pass : line.at("passes")) out.passes.push_back({pass.at(0), pass.at(1)});
  if (out.passes.size() == record.passes_run) record.passes = out.passes.data();
  out.detail = line.value("detail", "");
  out.tier = line.value("tier", "");
  out.cache = line.value("cache", "");
  out.launch_site = line.value("launch_site", "");
  record.detail = out.detail;
  record.tier = out.tier;
  record.cache = out.cache;
  record.launch_site = out.launch_site;
  out.record = record;
  visitor_.dispatch(out);
}

void Reader::trailer(const Json& line) {
  TrailerLine trailer;
  trailer.end_unix_ns = line.value("end_unix_ns", uint64_t{0});
  const Json& skipped = line.at("skipped");
  for (const auto& [name, count] : skipped.items())
    if (const auto reason = enum_of<Reason>(name, report::kReasons))
      trailer.skipped[*reason] = count.get<uint64_t>();
  trailer.lines_lost = line.at("lines_lost");
  trailer_seen_ = true;
  visitor_.trailer(trailer);
}

void Reader::end_process() {
  if (!header_seen_ || trailer_seen_) return;
  notes_->push_back(fmt::format(
      "{}: process {} on {} has no trailer, so it is cut off: the process was killed, left through _exit, or "
      "still runs",
      path_, header_.pid, header_.host));
}

void Reader::end() {
  end_process();
  if (unreadable_ == 0) return;
  notes_->push_back(fmt::format("{}: {} line{} could not be understood and {} left out", path_, unreadable_,
                                unreadable_ == 1 ? "" : "s", unreadable_ == 1 ? "is" : "are"));
}

}  // namespace

Status read_result_file(const std::string& path, ResultVisitor& visitor, Notes* notes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {Error::io, path + ": " + std::strerror(errno)};
  if (S_ISDIR(info.st_mode)) return {Error::io, path + ": is a directory, not a result file"};
  std::ifstream file(path);
  if (!file) return {Error::io, path + ": cannot be read: " + std::strerror(errno)};
  Reader reader(path, visitor, notes);
  bool any = false;
  for (std::string line; std::getline(file, line);) {
    any = true;
    if (Status understood = reader.line(line, file.eof()); !understood) return understood;
  }
  if (file.bad()) return {Error::io, path + ": cannot be read to its end: " + std::strerror(errno)};
  if (!any) return {Error::invalid_argument, path + ": is empty; the process recorded nothing"};
  if (!reader.header_seen())
    return {Error::invalid_argument, path + ": ends within its first line; nothing that it recorded is left"};
  reader.end();
  return {};
}

}  // namespace kreplay::cli
