#include "cli/merge.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "report/outcome.hpp"

namespace kreplay::cli {
namespace {

using Json = nlohmann::json;

struct Input {
  std::string path;
  uint64_t rank = UINT64_MAX;  ///< without a rank: after those with one
  uint64_t start_unix_ns = 0;
};

Status no_result_file(const std::string& path) {
  return {Error::invalid_argument, path + ": is not a result file"};
}

/// Opens the file and reads its first line.
Result<Input> look_at(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {Error::io, path + ": " + std::strerror(errno)};
  if (S_ISDIR(info.st_mode)) return {Error::io, path + ": is a directory, not a result file"};
  std::ifstream file(path);
  if (!file) return {Error::io, path + ": cannot be read: " + std::strerror(errno)};
  std::string line;
  if (!std::getline(file, line))
    return {Error::invalid_argument, path + ": is empty; the process recorded nothing"};
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || header.value("type", "") != "header") return no_result_file(path);
  const auto schema = header.value("schema", uint64_t{0});
  if (schema == 0 || schema > report::kSchemaVersion) {
    return {Error::invalid_argument,
            fmt::format("{}: schema {} is not known to this program, which reads up to {}", path, schema,
                        report::kSchemaVersion)};
  }
  Input input;
  input.path = path;
  input.rank = header.value("rank", UINT64_MAX);
  input.start_unix_ns = header.value("start_unix_ns", uint64_t{0});
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
bool append(const std::string& path, Output& output, bool* ended) {
  std::ifstream file(path);
  std::string line;
  *ended = false;
  while (std::getline(file, line)) {
    if (file.eof()) {  // no newline: cut off
      *ended = false;
      return true;
    }
    *ended = line.rfind("{\"type\":\"trailer\"", 0) == 0;
    line += '\n';
    if (!output.write(line)) return false;
  }
  return true;
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
  for (const Input& input : files) {
    bool ended = false;
    if (!append(input.path, out, &ended))
      return {Error::io, output + ": cannot be written: " + std::strerror(errno)};
    if (!ended)
      merged.notes.push_back(input.path + ": has no trailer, so it is cut off; what it has is kept");
    ++merged.files;
  }
  out.keep();
  return merged;
}

}  // namespace kreplay::cli
