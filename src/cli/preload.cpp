#include "cli/preload.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "cli/child.hpp"

namespace kreplay::cli {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool is_sanitizer(const std::string& path) {
  const std::string name = file_name(path);
  for (const char* prefix : {"libasan", "libtsan", "libubsan", "liblsan", "libhwasan", "libclang_rt."})
    if (name.compare(0, std::strlen(prefix), prefix) == 0) return true;
  return false;
}

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

Result<std::string> preload_list(const std::string& existing, const std::vector<std::string>& libraries) {
  std::vector<std::string> first, ours, rest;
  for (const std::string& library : libraries) {
    if (library.find_first_of(" :") != std::string::npos) {
      return {
          Error::invalid_argument,
          library +
              ": the loader cannot preload a path with a space or a colon; install elsewhere or use a link"};
    }
    (is_sanitizer(library) ? first : ours).push_back(library);
  }
  const auto listed = [](const std::vector<std::string>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& entry) { return file_name(entry) == name; });
  };
  for (const std::string& entry : split(existing, " :")) {
    if (listed(ours, file_name(entry))) continue;
    std::vector<std::string>& to = is_sanitizer(entry) ? first : rest;
    if (std::find(to.begin(), to.end(), entry) == to.end()) to.push_back(entry);
  }
  std::string list;
  for (const auto* part : {&first, &ours, &rest})
    for (const std::string& entry : *part) list += (list.empty() ? "" : ":") + entry;
  return list;
}

Result<std::string> find_library(const std::string& name, const std::string& program) {
  const std::string folder = program.substr(0, program.find_last_of('/') + 1);
  std::string tried;
  for (const char* place : {"", "../" KREPLAY_LIBDIR "/kreplay/", "../lib/"}) {
    std::string path = folder;
    path.append(place).append(name);
    if (is_file(path)) {
      char* resolved = ::realpath(path.c_str(), nullptr);
      std::string result = resolved != nullptr ? resolved : path;
      ::free(resolved);
      return result;
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return {Error::not_found, name + " was not found; looked for " + tried};
}

Result<std::vector<std::string>> libraries_to_preload(const std::string& named, bool soft) {
  std::vector<std::string> libraries;
  std::vector<const char*> names = {"libkreplay.so"};
  if (soft) names.push_back("libkreplay-softgpu.so");
  for (const char* name : names) {
    if (libraries.empty() && !named.empty()) {
      libraries.push_back(named);
      continue;
    }
    Result<std::string> found = find_library(name, own_path());
    if (!found) return found.status();
    libraries.push_back(std::move(*found));
  }
  return libraries;
}

std::string find_program(const std::string& name, const std::string& search_path) {
  if (name.find('/') != std::string::npos) return is_file(name) ? name : "";
  for (const std::string& folder : split(search_path, ":")) {
    std::string path = folder;
    path.append("/").append(name);
    if (is_file(path) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

ProgramKind classify(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return ProgramKind::unknown;
  const bool other_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != ::geteuid();
  const bool other_group = (info.st_mode & S_ISGID) != 0 && info.st_gid != ::getegid();
  const bool capable = ::geteuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if (other_user || other_group || capable) return ProgramKind::privileged;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (file.gcount() >= 2 && std::memcmp(&header, "#!", 2) == 0) return ProgramKind::script;
  if (file.gcount() < EI_NIDENT || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return ProgramKind::unknown;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
    return ProgramKind::other_class;
  file.clear();
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return ProgramKind::unknown;
    if (segment.p_type == PT_INTERP) return ProgramKind::dynamic_program;
  }
  return ProgramKind::static_program;
}

}  // namespace kreplay::cli
