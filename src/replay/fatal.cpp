#include "replay/fatal.hpp"

#define UNW_LOCAL_ONLY
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <libunwind.h>

#include <atomic>
#include <cstdlib>

#include "base/log.hpp"

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

std::atomic<void (*)()> g_action{nullptr};

}  // namespace

void prepare_backtrace() { (void)unwinder(); }

std::vector<std::string> backtrace_lines(unsigned skip) {
  std::vector<std::string> lines;
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
      lines.push_back(fmt::format("0x{:x} {}+0x{:x} ({})", ip, named == 0 ? demangled(name) : "?", offset,
                                  library_of(ip)));
    }
    return lines;
  }
  void* frames[kMaxFrames];
  const int count = backtrace(frames, kMaxFrames);
  for (int i = static_cast<int>(skip); i < count; ++i)
    lines.push_back(
        fmt::format("{} ({})", fmt::ptr(frames[i]), library_of(reinterpret_cast<uint64_t>(frames[i]))));
  return lines;
}

void fatal(const std::string& area, const std::string& sentence) {
  std::string stack;
  for (const std::string& line : backtrace_lines(1)) stack += "\n    " + line;
  log::error(area, "{}; aborting. Stack of the submitting thread:{}", sentence, stack);
  if (auto* action = g_action.load()) action();
  std::abort();
}

void set_fatal_action(void (*action)()) { g_action.store(action); }

}  // namespace kreplay::replay
