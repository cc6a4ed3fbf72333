// Just enough of a loader for the code objects of this folder: no relocations, symbols from .dynsym.
#pragma once

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/fake_memory.hpp"

namespace gfx9_test {

class CodeObject {
 public:
  /// Loads the file's segments into one range of `memory` at `base`.
  CodeObject(const std::string& path, FakeMemory& memory, uint64_t base) : base_(base) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    image_.assign(std::istreambuf_iterator<char>(file), {});
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* segments = at<Elf64_Phdr>(header->e_phoff);
    uint64_t size = 0;
    for (unsigned n = 0; n < header->e_phnum; ++n) {
      if (segments[n].p_type == PT_LOAD) size = std::max(size, segments[n].p_vaddr + segments[n].p_memsz);
    }
    std::byte* loaded = memory.add(base, size);
    for (unsigned n = 0; n < header->e_phnum; ++n) {
      const Elf64_Phdr& s = segments[n];
      if (s.p_type == PT_LOAD) std::memcpy(loaded + s.p_vaddr, image_.data() + s.p_offset, s.p_filesz);
    }
  }
  /// GPU address of a symbol.
  uint64_t symbol(const std::string& name) const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* sections = at<Elf64_Shdr>(header->e_shoff);
    for (unsigned n = 0; n < header->e_shnum; ++n) {
      if (sections[n].sh_type != SHT_DYNSYM) continue;
      const char* names = image_.data() + sections[sections[n].sh_link].sh_offset;
      const auto* symbols = at<Elf64_Sym>(sections[n].sh_offset);
      for (uint64_t s = 0; s < sections[n].sh_size / sizeof(Elf64_Sym); ++s) {
        if (name == names + symbols[s].st_name) return base_ + symbols[s].st_value;
      }
    }
    throw std::runtime_error("no symbol " + name);
  }

 private:
  template <typename T>
  const T* at(uint64_t offset) const {
    return reinterpret_cast<const T*>(image_.data() + offset);
  }
  uint64_t base_;
  std::vector<char> image_;
};

}  // namespace gfx9_test
