// C13, C14: memory that no argument names: buffers behind a table, a list over three allocations, an
// element whose index lies in memory, a device variable beside a constant table.
//
// e2e-replayed: ^bump_table 4
// e2e-replayed: ^bump_list 4
// e2e-replayed: ^bump_indexed 4
// e2e-replayed: ^weigh 4
#include "support/hsa_check.hpp"

namespace {
struct Node {
  uint64_t next;
  unsigned value;
  unsigned padding;
};
}  // namespace

int main() {
  e2e::Checks checks("C13_C14_indirect");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  std::vector<unsigned*> targets;
  for (unsigned i = 0; i < 5; ++i)
    targets.push_back(e2e::to_device(agents, std::vector<unsigned>(1000 * i + 1, i)));
  unsigned** table = e2e::to_device(agents, targets);
  std::vector<Node*> nodes;
  uint64_t next = 0;
  for (unsigned i = 0; i < 3; ++i) {
    nodes.push_back(e2e::to_device(agents, std::vector<Node>{{next, 10 * i, 0}}));
    next = reinterpret_cast<uint64_t>(nodes.back());
  }
  unsigned* x = e2e::to_device(agents, std::vector<unsigned>(100, 5));
  unsigned* index = e2e::to_device(agents, std::vector<unsigned>{99});
  {
    const e2e::CodeObject code(agents);
    e2e::Queue queue(agents);
    const unsigned weights[] = {3, 1, 4, 1};
    unsigned weighed = 0;
    for (unsigned launch = 0; launch < 4; ++launch) {
      queue.dispatch(code.kernel("bump_table"), 64, 64, {}, table, 5u);
      queue.dispatch(code.kernel("bump_list"), 64, 64, {}, nodes.back());
      queue.dispatch(code.kernel("bump_indexed"), 64, 64, {}, x, index);
      queue.dispatch(code.kernel("weigh"), 64, 64, {}, launch);
      weighed += weights[launch];
    }
    queue.drain();
    for (unsigned i = 0; i < 5; ++i) checks.value("table", e2e::from_device(agents, targets[i], 1)[0], i + 4);
    for (unsigned i = 0; i < 3; ++i)
      checks.value("list", e2e::from_device(agents, nodes[i], 1)[0].value, 10 * i + 4);
    checks.value("indexed", e2e::from_device(agents, x, 100)[99], 9u);
    checks.value("weighed",
                 e2e::from_device(agents, static_cast<const unsigned*>(code.variable("weighed")), 1)[0],
                 weighed);
  }
  for (unsigned* target : targets) HSA_OK(hsa_amd_memory_pool_free(target));
  for (Node* node : nodes) HSA_OK(hsa_amd_memory_pool_free(node));
  HSA_OK(hsa_amd_memory_pool_free(table));
  HSA_OK(hsa_amd_memory_pool_free(x));
  HSA_OK(hsa_amd_memory_pool_free(index));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
