// Stands in for AMD's aqlprofile on machines without it: the same functions, and real packets for SQ, GRBM
// and TA of gfx9 (docs/softgpu.md has the registers). TCC and TCP are known by number of instances and
// counters, so that limits can be tested. KREPLAY_STAND_IN_FAILS names a function that fails.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0, kError = 0x1000, kInvalidArgument = 0x1001;
constexpr uint32_t kBroadcast = 0xe0000000;

struct Handle {
  uint64_t value;
};
struct Event {
  uint32_t instance, event, flags, block;
};
struct AgentInfo {
  const char* gfxip;
  uint32_t xcc_num, se_num, cu_num, shader_arrays_per_se, domain, location_id;
};
struct Profile {
  Handle agent;
  const Event* events;
  uint32_t count;
};
struct IdQuery {
  const char* name;
  uint32_t id, instance_count;
};
using Allocate = int (*)(void**, uint64_t, uint32_t flags, void*);
using Free = void (*)(void*, void*);
using Copy = int (*)(void*, const void*, size_t, void*);

struct Agent {
  uint32_t engines, units;
  uint32_t units_per_engine() const { return (units + engines - 1) / engines; }
};
struct Block {
  const char* name;
  uint32_t id, counters, select, select_step, lo, step;
  bool per_engine;
};
constexpr Block kBlocks[] = {{"SQ", 6, 8, 0xd9c0, 1, 0xd1c0, 2, true},
                             {"GRBM", 3, 2, 0xd840, 1, 0xd040, 3, false},
                             {"TA", 10, 2, 0xdac0, 2, 0xd2c0, 2, true},
                             {"TCC", 12, 4, 0xdb80, 2, 0xd380, 2, false},
                             {"TCP", 13, 4, 0xdb40, 2, 0xd340, 2, true}};

std::vector<Agent>& agents() {
  static auto* list = new std::vector<Agent>;
  return *list;
}
const Block* find(uint32_t id) {
  for (const Block& block : kBlocks)
    if (block.id == id) return &block;
  return nullptr;
}
uint32_t instances(const Block& block, const Agent& agent) {
  if (block.id == 12) return 16;
  if (block.id == 10 || block.id == 13)
    return agent.units_per_engine() < 16 ? agent.units_per_engine() + 1 : 16;
  return 1;
}
uint32_t samples(const Block& block, const Agent& agent) { return block.per_engine ? agent.engines : 1; }

struct Packets {
  Agent agent;
  std::vector<Event> events;
  uint8_t* output = nullptr;
  uint32_t* commands = nullptr;
  Free free_memory = nullptr;
  void* user = nullptr;
};

struct Writer {
  std::vector<uint32_t> words;
  void uconfig(uint32_t reg, uint32_t value) { words.insert(words.end(), {0xc0017900, reg - 0xc000, value}); }
  void idle() { words.insert(words.end(), {0xc0004600, 0x407}); }
  void copy(uint32_t reg, uint64_t to) {
    words.insert(words.end(), {0xc0044000, 0x02002500, reg, 0, static_cast<uint32_t>(to),
                               static_cast<uint32_t>(to >> 32)});
  }
};

uint32_t selector(const Block& block, uint32_t engine, uint32_t instance) {
  if (block.id == 6) return 0x60000000 | engine << 16;
  if (block.per_engine) return 0x20000000 | engine << 16 | instance;
  return block.id == 12 ? 0xa0000000 | instance : kBroadcast;
}

/// Which of the block's counters each event gets; empty when there are too few.
std::vector<uint32_t> assign(const std::vector<Event>& events) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < events.size(); ++i) {
    const Block* block = find(events[i].block);
    if (block == nullptr) return {};
    uint32_t used = 0;
    for (size_t j = 0; j < i; ++j)
      used += events[j].block == events[i].block && events[j].instance == events[i].instance ? 1 : 0;
    if (used >= block->counters) return {};
    out.push_back(used);
  }
  return out;
}

