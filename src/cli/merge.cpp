#include "cli/merge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/line_source.hpp"
#include "report/outcome.hpp"

namespace kreplay::cli {
namespace {

using Json = nlohmann::json;

struct Input {
  std::string path;
  std::string first_line;              ///< read already; with `source` only
  std::unique_ptr<LineSource> source;  ///< of standard input, which can be read once
  uint64_t rank = UINT64_MAX;          ///< without a rank: after those with one
  uint64_t start_unix_ns = 0;
};

Status no_result_file(const std::string& path) {
  return {Error::invalid_argument, path + ": is not a result file"};
}

/// Opens the file and reads its first line. @return the input without a source, unless it can be read once
/// only
Result<Input> look_at(const std::string& path) {
  auto source = std::make_unique<LineSource>(path);
  if (Status opened = source->open(); !opened) return opened;
  std::string_view line;
  bool cut = false;
  if (!source->next(&line, &cut)) {
    if (!source->status()) return source->status();
    return {Error::invalid_argument, source->name() + ": is empty; the process recorded nothing"};
  }
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || header.value("type", "") != "header") return no_result_file(source->name());
  const auto schema = header.value("schema", uint64_t{0});
  if (schema == 0 || schema > report::kSchemaVersion) {
    return {Error::invalid_argument,
            fmt::format("{}: schema {} is not known to this program, which reads up to {}", source->name(),
                        schema, report::kSchemaVersion)};
  }
  Input input;
  input.path = path;
  input.rank = header.value("rank", UINT64_MAX);
  input.start_unix_ns = header.value("start_unix_ns", uint64_t{0});
  if (path == "-") {
    input.first_line = std::string(line) + (cut ? "" : "\n");
    input.source = std::move(source);
  }
  return input;
}

class Output {
 public:
  explicit Output(const std::string& path)
      : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {}
  ~Output() {
    if (fd_ < 0) return;
    ::close(fd_);
    if (!kept_) ::unlink(path_.c_str());
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  bool is_open() const { return fd_ >= 0; }
  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      text.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }
  void keep() { kept_ = true; }

 private:
  const std::string& path_;
  int fd_;
  bool kept_ = false;
};

/// @param ended whether the last line was a trailer
/// @return Error::io naming the output or the input
Status append(Input& input, const std::string& path, Output& output, bool* ended) {
  if (input.source == nullptr) {
    input.source = std::make_unique<LineSource>(input.path);
    if (Status opened = input.source->open(); !opened) return opened;
  }
  LineSource& source = *input.source;
  const auto write = [&](std::string_view text) -> Status {
    if (output.write(text)) return {};
    return {Error::io, path + ": cannot be written: " + std::strerror(errno)};
  };
  *ended = false;
  if (Status written = write(input.first_line); !written) return written;
  std::string_view line;
  bool cut = false;
  while (source.next(&line, &cut)) {
    *ended = !cut && line.rfind("{\"type\":\"trailer\"", 0) == 0;
    if (cut) break;
    if (Status written = write(line); !written) return written;
    if (Status written = write("\n"); !written) return written;
  }
  Status status = source.status();
  input.source.reset();  // a buffer each is too much for thousands of ranks
  return status;
}

}  // namespace

Result<Merged> merge_results(const std::vector<std::string>& inputs, const std::string& output) {
  std::vector<Input> files;
  for (const std::string& path : inputs) {
    Result<Input> input = look_at(path);
    if (!input) return input.status();
    files.push_back(std::move(*input));
  }
  std::stable_sort(files.begin(), files.end(), [](const Input& a, const Input& b) {
    return std::tie(a.rank, a.start_unix_ns) < std::tie(b.rank, b.start_unix_ns);
  });
  Output out(output);
  if (!out.is_open()) return {Error::io, output + ": cannot be made: " + std::strerror(errno)};
  Merged merged;
  for (Input& input : files) {
    bool ended = false;
    if (Status appended = append(input, output, out, &ended); !appended) return appended;
    if (!ended)
      merged.notes.push_back((input.path == "-" ? "standard input" : input.path) +
                             ": has no trailer, so it is cut off; what it has is kept");
    ++merged.files;
  }
  out.keep();
  return merged;
}

}  // namespace kreplay::cli
