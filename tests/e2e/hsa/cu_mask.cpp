// Compute-unit masks: a queue's grids run on the units of its mask only, and take longer on fewer; other
// queues do not notice. The same when they are replayed.
// e2e-replayed: ^record_unit 5
#include <set>

#include "support/hsa_check.hpp"

namespace {

using Units = std::set<unsigned>;

struct Run {
  Units units;
  uint64_t ticks = 0;
};

Run run(const e2e::Agents& agents, e2e::Queue& queue, const e2e::Kernel& kernel, unsigned workgroups) {
  std::vector<unsigned> units(workgroups, ~0u);
  unsigned* dev_units = e2e::to_device(agents, units);
  const hsa_signal_t done = e2e::make_signal(1);
  queue.dispatch(kernel, workgroups * 64, 64, done, dev_units);
  e2e::wait_below(done, 1, "a dispatch");
  hsa_amd_profiling_dispatch_time_t time{};
  HSA_OK(hsa_amd_profiling_get_dispatch_time(agents.gpu, done, &time));
  HSA_OK(hsa_signal_destroy(done));
  units = e2e::from_device(agents, dev_units, workgroups);
  HSA_OK(hsa_amd_memory_pool_free(dev_units));
  return {Units(units.begin(), units.end()), time.end - time.start};
}

/// @return what the queue says it uses
std::vector<uint32_t> set_mask(const e2e::Queue& queue, const std::vector<uint32_t>& mask) {
  const auto bits = static_cast<uint32_t>(32 * mask.size());
  HSA_OK(hsa_amd_queue_cu_set_mask(queue.get(), bits, mask.data()));
  std::vector<uint32_t> got(mask.size());
  HSA_OK(hsa_amd_queue_cu_get_mask(queue.get(), bits, got.data()));
  return got;
}

}  // namespace

int main() {
  e2e::Checks checks("cu_mask");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  uint32_t count = 0;
  HSA_OK(hsa_agent_get_info(agents.gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
                            &count));
  if (count < 5 || count > 32) {
    std::printf("error the program wants 5 to 32 compute units, not %u\n", count);
    return 2;
  }
  const unsigned workgroups = 16 * count;
  const uint32_t all = static_cast<uint32_t>((uint64_t{1} << count) - 1), some = 1u << 1 | 1u << 4;
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel kernel = code.kernel("record_unit");
    e2e::Queue queue(agents), other(agents);
    HSA_OK(hsa_amd_profiling_set_profiler_enabled(queue.get(), 1));
    HSA_OK(hsa_amd_profiling_set_profiler_enabled(other.get(), 1));
    const Run whole = run(agents, queue, kernel, workgroups);
    checks.value("all", whole.units.size(), size_t{count});

    const uint32_t mask_of_two = set_mask(queue, {some})[0];
    // Runtime 7.2 answers with all units, whatever was set.
    checks.that("mask_of_two", mask_of_two == some || mask_of_two == all);
    const Run two = run(agents, queue, kernel, workgroups);
    checks.value("two", two.units.size(), size_t{2});
    checks.that("fewer_take_longer", two.ticks > whole.ticks);
    checks.value("other_queue", run(agents, other, kernel, workgroups).units.size(), size_t{count});

    set_mask(queue, {all & ~some});
    const Run rest = run(agents, queue, kernel, workgroups);
    Units both = two.units;
    both.insert(rest.units.begin(), rest.units.end());
    checks.value("rest", rest.units.size(), size_t{count - 2});
    checks.that("no_unit_twice", both == whole.units);

    checks.value("mask_of_all", set_mask(queue, {all})[0], all);
    checks.that("all_again", run(agents, queue, kernel, workgroups).units == whole.units);
  }
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
