#include "cli/line_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

namespace kreplay::cli {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr unsigned char kGzip[] = {0x1f, 0x8b};

}  // namespace

/// Decompresses what is fed to it; members that follow each other are one text, as gzip has it.
class LineSource::Inflater {
 public:
  Inflater() : input_(kBlock / 4, '\0') {
    constexpr int kGzipOnly = 16;
    ready_ = ::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~Inflater() {
    if (ready_) ::inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void feed(const char* bytes, size_t size) {
    input_.assign(bytes, size);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(size);
  }

  /// @param more reads into a buffer, 0 at the end
  template <typename More>
  size_t read(char* to, size_t most, More more) {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(most);
    while (ready_ && error_.empty() && stream_.avail_out == most) {
      if (stream_.avail_in == 0) {
        input_.resize(kBlock / 4);
        const size_t size = more(input_.data(), input_.size());
        if (size == 0) break;
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(size);
      }
      if (whole_) {  // zeros may pad the last member
        if (*stream_.next_in != kGzip[0]) break;
        ::inflateReset(&stream_);
        whole_ = false;
      }
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      whole_ = result == Z_STREAM_END;
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        error_ = stream_.msg != nullptr ? stream_.msg : "out of memory";
    }
    return most - stream_.avail_out;
  }

  bool whole() const { return whole_; }
  std::string error() const { return ready_ ? error_ : "out of memory"; }

 private:
  z_stream stream_{};
  std::string input_, error_;
  bool ready_ = false, whole_ = false;
};

LineSource::LineSource(const std::string& path)
    : path_(path), name_(path == "-" ? "standard input" : path), buffer_(kBlock + kPadding, '\0') {}

LineSource::~LineSource() {
  if (fd_ > STDIN_FILENO || (fd_ == STDIN_FILENO && path_ != "-")) ::close(fd_);
}

Status LineSource::open() {
  fd_ = path_ == "-" ? STDIN_FILENO : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (fd_ < 0 || ::fstat(fd_, &info) != 0) return {Error::io, name_ + ": " + std::strerror(errno)};
  if (S_ISDIR(info.st_mode)) return {Error::io, name_ + ": is a directory, not a result file"};
  while (end_ < sizeof kGzip) {
    const size_t size = read_bytes(buffer_.data() + end_, kBlock - end_);
    if (size == 0) break;
    end_ += size;
  }
  if (end_ >= sizeof kGzip && std::memcmp(buffer_.data(), kGzip, sizeof kGzip) == 0) {
    inflater_ = std::make_unique<Inflater>();
    inflater_->feed(buffer_.data(), end_);
    end_ = 0;
  }
  return status_;
}

bool LineSource::ends_early() const { return inflater_ != nullptr && at_end_ && !inflater_->whole(); }

size_t LineSource::read_bytes(char* to, size_t most) {
  for (;;) {
    const ssize_t size = ::read(fd_, to, most);
    if (size >= 0) return static_cast<size_t>(size);
    if (errno == EINTR) continue;
    status_ = {Error::io, name_ + ": cannot be read to its end: " + std::strerror(errno)};
    return 0;
  }
}

size_t LineSource::read_some(char* to, size_t most) {
  if (inflater_ == nullptr) return read_bytes(to, most);
  const size_t size =
      inflater_->read(to, most, [this](char* more, size_t room) { return read_bytes(more, room); });
  if (const std::string error = inflater_->error(); !error.empty())
    status_ = {Error::io, name_ + ": its compressed data are damaged: " + error};
  return size;
}

bool LineSource::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ + kPadding >= buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t size = read_some(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  end_ += size;
  at_end_ = size == 0;
  return size != 0;
}

bool LineSource::next(std::string_view* line, bool* cut) {
  size_t looked = begin_;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const auto* newline = static_cast<const char*>(std::memchr(buffer_.data() + looked, '\n', end_ - looked));
    if (newline != nullptr) {
      *line = {start, static_cast<size_t>(newline - start)};
      *cut = false;
      begin_ += line->size() + 1;
      return true;
    }
    const size_t rest = end_ - begin_;
    if (!at_end_ && fill()) {
      looked = begin_ + rest;
      continue;
    }
    if (!status_ || rest == 0) return false;
    *line = {buffer_.data() + begin_, rest};
    *cut = true;
    begin_ = end_;
    return true;
  }
}

}  // namespace kreplay::cli
