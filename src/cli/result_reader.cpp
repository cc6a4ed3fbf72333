#include "cli/result_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "cli/line_source.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

using JsonValue = simdjson::dom::element;
using JsonObject = simdjson::dom::object;
using JsonArray = simdjson::dom::array;
using report::Outcome;
using report::Reason;

static_assert(LineSource::kPadding >= simdjson::SIMDJSON_PADDING);

/// A line has not the form it should have.
class Misfit : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Value>
Value get(const JsonValue& json) {
  Value value;
  if (json.get(value) != simdjson::SUCCESS) throw Misfit("a member of another type");
  return value;
}
std::string get_text(const JsonValue& json) { return std::string(get<std::string_view>(json)); }

template <typename Enum>
std::optional<Enum> enum_of(std::string_view name, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (name == report::name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  return std::nullopt;
}

/// Of members of equal names the last one counts, as in most readers of JSON.
std::optional<JsonValue> find(const JsonObject& object, std::string_view name) {
  std::optional<JsonValue> found;
  for (const auto [key, value] : object)
    if (key == name) found = value;
  return found;
}
JsonValue required(const JsonObject& object, std::string_view name) {
  const std::optional<JsonValue> found = find(object, name);
  if (!found) throw Misfit("a member is missing");
  return *found;
}
std::string text_or_empty(const JsonObject& object, std::string_view name) {
  const std::optional<JsonValue> found = find(object, name);
  return found ? get_text(*found) : "";
}
uint64_t number_or_zero(const JsonObject& object, std::string_view name) {
  const std::optional<JsonValue> found = find(object, name);
  return found ? get<uint64_t>(*found) : 0;
}

/// Numbers and texts of an object, as texts.
std::map<std::string, std::string> plain_members(const JsonObject& object) {
  std::map<std::string, std::string> members;
  for (const auto [name, value] : object) {
    if (value.is_string())
      members[std::string(name)] = get_text(value);
    else if (value.is_number() || value.is_bool())
      members[std::string(name)] = simdjson::minify(value);
  }
  return members;
}
std::map<std::string, std::string> plain_members(const JsonObject& line, const char* name) {
  const std::optional<JsonValue> object = find(line, name);
  return object ? plain_members(get<JsonObject>(*object)) : std::map<std::string, std::string>();
}

uint32_t get_size(const JsonValue& json) {
  const auto size = get<uint64_t>(json);
  if (size > UINT32_MAX) throw Misfit("a size beyond 32 bits");
  return static_cast<uint32_t>(size);
}

void copy_sizes(const JsonValue& from, uint32_t (&to)[3]) {
  size_t count = 0;
  for (const JsonValue size : get<JsonArray>(from))
    if (count < 3) to[count++] = get_size(size);
  if (count < 3) throw Misfit("fewer than three sizes");
}

using report::DispatchRecord;

/// A member of a dispatch line.
struct Member {
  std::string_view name;
  bool required = true;
  uint64_t DispatchRecord::*number = nullptr;  ///< where it goes, if it is a number
  std::string DispatchLine::*text = nullptr;   ///< or a text
  void (*other)(const JsonValue&, DispatchRecord*) = nullptr;
};

void set_agent(const JsonValue& json, DispatchRecord* to) { to->agent_node = get_size(json); }
void set_lds(const JsonValue& json, DispatchRecord* to) { to->lds_bytes = get_size(json); }
void set_grid(const JsonValue& json, DispatchRecord* to) { copy_sizes(json, to->grid); }
void set_workgroup(const JsonValue& json, DispatchRecord* to) { copy_sizes(json, to->workgroup); }
void set_outcome(const JsonValue& json, DispatchRecord* to) {
  const auto outcome = enum_of<Outcome>(get<std::string_view>(json), report::kOutcomes);
  if (!outcome) throw Misfit("an outcome that is not known");
  to->outcome = *outcome;
}
void set_reason(const JsonValue& json, DispatchRecord* to) {
  const auto reason = enum_of<Reason>(get<std::string_view>(json), report::kReasons);
  if (!reason) throw Misfit("a reason that is not known");
  to->reason = *reason;
}

constexpr Member number(std::string_view name, uint64_t DispatchRecord::*to, bool required = true) {
  return {name, required, to, nullptr, nullptr};
}
constexpr Member text(std::string_view name, std::string DispatchLine::*to) {
  return {name, false, nullptr, to, nullptr};
}
constexpr Member other(std::string_view name, void (*set)(const JsonValue&, DispatchRecord*),
                       bool required = true) {
  return {name, required, nullptr, nullptr, set};
}

/// Those that the reader looks at by itself come first.
constexpr size_t kKernel = 0, kPasses = 1, kLds = 2;
constexpr Member kMemberTable[] = {
    {"kernel"},
    {"passes"},
    other("lds_bytes", set_lds, false),
    number("id", &DispatchRecord::dispatch_id),
    number("launch", &DispatchRecord::launch),
    other("agent", set_agent),
    number("queue", &DispatchRecord::queue_id),
    number("thread", &DispatchRecord::thread_id),
    number("correlation", &DispatchRecord::correlation_id),
    other("grid", set_grid),
    other("workgroup", set_workgroup),
    other("outcome", set_outcome),
    other("reason", set_reason),
    text("detail", &DispatchLine::detail),
    text("tier", &DispatchLine::tier),
    text("cache", &DispatchLine::cache),
    number("passes_requested", &DispatchRecord::passes_requested),
    number("passes_run", &DispatchRecord::passes_run),
    number("warmup", &DispatchRecord::warmup, false),
    text("passes_end", &DispatchLine::passes_end),
    number("relative_error_ppm", &DispatchRecord::relative_error_ppm, false),
    number("extents", &DispatchRecord::extents),
    number("bytes_saved", &DispatchRecord::bytes_saved),
    number("bytes_restored", &DispatchRecord::bytes_restored),
    number("bytes_link", &DispatchRecord::bytes_link),
    number("save_ns", &DispatchRecord::save_ns),
    number("restore_ns", &DispatchRecord::restore_ns),
    number("window_ns", &DispatchRecord::window_ns),
    number("unverified_bytes", &DispatchRecord::unverified_bytes),
    text("launch_site", &DispatchLine::launch_site),
};
constexpr size_t kMembers = std::size(kMemberTable);
constexpr uint64_t kRequired = [] {
  uint64_t bits = 0;
  for (size_t i = 0; i < kMembers; ++i) bits |= uint64_t{kMemberTable[i].required} << i;
  return bits;
}();

/// Which member a name is of. Lines of one file have theirs in one order, so what came after this member last
/// time is what comes after it now.
class MemberFinder {
 public:
  MemberFinder() { after_.fill(kMembers); }
  void restart() { last_ = kMembers; }
  /// @return kMembers for others
  size_t operator()(std::string_view name) {
    size_t& next = after_[last_];
    if (next == kMembers || kMemberTable[next].name != name) {
      const auto* found = std::find_if(std::begin(kMemberTable), std::end(kMemberTable),
                                       [name](const Member& member) { return member.name == name; });
      next = static_cast<size_t>(found - std::begin(kMemberTable));
    }
    if (next != kMembers) last_ = next;
    return next;
  }

 private:
  std::array<size_t, kMembers + 1> after_{};  ///< of each member; the last is of the start
  size_t last_ = kMembers;
};

/// No text within a line can look like it, since its quotes would be escaped.
constexpr std::string_view kHeaderBegin = "{\"type\":\"header\"";

/// A file while it is being read.
class Reader {
 public:
  Reader(const std::string& path, ResultVisitor& visitor, Notes* notes)
      : path_(path), visitor_(visitor), notes_(notes) {}

  /// @param text with LineSource::kPadding bytes behind it
  /// @param cut the line has no newline: the file ends in it
  Status line(std::string_view text, bool cut);
  void end();
  bool header_seen() const { return header_seen_; }

 private:
  Status no_result_file() const { return {Error::invalid_argument, path_ + ": is not a result file"}; }
  /// @return false where the text is no JSON object
  bool parse(std::string_view text, JsonObject* object);
  Status joined(std::string_view text, bool cut);
  Status understood(const JsonObject& line);
  Status header(const JsonObject& line);
  void kernel(const JsonObject& line);
  void dispatch(const JsonObject& line);
  void dispatch_member(size_t place, const JsonValue& value);
  void passes(const JsonValue& json);
  void trailer(const JsonObject& line);
  void end_process();

  const std::string& path_;
  ResultVisitor& visitor_;
  Notes* notes_;
  simdjson::dom::parser parser_;
  MemberFinder finder_;
  HeaderLine header_;
  std::map<uint64_t, KernelLine> kernels_;
  DispatchLine dispatch_;
  bool header_seen_ = false;
  bool trailer_seen_ = false;
  uint64_t unreadable_ = 0;
};

bool Reader::parse(std::string_view text, JsonObject* object) {
  constexpr bool kCopy = false;  // the padding is there
  return parser_.parse(text.data(), text.size(), kCopy).get(*object) == simdjson::SUCCESS;
}

Status Reader::line(std::string_view text, bool cut) {
  JsonObject object;
  if (!parse(text, &object)) {
    if (text.find(kHeaderBegin, 1) != std::string_view::npos) return joined(text, cut);
    if (text.rfind(kHeaderBegin, 0) == 0) {
      notes_->push_back(path_ + ": holds a process of which not even the first line is whole");
      return {};
    }
    if (!header_seen_) return no_result_file();
    if (!cut) ++unreadable_;
    return {};
  }
  try {
    return understood(object);
  } catch (const Misfit&) {
    if (!header_seen_) return no_result_file();
    ++unreadable_;
  }
  return {};
}

/// Files were joined of which some end within a line: the next one's header stands in the same line.
Status Reader::joined(std::string_view text, bool cut) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(kHeaderBegin, begin + 1), text.size());
    const bool last = end == text.size();
    if (Status read = line(text.substr(begin, end - begin), cut || !last); !read) return read;
    begin = end;
  }
  return {};
}

