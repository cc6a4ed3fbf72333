// Virtual memory of newer runtimes: one range over two mappings, one memory under two addresses, access taken
// away and given again, a mapping replaced by another. With runtime 5.2, which has none of it, the program
// says so and ends. e2e-replayed: ^in_place 9
#include <dlfcn.h>

#include "support/hsa_check.hpp"

namespace {

/// Newer than the build headers.
struct Handle {
  uint64_t value;
};
struct Access {
  hsa_access_permission_t permissions;
  hsa_agent_t agent;
};
constexpr auto kNoAccess = static_cast<hsa_access_permission_t>(0);
constexpr auto kSupported = static_cast<hsa_system_info_t>(0x205);

struct Calls {
  hsa_status_t (*reserve)(void**, size_t, uint64_t, uint64_t);
  hsa_status_t (*give_back)(void*, size_t);
  hsa_status_t (*create)(hsa_amd_memory_pool_t, size_t, int, uint64_t, Handle*);
  hsa_status_t (*release)(Handle);
  hsa_status_t (*map)(void*, size_t, size_t, Handle, uint64_t);
  hsa_status_t (*unmap)(void*, size_t);
  hsa_status_t (*set_access)(void*, size_t, const Access*, size_t);
  hsa_status_t (*get_access)(void*, hsa_access_permission_t*, hsa_agent_t);
};

template <class Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) {
    std::printf("error no %s\n", name);
    std::_Exit(2);
  }
}

/// Plain copies: the helper of the other programs asks whose memory it is, which virtual memory does not
/// tell.
void move(const e2e::Agents& agents, void* to, const void* from, size_t size_bytes, bool up) {
  auto* staging = e2e::allocate<char>(agents, agents.host, size_bytes);
  if (up) {
    std::memcpy(staging, from, size_bytes);
  }
  const hsa_signal_t done = e2e::make_signal(1);
  HSA_OK(hsa_amd_memory_async_copy(up ? to : staging, up ? agents.gpu : agents.cpu, up ? staging : from,
                                   up ? agents.cpu : agents.gpu, size_bytes, 0, nullptr, done));
  e2e::wait_below(done, 1, "a copy");
  if (!up) {
    std::memcpy(to, staging, size_bytes);
  }
  HSA_OK(hsa_signal_destroy(done));
  HSA_OK(hsa_amd_memory_pool_free(staging));
}

std::vector<unsigned> read(const e2e::Agents& agents, const unsigned* from, size_t count) {
  std::vector<unsigned> values(count);
  move(agents, values.data(), from, count * sizeof(unsigned), false);
  return values;
}

}  // namespace

int main() {
  e2e::Checks checks("virtual_memory");
  HSA_OK(hsa_init());
  bool supported = false;
  if (hsa_system_get_info(kSupported, &supported) != HSA_STATUS_SUCCESS || !supported) {
    std::printf("no virtual memory in this runtime\n");
    return 4;
  }
  Calls vm{};
  look_up(vm.reserve, "hsa_amd_vmem_address_reserve");
  look_up(vm.give_back, "hsa_amd_vmem_address_free");
  look_up(vm.create, "hsa_amd_vmem_handle_create");
  look_up(vm.release, "hsa_amd_vmem_handle_release");
  look_up(vm.map, "hsa_amd_vmem_map");
  look_up(vm.unmap, "hsa_amd_vmem_unmap");
  look_up(vm.set_access, "hsa_amd_vmem_set_access");
  look_up(vm.get_access, "hsa_amd_vmem_get_access");

  const e2e::Agents agents = e2e::find_agents();
  const size_t piece = 2u << 20;
  const Access full{HSA_ACCESS_PERMISSION_RW, agents.gpu};
  char* range = nullptr;
  char* alias = nullptr;
  Handle low{}, high{};
  HSA_OK(vm.reserve(reinterpret_cast<void**>(&range), 2 * piece, 0, 0));
  HSA_OK(vm.reserve(reinterpret_cast<void**>(&alias), piece, 0, 0));
  HSA_OK(vm.create(agents.device, piece, 0, 0, &low));
  HSA_OK(vm.create(agents.device, piece, 0, 0, &high));
  HSA_OK(vm.map(range, piece, 0, low, 0));
  HSA_OK(vm.map(range + piece, piece, 0, high, 0));
  HSA_OK(vm.set_access(range, 2 * piece, &full, 1));
  HSA_OK(vm.map(alias, piece, 0, low, 0));
  HSA_OK(vm.set_access(alias, piece, &full, 1));

  // 4,000 elements around the seam; then the same bytes through the other address.
  const unsigned count = 4'000;
  const unsigned below = 1'500;
  auto* x = reinterpret_cast<unsigned*>(range + piece) - below;
  auto* x_alias = reinterpret_cast<unsigned*>(alias + piece) - below;
  auto want = e2e::random_values<unsigned>(count, 701);
  const auto add = e2e::random_values<unsigned>(count, 702);
  move(agents, x, want.data(), count * sizeof(unsigned), true);
  unsigned* dev_add = e2e::to_device(agents, add);
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    e2e::Queue queue(agents);
    const auto step = [&](unsigned* where, unsigned first, unsigned number) {
      queue.dispatch(in_place, number, 64, {}, where, dev_add + first, number);
      queue.drain();
      for (unsigned i = first; i < first + number; ++i) {
        want[i] = want[i] * 3u + add[i];
      }
    };
    for (int launch = 0; launch < 3; ++launch) {
      step(x, 0, count);
    }
    checks.equal("over_the_seam", read(agents, x, count), want);
    step(x_alias, 0, below);
    step(x_alias, 0, below);
    checks.equal("through_the_alias", read(agents, x, count), want);

    // Without access, and with it again: the bytes are still there.
    const Access none{kNoAccess, agents.gpu};
    HSA_OK(vm.set_access(range + piece, piece, &none, 1));
    step(x_alias, 0, below);
    HSA_OK(vm.set_access(range + piece, piece, &full, 1));
    hsa_access_permission_t permission{};
    HSA_OK(vm.get_access(range + piece, &permission, agents.gpu));
    checks.value("access", static_cast<int>(permission), static_cast<int>(HSA_ACCESS_PERMISSION_RW));
    step(x, 0, count);
    checks.equal("access_again", read(agents, x, count), want);

    // The two pieces change places.
    HSA_OK(vm.unmap(range, piece));
    HSA_OK(vm.unmap(range + piece, piece));
    HSA_OK(vm.map(range, piece, 0, high, 0));
    HSA_OK(vm.map(range + piece, piece, 0, low, 0));
    HSA_OK(vm.set_access(range, 2 * piece, &full, 1));
    auto* start = reinterpret_cast<unsigned*>(range);
    step(start, below, count - below);
    checks.equal("changed_places", read(agents, start, count - below),
                 std::vector<unsigned>(want.begin() + below, want.end()));

    // Handles given back while mapped; the memory stays until the mappings go.
    HSA_OK(vm.release(low));
    HSA_OK(vm.release(high));
    step(x_alias, 0, below);
    checks.equal("after_release", read(agents, x_alias, below),
                 std::vector<unsigned>(want.begin(), want.begin() + below));
  }
  HSA_OK(vm.unmap(alias, piece));
  HSA_OK(vm.unmap(range, piece));
  HSA_OK(vm.unmap(range + piece, piece));
  HSA_OK(vm.give_back(alias, piece));
  HSA_OK(vm.give_back(range, 2 * piece));
  HSA_OK(hsa_amd_memory_pool_free(dev_add));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
