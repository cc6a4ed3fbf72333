#include "replay/backtrace.hpp"

#define UNW_LOCAL_ONLY
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <libunwind.h>

#include <cstdlib>

#define KR_TEXT2(x) #x
#define KR_TEXT(x) KR_TEXT2(x)

namespace kreplay::replay {
namespace {

/// libunwind's local-unwinding functions under their real names; the header's names are macros over them.
struct Unwinder {
  decltype(&unw_tdep_getcontext) getcontext = nullptr;
  decltype(&unw_init_local) init_local = nullptr;
  decltype(&unw_step) step = nullptr;
  decltype(&unw_get_reg) get_reg = nullptr;
  decltype(&unw_get_proc_name) get_proc_name = nullptr;
  bool complete() const {
    return getcontext != nullptr && init_local != nullptr && step != nullptr && get_reg != nullptr &&
           get_proc_name != nullptr;
  }
};

const Unwinder& unwinder() {
  static const Unwinder found = [] {
    Unwinder u;
    void* library = dlopen("libunwind.so.8", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return u;
    const auto bind = [library](auto& member, const char* name) {
      member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(library, name));
    };
    bind(u.getcontext, KR_TEXT(unw_tdep_getcontext));
    bind(u.init_local, KR_TEXT(unw_init_local));
    bind(u.step, KR_TEXT(unw_step));
    bind(u.get_reg, KR_TEXT(unw_get_reg));
    bind(u.get_proc_name, KR_TEXT(unw_get_proc_name));
    return u;
  }();
  return found;
}

std::string library_of(uint64_t address) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr) return "?";
  return info.dli_fname;
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

}  // namespace

void prepare_backtrace() { (void)unwinder(); }

std::vector<Frame> backtrace_frames(unsigned skip) {
  std::vector<Frame> frames;
  constexpr unsigned kMaxFrames = 64;
  const Unwinder& u = unwinder();
  unw_context_t context;
  unw_cursor_t cursor;
  if (u.complete() && u.getcontext(&context) == 0 && u.init_local(&cursor, &context) == 0) {
    unsigned depth = 0;
    while (u.step(&cursor) > 0 && depth < kMaxFrames) {
      if (depth++ < skip) continue;
      unw_word_t ip = 0;
      unw_word_t offset = 0;
      char name[512] = "";
      u.get_reg(&cursor, UNW_REG_IP, &ip);
      const int named = u.get_proc_name(&cursor, name, sizeof name, &offset);
      frames.push_back({ip, named == 0 ? demangled(name) : std::string("?"), offset, library_of(ip)});
    }
    return frames;
  }
  void* addresses[kMaxFrames];
  const int count = backtrace(addresses, kMaxFrames);
  for (int i = static_cast<int>(skip); i < count; ++i) {
    const auto ip = reinterpret_cast<uint64_t>(addresses[i]);
    frames.push_back({ip, "?", 0, library_of(ip)});
  }
  return frames;
}

std::string to_text(const Frame& frame) {
  return fmt::format("0x{:x} {}+0x{:x} ({})", frame.address, frame.function, frame.offset, frame.library);
}

std::string launch_site() {
  const std::string ours = library_of(reinterpret_cast<uint64_t>(&launch_site));
  std::string text;
  for (const Frame& frame : backtrace_frames(0)) {
    if (text.empty() && frame.library == ours) continue;
    if (!text.empty()) text += '\n';
    text += to_text(frame);
  }
  return text;
}

}  // namespace kreplay::replay
