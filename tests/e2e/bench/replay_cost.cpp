// A steady stream of one dispatch, for the cost of its replay: `replay_cost REGIONS MIB WARM STEADY` keeps
// REGIONS device allocations of MIB MiB in all, dispatches WARM + STEADY times and prints for the STEADY ones
// what the counting layer saw per dispatch, and after each dispatch the time of a memcpy of the same bytes
// into a warm buffer. The snapshot times are in the outcome records.
#include <dlfcn.h>
#include <time.h>

#include "support/e2e_counting/counting.hpp"
#include "support/hsa_check.hpp"

namespace {

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Function>
Function* counting(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s REGIONS MIB WARM STEADY\n", argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto regions = static_cast<unsigned>(std::atoi(argv[1]));
  const size_t size = static_cast<size_t>(std::atoi(argv[2])) << 20;
  const int warm = std::atoi(argv[3]);
  const int steady = std::atoi(argv[4]);
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel count_up = code.kernel("count_up");
    e2e::Queue queue(agents);
    std::vector<char*> blocks;
    for (unsigned r = 0; r < regions; ++r) {
      blocks.push_back(e2e::allocate<char>(agents, agents.device, size / regions));
      HSA_OK(hsa_amd_memory_fill(blocks.back(), r, size / regions / 4));
    }
    std::vector<char> from(size, 1);
    std::vector<char> to(size, 2);
    auto* arguments = e2e::allocate<unsigned>(agents, agents.kernarg, 16);
    arguments[0] = 1;
    const hsa_signal_t done = e2e::make_signal(1);

    auto* all_calls = counting<decltype(e2e_counting_all_calls)>("e2e_counting_all_calls");
    auto* allocations = counting<decltype(e2e_counting_allocations)>("e2e_counting_allocations");
    auto* signals = counting<decltype(e2e_counting_signals)>("e2e_counting_signals");
    auto* mallocs = counting<decltype(e2e_counting_mallocs)>("e2e_counting_mallocs");
    auto* thread = counting<decltype(e2e_counting_thread)>("e2e_counting_thread");
    std::vector<double> copies;
    copies.reserve(static_cast<size_t>(warm) + static_cast<size_t>(steady));
    uint64_t before[4] = {};
    const auto read = [&](uint64_t* into) {
      into[0] = all_calls != nullptr ? all_calls() : 0;
      into[1] = allocations != nullptr ? allocations() : 0;
      into[2] = signals != nullptr ? signals() : 0;
      into[3] = mallocs != nullptr ? mallocs() : 0;
    };
    for (int k = 0; k < warm + steady; ++k) {
      if (k == warm) {
        read(before);
        if (thread != nullptr) {
          thread(true);
        }
      }
      hsa_signal_store_relaxed(done, 1);
      const uint64_t index = queue.reserve();
      auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue.slot(index));
      std::memset(reinterpret_cast<char*>(packet) + 4, 0, 60);
      packet->workgroup_size_x = 64;
      packet->workgroup_size_y = 1;
      packet->workgroup_size_z = 1;
      packet->grid_size_x = 64;
      packet->grid_size_y = 1;
      packet->grid_size_z = 1;
      packet->kernel_object = count_up.object;
      packet->kernarg_address = arguments;
      packet->completion_signal = done;
      packet->private_segment_size = count_up.private_bytes;
      packet->group_segment_size = count_up.group_bytes;
      e2e::Queue::publish(packet, e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
      queue.ring(index);
      // One wait: the counts per dispatch are to be those of the dispatch.
      while (hsa_signal_load_scacquire(done) != 0) {
        hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
      }
      const double begin = now_ns();
      std::memcpy(to.data(), from.data(), size);
      asm volatile("" : : "r"(to.data()) : "memory");
      copies.push_back(now_ns() - begin);
    }
    if (thread != nullptr) {
      thread(false);
    }
    uint64_t after[4] = {};
    read(after);
    const char* const names[] = {"hsa_calls", "hsa_allocations", "signals_created", "mallocs"};
    for (int n = 0; n < 4; ++n) {
      std::printf("%s %.3f\n", names[n], static_cast<double>(after[n] - before[n]) / steady);
    }
    for (size_t k = static_cast<size_t>(warm); k < copies.size(); ++k) {
      std::printf("memcpy_ns %.0f\n", copies[k]);
    }
    std::printf("counted %d\n", all_calls != nullptr ? 1 : 0);
    HSA_OK(hsa_signal_destroy(done));
    HSA_OK(hsa_amd_memory_pool_free(arguments));
    for (char* block : blocks) {
      HSA_OK(hsa_amd_memory_pool_free(block));
    }
  }
  HSA_OK(hsa_shut_down());
  return 0;
}
