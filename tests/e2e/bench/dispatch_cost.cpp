// What one submitted packet costs the host. The program stays alive and measures a round for each line on
// standard input ("barrier" or "dispatch"), so that a driver can interleave rounds of several processes with
// different preloads. The head of the queue is held by a closed barrier while packets are submitted: the
// packet processor does not disturb. Prints nanoseconds per packet, one line per round; one doorbell per
// packet.
#include <time.h>

#include "support/hsa_check.hpp"

namespace {

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel count_up = code.kernel("count_up");
    e2e::Queue queue(agents, 4'096);
    auto* arguments = e2e::allocate<unsigned>(agents, agents.kernarg, 16);
    arguments[0] = 1;
    const unsigned packets = 2'000;
    const hsa_signal_t gate = e2e::make_signal(1);
    char line[64];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
      const bool dispatch = std::strncmp(line, "dispatch", 8) == 0;
      hsa_signal_store_screlease(gate, 1);
      queue.barrier(HSA_PACKET_TYPE_BARRIER_AND, {gate}, {});
      const double begin = now_ns();
      for (unsigned k = 0; k < packets; ++k) {
        const uint64_t index = queue.reserve();
        if (dispatch) {
          auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue.slot(index));
          packet->workgroup_size_x = 64;
          packet->workgroup_size_y = 1;
          packet->workgroup_size_z = 1;
          packet->grid_size_x = 64;
          packet->grid_size_y = 1;
          packet->grid_size_z = 1;
          packet->private_segment_size = count_up.private_bytes;
          packet->group_segment_size = count_up.group_bytes;
          packet->kernel_object = count_up.object;
          packet->kernarg_address = arguments;
          packet->completion_signal = {};
          e2e::Queue::publish(packet, e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
        } else {
          queue.fill_barrier(index, {}, {});
          e2e::Queue::publish(queue.slot(index), e2e::packet_header(HSA_PACKET_TYPE_BARRIER_AND), 0);
        }
        queue.ring(index);
      }
      const double end = now_ns();
      hsa_signal_store_screlease(gate, 0);
      queue.drain();
      std::printf("%.2f\n", (end - begin) / packets);
    }
    HSA_OK(hsa_signal_destroy(gate));
    HSA_OK(hsa_amd_memory_pool_free(arguments));
  }
  HSA_OK(hsa_shut_down());
  return 0;
}
