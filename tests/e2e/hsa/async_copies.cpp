// Asynchronous copies and fills with dependency signals: a chain copy, kernel, copy without a host wait;
// copies of several sizes counted by one signal; device to device; locked host memory; a rectangle.
// e2e-candidates: ^in_place 4
#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("async_copies");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel in_place = code.kernel("in_place");
    e2e::Queue queue(agents);
    const unsigned count = 20'000;
    const size_t size = count * sizeof(unsigned);
    auto x = e2e::random_values<unsigned>(count, 321);
    const auto y = e2e::random_values<unsigned>(count, 322);
    auto* host_x = e2e::allocate<unsigned>(agents, agents.host, count);
    auto* host_y = e2e::allocate<unsigned>(agents, agents.host, count);
    auto* dev_x = e2e::allocate<unsigned>(agents, agents.device, count);
    auto* dev_y = e2e::allocate<unsigned>(agents, agents.device, count);

    for (int round = 0; round < 4; ++round) {
      std::memcpy(host_x, x.data(), size);
      std::memcpy(host_y, y.data(), size);
      const hsa_signal_t up = e2e::make_signal(2);  // two copies
      const hsa_signal_t ran = e2e::make_signal(1);
      const hsa_signal_t down = e2e::make_signal(1);
      HSA_OK(hsa_amd_memory_async_copy(dev_x, agents.gpu, host_x, agents.cpu, size, 0, nullptr, up));
      HSA_OK(hsa_amd_memory_async_copy(dev_y, agents.gpu, host_y, agents.cpu, size, 0, nullptr, up));
      queue.barrier(HSA_PACKET_TYPE_BARRIER_AND, {up}, {});
      queue.dispatch(in_place, count, 64, ran, dev_x, dev_y, count);
      HSA_OK(hsa_amd_memory_async_copy(host_x, agents.cpu, dev_x, agents.gpu, size, 1, &ran, down));
      e2e::wait_below(down, 1, "the copy back");
      e2e::in_place_host(x, y);
      checks.equal("chain", std::vector<unsigned>(host_x, host_x + count), x);
      for (const hsa_signal_t signal : {up, ran, down}) {
        HSA_OK(hsa_signal_destroy(signal));
      }
    }

    // Many small copies, one counting signal; the last waits for it and copies device to device.
    const hsa_signal_t many = e2e::make_signal(16);
    for (unsigned k = 0; k < 16; ++k) {
      HSA_OK(hsa_amd_memory_async_copy(dev_y + k * 1'000, agents.gpu, host_x + (15 - k) * 1'000, agents.cpu,
                                       1'000 * sizeof(unsigned), 0, nullptr, many));
    }
    const hsa_signal_t across = e2e::make_signal(1);
    HSA_OK(hsa_amd_memory_async_copy(dev_x, agents.gpu, dev_y, agents.gpu, size, 1, &many, across));
    e2e::wait_below(across, 1, "the copy across");
    std::vector<unsigned> want = y;
    for (unsigned k = 0; k < 16; ++k) {
      std::copy_n(x.begin() + (15 - k) * 1'000, 1'000, want.begin() + k * 1'000);
    }
    checks.equal("counted_and_across", e2e::from_device(agents, dev_x, count), want);

    HSA_OK(hsa_amd_memory_fill(dev_y, 0xabcd1234u, 5'000));
    std::vector<unsigned> want_y(want);
    std::copy_n(want.begin(), count, want_y.begin());
    std::fill_n(want_y.begin(), 5'000, 0xabcd1234u);
    checks.equal("fill", e2e::from_device(agents, dev_y, count), want_y);

    // Ordinary heap pages, locked: the GPU sees them under another address.
    auto heap = e2e::random_values<unsigned>(count, 323);
    void* locked = nullptr;
    HSA_OK(hsa_amd_memory_lock(heap.data(), size, const_cast<hsa_agent_t*>(&agents.gpu), 1, &locked));
    hsa_signal_store_relaxed(across, 1);
    HSA_OK(hsa_amd_memory_async_copy(dev_x, agents.gpu, locked, agents.cpu, size, 0, nullptr, across));
    e2e::wait_below(across, 1, "the copy from locked memory");
    checks.equal("locked", e2e::from_device(agents, dev_x, count), heap);
    HSA_OK(hsa_amd_memory_unlock(heap.data()));

    // 100 x 40 elements out of a 140 wide image into a 110 wide one.
    hsa_pitched_ptr_t from{dev_x, 140 * sizeof(unsigned), 0};
    hsa_pitched_ptr_t to{host_y, 110 * sizeof(unsigned), 0};
    const hsa_dim3_t from_offset{20 * sizeof(unsigned), 3, 0};
    const hsa_dim3_t to_offset{8 * sizeof(unsigned), 5, 0};
    const hsa_dim3_t range{100 * sizeof(unsigned), 40, 1};
    std::vector<unsigned> want_host(110 * 60, 0x77777777u);
    std::memset(host_y, 0x77, want_host.size() * sizeof(unsigned));
    hsa_signal_store_relaxed(across, 1);
    HSA_OK(hsa_amd_memory_async_copy_rect(&to, &to_offset, &from, &from_offset, &range, agents.gpu,
                                          hsaDeviceToHost, 0, nullptr, across));
    e2e::wait_below(across, 1, "the rectangle");
    for (unsigned row = 0; row < 40; ++row) {
      std::copy_n(heap.begin() + (row + 3) * 140 + 20, 100, want_host.begin() + (row + 5) * 110 + 8);
    }
    checks.equal("rectangle", std::vector<unsigned>(host_y, host_y + want_host.size()), want_host);
    HSA_OK(hsa_signal_destroy(many));
    HSA_OK(hsa_signal_destroy(across));
    HSA_OK(hsa_amd_memory_pool_free(host_x));
    HSA_OK(hsa_amd_memory_pool_free(host_y));
    HSA_OK(hsa_amd_memory_pool_free(dev_x));
    HSA_OK(hsa_amd_memory_pool_free(dev_y));
  }
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
