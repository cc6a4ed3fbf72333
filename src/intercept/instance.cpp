#include "intercept/instance.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <iterator>
#include <string_view>

#include "hsa/runtime_binding.hpp"

// An ELF note that marks every copy of this library; the loader's list shows which one came first. The second
// one is the version, for `kreplay doctor`.
__asm__(
    ".pushsection .note.kreplay, \"a\", @note\n"
    ".balign 4\n"
    ".long 8\n"
    ".long 4\n"
    ".long 1\n"
    ".asciz \"kreplay\"\n"
    ".long 1\n"
    ".long 8\n"
    ".long 1f-0f\n"
    ".long 2\n"
    ".asciz \"kreplay\"\n"
    "0: .asciz \"" KREPLAY_VERSION
    "\"\n"
    "1: .balign 4\n"
    ".popsection\n");

namespace kreplay::intercept {
namespace {

bool has_our_note(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
    const size_t align = header.p_align == 8 ? 8 : 4;
    const auto round = [align](size_t n) { return (n + align - 1) & ~(align - 1); };
    for (size_t left = header.p_memsz; left >= sizeof(ElfW(Nhdr));) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const size_t size = sizeof *note + round(note->n_namesz) + round(note->n_descsz);
      if (size > left) break;
      if (note->n_type == 1 && note->n_namesz == 8 && std::memcmp(at + sizeof *note, "kreplay", 8) == 0)
        return true;
      at += size;
      left -= size;
    }
  }
  return false;
}

bool holds(const dl_phdr_info& info, const void* address) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    const uintptr_t start = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && value >= start && value < start + header.p_memsz) return true;
  }
  return false;
}

struct Copies {
  bool earlier = false;  ///< another copy stands before ours
  bool seen_ours = false;
  size_t count = 0;
  uintptr_t bases[8] =
      {};  ///< load addresses of the first copies; no vector: nothing may throw through the loader
};

Copies find_copies() {
  Copies copies;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& c = *static_cast<Copies*>(data);
        if (!has_our_note(*info)) return 0;
        if (c.count < std::size(c.bases)) c.bases[c.count++] = info->dlpi_addr;
        if (holds(*info, reinterpret_cast<const void*>(&find_copies)))
          c.seen_ours = true;
        else if (!c.seen_ours)
          c.earlier = true;
        return 0;
      },
      &copies);
  return copies;
}

}  // namespace

bool second_instance() { return find_copies().earlier; }

std::string foreign_profiler() {
  const Copies copies = find_copies();
  for (const hsa::LoadedObject& object : hsa::loaded_objects("librocprofiler-sdk.so")) {
    bool ours = false;
    for (size_t i = 0; i < copies.count; ++i) ours |= copies.bases[i] == object.base;
    if (!ours) return object.path;
  }
  return {};
}

}  // namespace kreplay::intercept
