// Reads an AMDGPU code object (ELF, code-object versions 3 and later): the kernels its metadata note
// describes and the segments a kernel can write. Metadata of version 2 (YAML) is not read; its kernels are
// still found by symbol name, only without argument layout.
//
// Source: "AMDGPU Usage" of LLVM, code object metadata (note name AMDGPU, type 32, MessagePack).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace kreplay::hsa {

/// One explicit argument that holds an address.
struct PointerArgument {
  uint32_t offset = 0;  ///< bytes into the kernarg segment
};

struct KernelMetadata {
  std::string symbol;           ///< name of the descriptor, ends in ".kd"
  std::string name;             ///< mangled function name
  uint32_t kernarg_bytes = 0;   ///< explicit and hidden arguments together
  uint32_t explicit_bytes = 0;  ///< end of the last explicit argument; of the segment when none are listed
  bool arguments_listed =
      true;  ///< false: compilers other than LLVM's need not tell, nor the segment's true size
  uint32_t private_bytes = 0;  ///< fixed scratch per work-item
  uint32_t group_bytes = 0;    ///< fixed LDS per workgroup
  uint32_t vgprs = 0;          ///< per work-item
  uint32_t agprs = 0;
  uint32_t sgprs = 0;  ///< per wavefront
  uint32_t vgpr_spills = 0;
  uint32_t sgpr_spills = 0;
  uint64_t code_bytes = 0;        ///< length of the function, as its symbol says; 0 when it has none
  uint64_t code_hash = 0;         ///< FNV-1a of the function's bytes in the image; 0 when it has no symbol
  uint64_t code_object_hash = 0;  ///< FNV-1a of the whole image
  std::vector<PointerArgument> pointers;
  int32_t hostcall_offset = -1;  ///< of the hidden host-call buffer's address; -1: not declared
};

/// A segment a kernel may write, before loading; those that are read-only after relocation are left out.
struct WritableSegment {
  uint64_t virtual_address = 0;
  uint64_t size_bytes = 0;
};

struct CodeObject {
  std::vector<KernelMetadata> kernels;
  std::vector<WritableSegment> writable;
};

/// @param bytes the whole ELF image; only read during the call
/// @return Error::invalid_argument when it is not an ELF image that can be read. A missing metadata note is
///         no error, it leaves `kernels` empty. A kernel with an argument outside of its kernarg segment is
///         left out: nothing of what its metadata say can be relied on.
/// Threads: any; allocates, so not on the dispatch path.
Result<CodeObject> read_code_object(std::span<const std::byte> bytes);

}  // namespace kreplay::hsa
