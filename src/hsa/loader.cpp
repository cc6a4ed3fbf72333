#include "hsa/loader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "hsa/contained.hpp"

namespace kreplay::hsa {
namespace {

/// Reads a whole code object from a descriptor without moving its file offset.
std::vector<std::byte> read_file(int descriptor) {
  struct stat info;
  if (fstat(descriptor, &info) != 0 || info.st_size <= 0) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(info.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n <= 0) return {};
    done += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace

Loader::Loader(const HsaApi& api) : api_(api) {
  hsa_ven_amd_loader_1_01_pfn_t table = {};
  if (api.hsa_system_get_major_extension_table != nullptr &&
      api.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table) ==
          HSA_STATUS_SUCCESS)
    table_ = table;
}

LoadedCodeObject Loader::read(hsa_loaded_code_object_t handle) const {
  LoadedCodeObject out;
  out.handle = handle.handle;
  const auto info = [&](hsa_ven_amd_loader_loaded_code_object_info_t what, void* value) {
    return table_.hsa_ven_amd_loader_loaded_code_object_get_info(handle, what, value) == HSA_STATUS_SUCCESS;
  };
  uint32_t kind = 0;
  uint32_t storage = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE;
  if (!info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND, &kind)) {
    out.problem = "the loader does not say what the code object is for";
    return out;
  }
  if (kind != HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT) return out;
  if (!info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT, &out.agent) ||
      !info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE, &storage)) {
    out.problem = "the loader does not say where the code object is";
    return out;
  }
  std::vector<std::byte> file;
  std::span<const std::byte> bytes;
  if (storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY) {
    uint64_t base = 0;
    uint64_t size = 0;
    if (info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE, &base) &&
        info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE, &size))
      bytes = {reinterpret_cast<const std::byte*>(base), size};
  } else if (storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE) {
    int descriptor = -1;
    if (info(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE, &descriptor))
      file = read_file(descriptor);
    bytes = file;
  }
  if (bytes.empty()) {
    out.problem = "the code object's bytes are not available";
    return out;
  }
  Result<CodeObject> object = read_code_object(bytes);
  if (!object) {
    out.problem = object.status().message();
    return out;
  }
  out.object = std::move(*object);
  return out;
}

void Loader::place(LoadedCodeObject& loaded) const {
  loaded.writable.clear();
  if (loaded.object.writable.empty()) return;
  int64_t delta = 0;
  if (table_.hsa_ven_amd_loader_loaded_code_object_get_info(
          {loaded.handle}, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA, &delta) !=
      HSA_STATUS_SUCCESS) {
    loaded.problem = "the loader does not say where the code object was loaded";
    return;
  }
  for (const WritableSegment& segment : loaded.object.writable)
    loaded.writable.push_back({segment.virtual_address + static_cast<uint64_t>(delta), segment.size_bytes});
}

LoadPlace Loader::where(const LoadedCodeObject& loaded) const {
  LoadPlace out;
  if (!available()) return out;
  const auto ask = [&](hsa_ven_amd_loader_loaded_code_object_info_t what, void* value) {
    return table_.hsa_ven_amd_loader_loaded_code_object_get_info({loaded.handle}, what, value) ==
           HSA_STATUS_SUCCESS;
  };
  ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &out.base);
  ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &out.size_bytes);
  ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA, &out.delta);
  ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE, &out.storage);
  if (out.storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE) {
    ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE, &out.file);
  } else if (out.storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY) {
    ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE, &out.memory_base);
    ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE, &out.memory_bytes);
  }
  uint32_t length = 0;
  if (ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, &length) && length != 0) {
    out.uri.resize(length);
    if (!ask(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, out.uri.data())) out.uri.clear();
    while (!out.uri.empty() && out.uri.back() == '\0') out.uri.pop_back();
  }
  return out;
}

int64_t Loader::entry_offset(uint64_t kernel_object) const {
  // kernel_code_entry_byte_offset of the kernel descriptor: "AMDGPU Usage" of LLVM.
  constexpr size_t kEntryOffsetAt = 16;
  const void* descriptor = nullptr;
  if (table_.hsa_ven_amd_loader_query_host_address == nullptr ||
      table_.hsa_ven_amd_loader_query_host_address(reinterpret_cast<const void*>(kernel_object),
                                                   &descriptor) != HSA_STATUS_SUCCESS ||
      descriptor == nullptr)
    return 0;
  int64_t offset = 0;
  std::memcpy(&offset, static_cast<const std::byte*>(descriptor) + kEntryOffsetAt, sizeof offset);
  return offset;
}

Result<std::vector<LoadedCodeObject>> Loader::loaded_code_objects(hsa_executable_t executable,
                                                                  const std::vector<uint64_t>& known) const {
  if (!available()) return Status(Error::unsupported, "the runtime has no loader extension 1.01");
  std::vector<hsa_loaded_code_object_t> handles;
  const hsa_status_t status = table_.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
      executable,
      [](hsa_executable_t, hsa_loaded_code_object_t handle, void* data) {
        return contained([&] {
          static_cast<std::vector<hsa_loaded_code_object_t>*>(data)->push_back(handle);
          return HSA_STATUS_SUCCESS;
        });
      },
      &handles);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::runtime, fmt::format("listing loaded code objects failed with 0x{:x}",
                                              static_cast<unsigned>(status)));
  std::vector<LoadedCodeObject> out;
  for (const hsa_loaded_code_object_t handle : handles)
    if (std::find(known.begin(), known.end(), handle.handle) == known.end()) out.push_back(read(handle));
  return out;
}

Result<std::vector<KernelSymbol>> Loader::kernel_symbols(hsa_executable_t executable,
                                                         hsa_agent_t agent) const {
  struct Walk {
    const HsaApi& api;
    hsa_agent_t agent;
    std::vector<KernelSymbol> found;
    hsa_status_t add(hsa_executable_symbol_t symbol) {
      hsa_symbol_kind_t kind;
      hsa_status_t s = api.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind);
      if (s != HSA_STATUS_SUCCESS) return s;
      if (kind != HSA_SYMBOL_KIND_KERNEL) return HSA_STATUS_SUCCESS;
      uint32_t length = 0;
      s = api.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
      if (s != HSA_STATUS_SUCCESS) return s;
      KernelSymbol kernel;
      kernel.symbol.resize(length);
      kernel.agent = agent;
      s = api.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, kernel.symbol.data());
      if (s != HSA_STATUS_SUCCESS) return s;
      s = api.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                             &kernel.kernel_object);
      if (s != HSA_STATUS_SUCCESS) return s;
      // Of use to tools only: what cannot be told stays zero.
      const auto size = [&](hsa_executable_symbol_info_t what, uint32_t& value) {
        (void)api.hsa_executable_symbol_get_info(symbol, what, &value);
      };
      size(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, kernel.kernarg_bytes);
      size(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT, kernel.kernarg_alignment);
      size(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, kernel.group_bytes);
      size(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, kernel.private_bytes);
      while (!kernel.symbol.empty() && kernel.symbol.back() == '\0') kernel.symbol.pop_back();
      found.push_back(std::move(kernel));
      return HSA_STATUS_SUCCESS;
    }
  } walk{api_, agent, {}};
  const hsa_status_t status = api_.hsa_executable_iterate_agent_symbols(
      executable, agent,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* data) {
        return contained([&] { return static_cast<Walk*>(data)->add(symbol); });
      },
      &walk);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::runtime,
                  fmt::format("listing kernel symbols failed with 0x{:x}", static_cast<unsigned>(status)));
  return std::move(walk.found);
}

}  // namespace kreplay::hsa
