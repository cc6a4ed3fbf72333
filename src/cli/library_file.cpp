#include "cli/library_file.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace kreplay::cli {
namespace {

// The notes of src/intercept/instance.cpp.
constexpr const char* kNoteName = "kreplay";
constexpr uint32_t kMark = 1;
constexpr uint32_t kVersion = 2;
constexpr size_t kMostNotes = 1 << 20;

Status no_library(const std::string& path, const char* what) {
  return {Error::invalid_argument, path + ": is " + what};
}

size_t rounded(size_t size) { return (size + 3) & ~size_t{3}; }

void read_notes(const std::string& bytes, LibraryFile* library) {
  Elf64_Nhdr note{};
  for (size_t at = 0; at + sizeof note <= bytes.size();) {
    std::memcpy(&note, bytes.data() + at, sizeof note);
    const size_t name = at + sizeof note;
    const size_t text = name + rounded(note.n_namesz);
    if (text > bytes.size() || rounded(note.n_descsz) > bytes.size() - text) return;
    at = text + rounded(note.n_descsz);
    if (note.n_namesz != std::strlen(kNoteName) + 1 || std::strcmp(bytes.data() + name, kNoteName) != 0)
      continue;
    library->ours |= note.n_type == kMark;
    if (note.n_type == kVersion)
      library->version.assign(bytes.data() + text, strnlen(bytes.data() + text, note.n_descsz));
  }
}

}  // namespace

Result<LibraryFile> look_at_library(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {Error::io, path + ": " + std::strerror(errno)};
  if (!S_ISREG(info.st_mode)) return no_library(path, "no file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return {Error::io, path + ": cannot be read: " + std::strerror(errno)};
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return no_library(path, "no shared library");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
    return no_library(path, "for another kind of processor");
  if (header.e_type != ET_DYN) return no_library(path, "no shared library");
  LibraryFile library;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return no_library(path, "cut off");
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    std::string bytes(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      return no_library(path, "cut off");
    read_notes(bytes, &library);
  }
  return library;
}

Result<LibraryFile> look_at_own_library(const std::string& path) {
  Result<LibraryFile> library = look_at_library(path);
  if (library && !library->ours) return no_library(path, "not libkreplay.so but another library");
  return library;
}

}  // namespace kreplay::cli
