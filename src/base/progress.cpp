#include "base/progress.hpp"

#include <algorithm>
#include <cstring>

#include "base/files.hpp"

namespace kreplay {

ProgressPage* map_progress(const std::string& path) noexcept {
  int error = 0;
  return path.empty() ? nullptr : static_cast<ProgressPage*>(map_shared(path.c_str(), kProgressBytes, error));
}

void set_progress_kernel(ProgressPage& page, std::string_view name) noexcept {
  uint32_t turn = page.turn.load(std::memory_order_relaxed);
  if (turn % 2 != 0 || !page.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acq_rel)) return;
  for (size_t i = 0; i < page.kernel.size(); ++i) {
    uint64_t word = 0;
    const size_t at = i * sizeof word;
    if (at < name.size()) std::memcpy(&word, name.data() + at, std::min(sizeof word, name.size() - at));
    page.kernel[i].store(word, std::memory_order_release);  // not before the odd turn is seen
  }
  page.turn.store(turn + 2, std::memory_order_release);
}

std::string progress_kernel(const ProgressPage& page) {
  std::array<uint64_t, ProgressPage::kNameWords> words{};
  const uint32_t before = page.turn.load(std::memory_order_acquire);
  for (size_t i = 0; i < words.size(); ++i) words[i] = page.kernel[i].load(std::memory_order_acquire);
  if (before % 2 != 0 || page.turn.load(std::memory_order_relaxed) != before) return {};
  std::string name(sizeof words, '\0');
  std::memcpy(name.data(), words.data(), sizeof words);
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

}  // namespace kreplay