Status Reader::understood(const JsonObject& line) {
  // It is the first member of every line that the library writes.
  const auto first = line.begin();
  const bool as_written = first != line.end() && (*first).key == "type";
  const auto type = get<std::string_view>(as_written ? (*first).value : required(line, "type"));
  if (!header_seen_ && type != "header") return no_result_file();
  if (type == "header") return header(line);
  if (type == "kernel") {
    kernel(line);
  } else if (type == "dispatch") {
    dispatch(line);
  } else if (type == "trailer") {
    trailer(line);
  }  // types of later versions are passed over
  return {};
}

Status Reader::header(const JsonObject& line) {
  const auto schema = get<uint64_t>(required(line, "schema"));
  if (schema == 0 || schema > report::kSchemaVersion) {
    return {Error::invalid_argument,
            fmt::format("{}: schema {} is not known to this program, which reads up to {}", path_, schema,
                        report::kSchemaVersion)};
  }
  end_process();
  header_ = {};
  header_.path = path_;
  header_.schema = schema;
  header_.producer = text_or_empty(line, "producer");
  header_.host = text_or_empty(line, "host");
  header_.program = text_or_empty(line, "program");
  header_.start = text_or_empty(line, "start");
  header_.tool = text_or_empty(line, "tool");
  header_.machine_key = text_or_empty(line, "machine_key");
  header_.pid = number_or_zero(line, "pid");
  header_.start_unix_ns = number_or_zero(line, "start_unix_ns");
  header_.machine = plain_members(line, "machine");
  header_.options = plain_members(line, "options");
  header_.runtime = plain_members(line, "runtime");
  if (const auto rank = find(line, "rank")) header_.rank = get<uint64_t>(*rank);
  header_seen_ = true;
  trailer_seen_ = false;
  kernels_.clear();
  visitor_.header(header_);
  return {};
}

