#include "report/sink.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/log.hpp"
#include "base/rank.hpp"
#include "report/json_text.hpp"
#include "report/record_lines.hpp"
#include "report/result_file.hpp"
#include "report/skip_counters.hpp"

namespace kreplay::report {
namespace {

uint64_t unix_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

std::string program_path() {
  char path[PATH_MAX];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : std::string();
}

}  // namespace

struct OutcomeSink::Impl {
  explicit Impl(uint64_t patience) : patience_ns(patience) {}

  const uint64_t patience_ns;
  ResultFile file;
  bool asked_for_file = false;  ///< set before the first record
  SkipCounters skips;
  const uint64_t start_unix_ns = unix_ns();

  mutable std::mutex mutex;  ///< guards what follows; held while a kernel's line is written, which is rare
  Totals sums;               ///< without skips
  std::unordered_set<uint64_t> kernels_written;
  std::vector<std::unique_ptr<LineBuffer>> buffers;  ///< as many as threads ever wrote at once
  bool finished = false;
  unsigned writing = 0;  ///< dispatch lines on their way to the file
  std::condition_variable no_writer;

  std::unique_ptr<LineBuffer> take_buffer() {  // under mutex
    if (buffers.empty()) {
      buffers.reserve(buffers.capacity() + 1);
      return std::make_unique<LineBuffer>();
    }
    auto buffer = std::move(buffers.back());
    buffers.pop_back();
    buffer->clear();
    return buffer;
  }

  void write_kernel(const KernelInfo& kernel) {  // under mutex
    if (!file.is_open() || !kernels_written.insert(kernel.kernel_id).second) return;
    LineBuffer line;
    append_kernel(line, kernel);
    file.write_line({line.data(), line.size()});
  }

  Totals all() const {  // under mutex
    Totals totals = sums;
    skips.add_to(totals);
    return totals;
  }
};

OutcomeSink::OutcomeSink(uint64_t patience_ns) : impl_(std::make_unique<Impl>(patience_ns)) {}
OutcomeSink::~OutcomeSink() = default;

Status OutcomeSink::open(const std::string& pattern) {
  if (pattern.empty()) return {};
  impl_->asked_for_file = true;
  struct stat info {};
  const bool device =
      ::stat(pattern.c_str(), &info) == 0 && !S_ISREG(info.st_mode);  // the same for all ranks
  return impl_->file.open(
      expand_pattern(pattern, ::getpid(), host_name(), device ? std::nullopt : job_rank()));
}

std::string OutcomeSink::path() const { return impl_->file.path(); }

void OutcomeSink::header(const RunInfo& info) {
  if (!impl_->file.is_open()) return;
  LineBuffer line;
  append_header(
      line, info,
      {host_name(), ::getpid(), job_rank(), program_path(), impl_->start_unix_ns, machine_facts(info)});
  impl_->file.write_line({line.data(), line.size()});
}

void OutcomeSink::kernel(const KernelInfo& kernel) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->finished) impl_->write_kernel(kernel);
}

void OutcomeSink::record(const DispatchRecord& record) {
  std::unique_ptr<LineBuffer> line;
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->finished) return;
    impl_->sums.add(record);
    if (!impl_->asked_for_file) return;
    if (!impl_->file.is_open()) {
      ++impl_->sums.lines_lost;
      return;
    }
    if (record.kernel != nullptr) impl_->write_kernel(*record.kernel);
    line = impl_->take_buffer();
    ++impl_->writing;
  }
  append_dispatch(*line, record);
  const bool written = impl_->file.write_line({line->data(), line->size()});
  const std::lock_guard lock(impl_->mutex);
  if (!written) ++impl_->sums.lines_lost;
  impl_->buffers.push_back(std::move(line));
  if (--impl_->writing == 0) impl_->no_writer.notify_all();
}

void OutcomeSink::count_skipped(const KernelInfo* kernel, Reason reason) {
  impl_->skips.count(kernel != nullptr ? kernel->kernel_id : kUnknownKernel, reason);
}

void OutcomeSink::finish() {
  std::unique_lock lock(impl_->mutex);
  if (std::exchange(impl_->finished, true) || !impl_->file.is_open()) return;
  if (!impl_->no_writer.wait_for(lock, std::chrono::nanoseconds(impl_->patience_ns),
                                 [this] { return impl_->writing == 0; })) {
    log::warn("results", "{}: a line could not be written within {} ms; there is no trailer",
              impl_->file.path(), impl_->patience_ns / 1'000'000);
    return;
  }
  LineBuffer line;
  append_trailer(line, impl_->all(), unix_ns());
  impl_->file.write_line({line.data(), line.size()});
}

Totals OutcomeSink::totals() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->all();
}

std::string OutcomeSink::summary() const { return format_summary(totals()); }

}  // namespace kreplay::report
