// The functions behind our exports: what the next library in the search order (in the end libc) offers under
// the same name. Looked up with dlsym in our constructor; a call that comes before that goes straight to the
// system where there is a system call, and looks the name up otherwise.
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <atomic>

namespace softgpu::kfd {

/// One function of the next library. Constant-initialised, so it works before any constructor ran.
template <typename Signature>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}
  /// Null if the next library has no such function.
  Signature* get() {
    void* found = address_.load(std::memory_order_acquire);
    if (found == nullptr) found = look_up();
    return reinterpret_cast<Signature*>(found);
  }
  /// Null also if nobody looked it up yet.
  Signature* get_if_known() const {
    return reinterpret_cast<Signature*>(address_.load(std::memory_order_acquire));
  }

 private:
  void* look_up();
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

void* next_symbol(const char* name);

template <typename Signature>
void* Next<Signature>::look_up() {
  void* found = next_symbol(name_);
  address_.store(found, std::memory_order_release);
  return found;
}

}  // namespace softgpu::kfd