void Reader::kernel(const JsonObject& line) {
  KernelLine kernel;
  kernel.id = get<uint64_t>(required(line, "id"));
  kernel.name = get_text(required(line, "name"));
  kernel.symbol = text_or_empty(line, "symbol");
  kernel.facts = plain_members(line);
  for (const char* known : {"type", "id", "name", "symbol"}) kernel.facts.erase(known);
  KernelLine& kept = kernels_[kernel.id];
  kept = std::move(kernel);
  visitor_.kernel(kept);
}

void Reader::dispatch(const JsonObject& line) {
  DispatchLine& out = dispatch_;
  out.record = {};
  out.kernel = nullptr;
  out.passes.clear();
  out.detail.clear();
  out.tier.clear();
  out.cache.clear();
  out.launch_site.clear();
  out.passes_end.clear();
  finder_.restart();
  uint64_t seen = 0;
  for (const auto [name, value] : line) {
    const size_t member = finder_(name);
    if (member == kMembers) continue;  // "type", and members of later versions
    seen |= uint64_t{1} << member;
    dispatch_member(member, value);
  }
  if ((seen & kRequired) != kRequired) throw Misfit("a member is missing");
  out.has_lds = ((seen >> kLds) & 1) != 0;
  report::DispatchRecord& record = out.record;
  record.warmup = std::min(record.warmup, record.passes_run);
  if (out.passes.size() == record.passes_run) record.passes = out.passes.data();
  record.detail = out.detail;
  record.tier = out.tier;
  record.cache = out.cache;
  record.launch_site = out.launch_site;
  visitor_.dispatch(out);
}

