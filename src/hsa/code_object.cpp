#include "hsa/code_object.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/fnv1a.hpp"

namespace kreplay::hsa {
namespace {

using nlohmann::json;

constexpr uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
/// Far beyond what any compiler accepts (HIP: 4 KiB), so that a nonsensical size costs neither time nor
/// memory.
constexpr uint32_t kMostKernargBytes = 1 << 20;

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

uint64_t whole_number(const json& map, const char* key) {
  const auto it = map.find(key);
  return it != map.end() && it->is_number_unsigned() ? it->get<uint64_t>() : 0;
}
/// What does not fit is the largest that does.
uint32_t number(const json& map, const char* key) {
  return static_cast<uint32_t>(std::min<uint64_t>(whole_number(map, key), UINT32_MAX));
}
std::string text(const json& map, const char* key) {
  const auto it = map.find(key);
  return it != map.end() && it->is_string() ? it->get<std::string>() : std::string();
}

/// @return nothing when an argument lies outside of the kernarg segment
std::optional<KernelMetadata> read_kernel(const json& entry) {
  KernelMetadata kernel;
  kernel.symbol = text(entry, ".symbol");
  kernel.name = text(entry, ".name");
  kernel.kernarg_bytes = number(entry, ".kernarg_segment_size");
  kernel.private_bytes = number(entry, ".private_segment_fixed_size");
  kernel.group_bytes = number(entry, ".group_segment_fixed_size");
  kernel.vgprs = number(entry, ".vgpr_count");
  kernel.agprs = number(entry, ".agpr_count");
  kernel.sgprs = number(entry, ".sgpr_count");
  kernel.vgpr_spills = number(entry, ".vgpr_spill_count");
  kernel.sgpr_spills = number(entry, ".sgpr_spill_count");
  const auto args = entry.find(".args");
  if (kernel.kernarg_bytes > kMostKernargBytes) return std::nullopt;
  if (args == entry.end() || !args->is_array()) {
    kernel.arguments_listed = false;
    kernel.explicit_bytes = kernel.kernarg_bytes;
    return kernel;
  }
  for (const json& arg : *args) {
    if (!arg.is_object()) continue;
    const std::string kind = text(arg, ".value_kind");
    const uint64_t begin = whole_number(arg, ".offset");
    const uint64_t bytes = whole_number(arg, ".size");
    if (bytes > kernel.kernarg_bytes || begin > kernel.kernarg_bytes - bytes) return std::nullopt;
    const auto offset = static_cast<uint32_t>(begin);
    const auto size = static_cast<uint32_t>(bytes);
    if (kind.rfind("hidden_", 0) == 0) {
      if (kind == "hidden_hostcall_buffer" && size >= sizeof(uint64_t))
        kernel.hostcall_offset = static_cast<int32_t>(offset);
      continue;
    }
    if (offset + size > kernel.explicit_bytes) kernel.explicit_bytes = offset + size;
    if (kind == "global_buffer" || kind == "dynamic_shared_pointer") {
      if (kind == "global_buffer" && size >= sizeof(uint64_t)) kernel.pointers.push_back({offset});
      continue;
    }
    // An aggregate passed by value may hold pointers at any aligned word; the reader of the list checks
    // each word against the extent table, so a word that is no address does no harm.
    if (kind == "by_value" && size >= 8)
      for (uint32_t at = (offset + 7) & ~7u; at + 8 <= offset + size; at += 8)
        kernel.pointers.push_back({at});
  }
  return kernel;
}

void read_metadata(std::span<const std::byte> note, CodeObject& out) {
  const auto* first = reinterpret_cast<const uint8_t*>(note.data());
  const json root =
      json::from_msgpack(first, first + note.size(), /*strict=*/false, /*allow_exceptions=*/false);
  if (!root.is_object()) return;
  const auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->is_array()) return;
  for (const json& entry : *kernels)
    if (entry.is_object())
      if (auto kernel = read_kernel(entry)) out.kernels.push_back(*std::move(kernel));
}

/// Walks the notes of one segment.
void read_notes(std::span<const std::byte> segment, CodeObject& out) {
  size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= segment.size()) {
    Elf64_Nhdr header;
    std::memcpy(&header, segment.data() + at, sizeof header);
    const size_t name_at = at + sizeof header;
    const size_t data_at = name_at + ((size_t{header.n_namesz} + 3) & ~size_t{3});
    const size_t next = data_at + ((size_t{header.n_descsz} + 3) & ~size_t{3});
    if (data_at > segment.size() || data_at + header.n_descsz > segment.size()) return;
    const bool ours = header.n_type == kMetadataNote && header.n_namesz >= 6 &&
                      std::memcmp(segment.data() + name_at, "AMDGPU", 6) == 0;
    if (ours) read_metadata(segment.subspan(data_at, header.n_descsz), out);
    at = next;
  }
}