void fill(uint32_t* packet, const uint32_t* commands, size_t dwords) {
  std::memset(packet, 0, 64);
  packet[0] = 0x00010000;
  packet[1] = 0xc0023f00;
  packet[2] = static_cast<uint32_t>(reinterpret_cast<uint64_t>(commands));
  packet[3] = static_cast<uint32_t>(reinterpret_cast<uint64_t>(commands) >> 32);
  packet[4] = static_cast<uint32_t>(dwords) | 1u << 23;
  packet[5] = 10;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int aqlprofile_register_agent_info(Handle* out, const AgentInfo* info, int) {
  agents().push_back({info->se_num, info->cu_num});
  out->value = agents().size();
  return kSuccess;
}

EXPORT int aqlprofile_get_pmc_info(const Profile* profile, int attribute, void* value) {
  const Agent& agent = agents().at(profile->agent.value - 1);
  if (attribute == 5) {
    auto& query = *static_cast<IdQuery*>(value);
    for (const Block& block : kBlocks)
      if (std::string(query.name) == block.name) {
        query.id = block.id;
        query.instance_count = instances(block, agent);
        return kSuccess;
      }
    return kError;
  }
  if (attribute != 4 || profile->count == 0) return kInvalidArgument;
  const Block* block = find(profile->events[0].block);
  if (block == nullptr) return kError;
  *static_cast<uint32_t*>(value) = block->counters;
  return kSuccess;
}

EXPORT int aqlprofile_pmc_create_packets(Handle* out, uint32_t* packets, Profile profile, Allocate allocate,
                                         Free free_memory, Copy, void* user) {
  if (const char* fails = std::getenv("KREPLAY_STAND_IN_FAILS");
      fails != nullptr && std::string(fails) == "create")
    return kError;
  auto made = std::make_unique<Packets>();
  made->agent = agents().at(profile.agent.value - 1);
  made->events.assign(profile.events, profile.events + profile.count);
  made->free_memory = free_memory;
  made->user = user;
  const std::vector<uint32_t> counter = assign(made->events);
  if (counter.empty()) return kError;
  size_t values = 0;
  for (const Event& event : made->events) values += samples(*find(event.block), made->agent);
  void* output = nullptr;
  if (allocate(&output, 8 + 8 * values, 0x0b, user) != 0) return kError;  // device, host, hint 2
  made->output = static_cast<uint8_t*>(output);

  Writer start, read, stop;
  start.idle();
  start.uconfig(0xc200, kBroadcast);
  start.uconfig(0xdcbf, 1);
  start.uconfig(0xd808, 0);
  read.uconfig(0xd808, 0x401);
  read.uconfig(0xc200, kBroadcast);
  read.idle();
  uint64_t at = reinterpret_cast<uint64_t>(output) + 8;
  for (size_t i = 0; i < made->events.size(); ++i) {
    const Event& event = made->events[i];
    const Block& block = *find(event.block);
    const bool has_instances = instances(block, made->agent) > 1;
    start.uconfig(0xc200, has_instances ? 0xa0000000 | event.instance : kBroadcast);
    start.uconfig(block.select + counter[i] * block.select_step,
                  block.id == 6 ? 0x0f0ff000 | event.event : event.event);
    if (block.id == 6) {
      start.uconfig(0xd9e1, 0xffffffff);
      start.uconfig(0xd9e0, 0xffff0057);
    }
    for (uint32_t engine = 0; engine < samples(block, made->agent); ++engine, at += 8) {
      read.uconfig(0xc200, selector(block, engine, event.instance));
      read.copy(block.lo + counter[i] * block.step, at);
      read.copy(block.lo + counter[i] * block.step + 1, at + 4);
    }
  }
  start.uconfig(0xc200, kBroadcast);
  start.words.insert(start.words.end(), {0xc0017600, 0x2e0b - 0x2c00, 1});
  start.uconfig(0xd808, 0);
  start.uconfig(0xd808, 1);
  read.uconfig(0xc200, kBroadcast);
  stop.uconfig(0xc200, kBroadcast);
  stop.uconfig(0xd808, 2);
  stop.uconfig(0xdcbf, 0);
  stop.idle();

  const size_t total = start.words.size() + read.words.size() + stop.words.size();
  void* commands = nullptr;
  if (allocate(&commands, total * 4, 0x13, user) != 0) return kError;  // hint 4
  made->commands = static_cast<uint32_t*>(commands);
  uint32_t* to = made->commands;
  size_t n = 0;
  for (const Writer* part : {&start, &stop, &read}) {
    std::memcpy(to, part->words.data(), part->words.size() * 4);
    fill(packets + n++ * 16, to, part->words.size());
    to += part->words.size();
  }
  out->value = reinterpret_cast<uint64_t>(made.release());
  return kSuccess;
}

EXPORT void aqlprofile_pmc_delete_packets(Handle handle) {
  auto* packets = reinterpret_cast<Packets*>(handle.value);
  packets->free_memory(packets->output, packets->user);
  packets->free_memory(packets->commands, packets->user);
  delete packets;
}

EXPORT int aqlprofile_pmc_iterate_data(Handle handle, int (*each)(Event, uint64_t id, uint64_t value, void*),
                                       void* user) {
  const auto& packets = *reinterpret_cast<Packets*>(handle.value);
  const uint8_t* at = packets.output + 8;
  for (const Event& event : packets.events) {
    const uint32_t count = samples(*find(event.block), packets.agent);
    for (uint32_t engine = 0; engine < count; ++engine, at += 8) {
      uint64_t value = 0;
      std::memcpy(&value, at, 8);
      if (const int status = each(event, uint64_t{event.instance} * count + engine, value, user); status != 0)
        return status == 1 ? kSuccess : status;
    }
  }
  return kSuccess;
}

EXPORT int aqlprofile_iterate_event_coord(Handle agent_handle, Event event, uint64_t id,
                                          int (*each)(int, int, int, int, const char*, void*), void* user) {
  const Agent& agent = agents().at(agent_handle.value - 1);
  const Block* block = find(event.block);
  if (block == nullptr) return kError;
  const auto count = static_cast<int>(samples(*block, agent));
  const auto extent = static_cast<int>(instances(*block, agent));
  int position = 0;
  each(position++, 5, extent, static_cast<int>(id) / count, "INSTANCE", user);
  if (block->per_engine) each(position, 2, count, static_cast<int>(id) % count, "SE", user);
  return kSuccess;
}