void Reader::dispatch_member(size_t place, const JsonValue& value) {
  const Member& member = kMemberTable[place];
  if (member.number != nullptr) {
    dispatch_.record.*member.number = get<uint64_t>(value);
  } else if (member.text != nullptr) {
    (dispatch_.*member.text).assign(get<std::string_view>(value));
  } else if (member.other != nullptr) {
    member.other(value, &dispatch_.record);
  } else if (place == kPasses) {
    passes(value);
  } else if (place == kKernel) {
    dispatch_.kernel = nullptr;
    if (value.is_null()) return;
    const auto found = kernels_.find(get<uint64_t>(value));
    if (found == kernels_.end()) throw Misfit("a kernel without its line");
    dispatch_.kernel = &found->second;
  }
}

void Reader::passes(const JsonValue& json) {
  dispatch_.passes.clear();
  for (const JsonValue pass : get<JsonArray>(json)) {
    uint64_t times[2] = {};
    size_t count = 0;
    for (const JsonValue time : get<JsonArray>(pass))
      if (count < 2) times[count++] = get<uint64_t>(time);
    if (count < 2) throw Misfit("a pass without its end");
    dispatch_.passes.push_back({times[0], times[1]});
  }
}

void Reader::trailer(const JsonObject& line) {
  TrailerLine trailer;
  trailer.end_unix_ns = number_or_zero(line, "end_unix_ns");
  for (const auto [name, count] : get<JsonObject>(required(line, "skipped")))
    if (const auto reason = enum_of<Reason>(name, report::kReasons))
      trailer.skipped[*reason] = get<uint64_t>(count);
  trailer.lines_lost = get<uint64_t>(required(line, "lines_lost"));
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
  LineSource source(path);
  if (Status opened = source.open(); !opened) return opened;
  Reader reader(source.name(), visitor, notes);
  bool any = false;
  bool cut = false;
  for (std::string_view line; source.next(&line, &cut);) {
    any = true;
    if (Status understood = reader.line(line, cut); !understood) return understood;
  }
  if (!source.status()) return source.status();
  if (!any) return {Error::invalid_argument, source.name() + ": is empty; the process recorded nothing"};
  if (!reader.header_seen())
    return {Error::invalid_argument,
            source.name() + ": ends within its first line; nothing that it recorded is left"};
  if (source.ends_early()) notes->push_back(source.name() + ": its compressed data end early");
  reader.end();
  return {};
}

}  // namespace kreplay::cli
