#include "replay/kernels.hpp"

#include <cxxabi.h>

#include <cstdlib>

#include "base/check.hpp"

namespace kreplay::replay {
namespace {

std::string demangle(const std::string& symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return out;
}

report::KernelResources resources(const hsa::KernelMetadata& metadata) {
  report::KernelResources out;
  out.vgprs = metadata.vgprs;
  out.agprs = metadata.agprs;
  out.sgprs = metadata.sgprs;
  out.vgpr_spills = metadata.vgpr_spills;
  out.sgpr_spills = metadata.sgpr_spills;
  out.lds_bytes = metadata.group_bytes;
  out.scratch_bytes = metadata.private_bytes;
  out.kernarg_bytes = metadata.kernarg_bytes;
  out.code_bytes = metadata.code_bytes;
  out.code_hash = metadata.code_hash;
  out.code_object_hash = metadata.code_object_hash;
  return out;
}

}  // namespace

KernelTable::KernelTable() {
  tables_.push_back(std::make_unique<Slots>(1024));
  current_.store(tables_.back().get(), std::memory_order_release);
}
KernelTable::~KernelTable() = default;

size_t KernelTable::hash(uint64_t key) {
  key >>= 6;  // descriptors are 64-byte aligned
  key *= 0x9e3779b97f4a7c15ull;
  return static_cast<size_t>(key >> 32);
}

Kernel* KernelTable::find(uint64_t kernel_object) const {
  const Slots* slots = current_.load(std::memory_order_acquire);
  for (size_t i = hash(kernel_object);; ++i) {
    Kernel* kernel = slots->slot[i & slots->mask].load(std::memory_order_acquire);
    if (kernel == nullptr) return nullptr;
    if (kernel->kernel_object == kernel_object && kernel != &tombstone_) return kernel;
  }
}

void KernelTable::place(Slots& slots, Kernel* kernel) {
  for (size_t i = hash(kernel->kernel_object);; ++i) {
    std::atomic<Kernel*>& slot = slots.slot[i & slots.mask];
    if (slot.load(std::memory_order_relaxed) != nullptr) continue;
    slot.store(kernel, std::memory_order_release);
    ++used_;
    return;
  }
}

void KernelTable::grow() {
  const Slots& old = *tables_.back();
  size_t count = old.mask + 1;
  while (4 * (live_ + 1) > count) count *= 2;
  auto fresh = std::make_unique<Slots>(count);
  used_ = 0;
  for (size_t i = 0; i <= old.mask; ++i) {
    Kernel* kernel = old.slot[i].load(std::memory_order_relaxed);
    if (kernel != nullptr && kernel != &tombstone_) place(*fresh, kernel);
  }
  current_.store(fresh.get(), std::memory_order_release);
  tables_.push_back(std::move(fresh));
}

Kernel& KernelTable::insert(uint64_t kernel_object, const std::string& symbol,
                            const hsa::KernelMetadata* metadata) {
  auto kernel = std::make_unique<Kernel>();
  kernel->kernel_object = kernel_object;
  kernel->symbol = symbol;
  if (symbol.size() > 3 && symbol.compare(symbol.size() - 3, 3, ".kd") == 0)
    kernel->symbol.resize(symbol.size() - 3);
  kernel->demangled = demangle(kernel->symbol);
  kernel->waits_on_memory = kernel->symbol == "__amd_rocclr_streamOpsWait";
  if (metadata != nullptr) {
    kernel->metadata = *metadata;
    kernel->described = true;
    kernel->info.resources = resources(*metadata);
  }
  kernel->info.symbol = kernel->symbol;
  kernel->info.demangled = kernel->demangled;
  erase(kernel_object);
  const std::lock_guard lock(mutex_);
  kernel->info.kernel_id = next_id_++;
  Kernel& out = *kernel;
  kernels_.push_back(std::move(kernel));
  if (2 * (used_ + 1) > tables_.back()->mask + 1) grow();
  place(*tables_.back(), &out);
  ++live_;
  KR_CHECK(live_ <= used_ && 2 * used_ <= tables_.back()->mask + 1, "half of the slots end a look-up");
  return out;
}

void KernelTable::erase(uint64_t kernel_object) {
  const std::lock_guard lock(mutex_);
  Slots& slots = *tables_.back();
  for (size_t i = hash(kernel_object);; ++i) {
    std::atomic<Kernel*>& slot = slots.slot[i & slots.mask];
    Kernel* kernel = slot.load(std::memory_order_relaxed);
    if (kernel == nullptr) return;
    if (kernel == &tombstone_ || kernel->kernel_object != kernel_object) continue;
    slot.store(&tombstone_, std::memory_order_release);
    KR_CHECK(live_ > 0, "kernels in the table are counted");
    --live_;
    return;
  }
}

size_t KernelTable::size() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

}  // namespace kreplay::replay