uint64_t hash_of(std::span<const std::byte> bytes) {
  return Fnv1a().mix({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).value();
}

/// The bytes of a symbol in its section, empty when the image does not have them.
std::span<const std::byte> bytes_of(Elf* elf, const GElf_Sym& symbol, std::span<const std::byte> image) {
  Elf_Scn* section = elf_getscn(elf, symbol.st_shndx);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS ||
      header.sh_offset > image.size() || header.sh_size > image.size() - header.sh_offset ||
      symbol.st_value < header.sh_addr || symbol.st_value - header.sh_addr > header.sh_size ||
      symbol.st_size > header.sh_size - (symbol.st_value - header.sh_addr))
    return {};
  return image.subspan(header.sh_offset + (symbol.st_value - header.sh_addr), symbol.st_size);
}

/// Measures and hashes the instructions of each kernel. What a kernel calls is not part of it;
/// `code_object_hash` covers that.
void measure_code(Elf* elf, std::span<const std::byte> image, std::vector<KernelMetadata>& kernels) {
  std::map<std::string_view, KernelMetadata*> by_name;
  const uint64_t whole = hash_of(image);
  for (KernelMetadata& kernel : kernels) {
    kernel.code_object_hash = whole;
    by_name[kernel.name] = &kernel;
  }
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
      const auto kernel = name == nullptr ? by_name.end() : by_name.find(name);
      if (kernel == by_name.end()) continue;
      const std::span<const std::byte> code = bytes_of(elf, symbol, image);
      if (code.empty()) continue;
      kernel->second->code_bytes = code.size();
      kernel->second->code_hash = hash_of(code);
    }
  }
}

}  // namespace

Result<CodeObject> read_code_object(std::span<const std::byte> bytes) {
  if (elf_version(EV_CURRENT) == EV_NONE) return Status(Error::internal, "libelf is older than its header");
  // elf_memory() only reads here, its parameter is not const for ELF_C_WRITE users.
  std::unique_ptr<Elf, ElfEnd> elf(
      elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data())), bytes.size()));
  size_t headers = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getphdrnum(elf.get(), &headers) != 0)
    return Status(Error::invalid_argument,
                  fmt::format("code object of {} bytes is no readable ELF image", bytes.size()));
  CodeObject out;
  GElf_Phdr relro = {};
  for (size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) == nullptr)
      return Status(Error::invalid_argument, fmt::format("code object: program header {} cannot be read", i));
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0 && header.p_memsz != 0)
      out.writable.push_back({header.p_vaddr, header.p_memsz});
    if (header.p_type == PT_GNU_RELRO) relro = header;
    if (header.p_type == PT_NOTE && header.p_offset <= bytes.size() &&
        header.p_filesz <= bytes.size() - header.p_offset)
      read_notes(bytes.subspan(header.p_offset, header.p_filesz), out);
  }
  if (!out.kernels.empty()) measure_code(elf.get(), bytes, out.kernels);
  // What is read-only after relocation is written by the loader only.
  std::erase_if(out.writable, [&](const WritableSegment& segment) {
    return segment.virtual_address >= relro.p_vaddr &&
           segment.virtual_address + segment.size_bytes <= relro.p_vaddr + relro.p_memsz;
  });
  return out;
}

}  // namespace kreplay::hsa
