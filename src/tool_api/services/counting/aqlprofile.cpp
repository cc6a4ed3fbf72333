#include "tool_api/services/counting/aqlprofile.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

namespace kreplay::tool_api {
namespace {

constexpr const char* kLibrary = "libhsa-amd-aqlprofile64.so.1";
constexpr int kBreak = HSA_STATUS_INFO_BREAK;

// ---- the library's types, by layout

struct Handle {
  uint64_t value;
};
struct AgentInfoV1 {
  const char* gfxip;
  uint32_t xcc_num;
  uint32_t se_num;
  uint32_t cu_num;
  uint32_t shader_arrays_per_se;
  uint32_t domain;
  uint32_t location_id;
};
static_assert(sizeof(AgentInfoV1) == 32);
struct Profile {
  Handle agent;
  const PmcEvent* events;
  uint32_t event_count;
};
static_assert(sizeof(Profile) == 24);
struct IdQuery {
  const char* name;
  uint32_t id;
  uint32_t instance_count;
};
struct BufferFlags {
  uint32_t device_access : 1;
  uint32_t host_access : 1;
  uint32_t memory_hint : 6;
  uint32_t reserved : 24;
};
static_assert(sizeof(BufferFlags) == 4);
constexpr uint32_t kHintDeviceUncached = 2;
enum Info : int { kBlockCounters = 4, kBlockId = 5 };
constexpr int kAgentInfoV1 = 2;

using Allocate = hsa_status_t (*)(void** ptr, uint64_t size, BufferFlags flags, void* user);
using Free = void (*)(void* ptr, void* user);
using Copy = hsa_status_t (*)(void* dst, const void* src, size_t size, void* user);
using OnData = hsa_status_t (*)(PmcEvent event, uint64_t id, uint64_t value, void* user);
using OnCoordinate = hsa_status_t (*)(int position, int id, int extent, int coordinate, const char* name,
                                      void* user);

hsa_status_t allocate(void** ptr, uint64_t size, BufferFlags flags, void* user) {
  if (flags.host_access == 0) return HSA_STATUS_ERROR;
  const auto use =
      flags.memory_hint == kHintDeviceUncached ? PacketMemory::Use::output : PacketMemory::Use::commands;
  *ptr = static_cast<PacketMemory*>(user)->allocate(size, use);
  return *ptr != nullptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}
void release(void* ptr, void* user) { static_cast<PacketMemory*>(user)->release(ptr); }
hsa_status_t copy(void* dst, const void* src, size_t size, void*) {
  std::memcpy(dst, src, size);
  return HSA_STATUS_SUCCESS;
}

/// rocprofiler's number of the library's dimension.
unsigned dimension_number(int id) {
  constexpr unsigned kNumbers[] = {1, 2, 3, 5, 6, 7};  // XCD, AID, SE, SA, WGP, INSTANCE
  return id >= 0 && static_cast<size_t>(id) < std::size(kNumbers) ? kNumbers[id] : 0;
}
constexpr unsigned kFieldBits = 6;
constexpr uint32_t kMostInField = 63;

}  // namespace

struct AqlProfile::Functions {
  void* library = nullptr;
  hsa_status_t (*register_agent_info)(Handle*, const void*, int) = nullptr;
  hsa_status_t (*register_agent)(Handle*, const void*) = nullptr;
  hsa_status_t (*get_pmc_info)(const Profile*, int, void*) = nullptr;
  hsa_status_t (*create_packets)(Handle*, hsa::Packet*, Profile, Allocate, Free, Copy, void*) = nullptr;
  void (*delete_packets)(Handle) = nullptr;
  hsa_status_t (*iterate_data)(Handle, OnData, void*) = nullptr;
  hsa_status_t (*iterate_coordinates)(Handle, PmcEvent, uint64_t, OnCoordinate, void*) = nullptr;
};

AqlProfile::AqlProfile(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
AqlProfile::~AqlProfile() = default;

Result<std::unique_ptr<AqlProfile>> AqlProfile::open(const char* library) {
  auto f = std::make_unique<Functions>();
  f->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (f->library == nullptr) {
    const char* why = dlerror();
    return Status(
        Error::not_found,
        fmt::format("{} cannot be loaded ({}); it builds the packets that read counters, and comes with "
                    "ROCm's package hsa-amd-aqlprofile",
                    library, why != nullptr ? why : "no reason given"));
  }
  const char* missing = nullptr;
  const auto bind = [&](auto& function, const char* name, bool required = true) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(f->library, name));
    if (function == nullptr && required) missing = name;
  };
  bind(f->register_agent_info, "aqlprofile_register_agent_info", false);
  bind(f->register_agent, "aqlprofile_register_agent", f->register_agent_info == nullptr);
  bind(f->get_pmc_info, "aqlprofile_get_pmc_info");
  bind(f->create_packets, "aqlprofile_pmc_create_packets");
  bind(f->delete_packets, "aqlprofile_pmc_delete_packets");
  bind(f->iterate_data, "aqlprofile_pmc_iterate_data");
  bind(f->iterate_coordinates, "aqlprofile_iterate_event_coord");
  if (missing != nullptr)
    return Status(Error::unsupported, fmt::format("{} has no {}: it is too old", library, missing));
  return std::unique_ptr<AqlProfile>(new AqlProfile(std::move(f)));
}

Result<AqlProfile*> AqlProfile::current() {
  // Never closed: agents and packets of the process live in it.
  static auto* opened = new Result<std::unique_ptr<AqlProfile>>(open(kLibrary));
  if (!*opened) return opened->status();
  return opened->value().get();
}

Result<uint64_t> AqlProfile::agent(const rocprofiler_agent_v0_t& agent) {
  const std::lock_guard lock(mutex_);
  for (const Agent& known : agents_)
    if (known.id == agent.id.handle) return known.handle;
  // Older libraries hand the first model's tables to the second one.
  for (const Agent& known : agents_)
    if (known.name != agent.name)
      return Status(
          Error::unsupported,
          fmt::format("counters of {} and of {} in one process: the library confuses the two models",
                      known.name, agent.name));
  AgentInfoV1 info = {agent.name,
                      agent.num_xcc != 0 ? agent.num_xcc : 1,
                      agent.num_shader_banks != 0 ? agent.num_shader_banks : 1,
                      agent.cu_count,
                      agent.simd_arrays_per_engine != 0 ? agent.simd_arrays_per_engine : 1,
                      agent.domain,
                      agent.location_id};
  Handle handle = {0};
  const hsa_status_t status = functions_->register_agent_info != nullptr
                                  ? functions_->register_agent_info(&handle, &info, kAgentInfoV1)
                                  : functions_->register_agent(&handle, &info);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::unsupported, fmt::format("the library does not know agent {} (status 0x{:x})",
                                                  agent.name, static_cast<unsigned>(status)));
  agents_.push_back({agent.id.handle, agent.name, handle.value});
  return handle.value;
}

Result<PmcBlock> AqlProfile::block(uint64_t agent, const std::string& name) {
  const std::lock_guard lock(mutex_);
  IdQuery query = {name.c_str(), 0, 0};
  Profile profile = {{agent}, nullptr, 0};
  hsa_status_t status = functions_->get_pmc_info(&profile, kBlockId, &query);
  PmcBlock out;
  if (status == HSA_STATUS_SUCCESS) {
    out.id = query.id;
    out.instances = query.instance_count;
    const PmcEvent event = {0, 0, 0, query.id};
    profile.events = &event;
    profile.event_count = 1;
    status = functions_->get_pmc_info(&profile, kBlockCounters, &out.counters);
  }
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::not_found, fmt::format("the library does not know block {} (status 0x{:x})", name,
                                                static_cast<unsigned>(status)));
  return out;
}

Result<std::vector<AqlProfile::Dimension>> AqlProfile::dimensions(uint64_t agent, const PmcEvent& event) {
  const std::lock_guard lock(mutex_);
  std::vector<Dimension> out;
  const hsa_status_t status = functions_->iterate_coordinates(
      {agent}, event, 0,
      [](int, int id, int extent, int, const char*, void* user) {
        static_cast<std::vector<Dimension>*>(user)->push_back(
            {dimension_number(id), static_cast<uint32_t>(extent)});
        return HSA_STATUS_SUCCESS;
      },
      &out);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::unsupported, fmt::format("event {} of block {} has no coordinates (status 0x{:x})",
                                                  event.event, event.block, static_cast<unsigned>(status)));
  return out;
}

Result<std::unique_ptr<PmcPackets>> AqlProfile::create(uint64_t agent, const std::vector<PmcEvent>& events,
                                                       PacketMemory& memory) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<PmcPackets> out(new PmcPackets(*this, agent, memory));
  Handle handle = {0};
  const Profile profile = {{agent}, events.data(), static_cast<uint32_t>(events.size())};
  const hsa_status_t status =
      functions_->create_packets(&handle, out->packets_, profile, allocate, release, copy, &memory);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::runtime, fmt::format("packets for {} events cannot be made (status 0x{:x})",
                                              events.size(), static_cast<unsigned>(status)));
  out->handle_ = handle.value;
  return out;
}

PmcPackets::~PmcPackets() {
  if (handle_ == 0) return;
  const std::lock_guard lock(library_.mutex_);
  library_.functions_->delete_packets({handle_});
}

Status PmcPackets::values(const std::function<void(const PmcValue&)>& each) {
  struct Walk {
    AqlProfile::Functions& functions;
    uint64_t agent;
    std::vector<PmcValue> found;
    bool too_large = false;
  } walk{*library_.functions_, agent_, {}};
  hsa_status_t status;
  {
    const std::lock_guard lock(library_.mutex_);
    status = library_.functions_->iterate_data(
        {handle_},
        [](PmcEvent event, uint64_t id, uint64_t value, void* user) -> hsa_status_t {
          auto& to = *static_cast<Walk*>(user);
          struct Position {
            uint64_t bits = 0;
            bool too_large = false;
          } position;
          to.functions.iterate_coordinates(
              {to.agent}, event, id,
              [](int, int dimension, int, int coordinate, const char*, void* out) {
                auto& at = *static_cast<Position*>(out);
                const unsigned number = dimension_number(dimension);
                at.too_large |= coordinate < 0 || static_cast<uint32_t>(coordinate) > kMostInField;
                if (number != 0) at.bits |= static_cast<uint64_t>(coordinate) << (number - 1) * kFieldBits;
                return HSA_STATUS_SUCCESS;
              },
              &position);
          to.too_large |= position.too_large;
          to.found.push_back({event, position.bits, value});
          return HSA_STATUS_SUCCESS;
        },
        &walk);
  }
  if (status != HSA_STATUS_SUCCESS && status != kBreak)
    return Status(Error::runtime,
                  fmt::format("counters cannot be read (status 0x{:x})", static_cast<unsigned>(status)));
  if (walk.too_large)
    return Status(Error::unsupported, "an instance number above 63 does not fit a record's id");
  for (const PmcValue& value : walk.found) each(value);
  return {};
}

}  // namespace kreplay::tool_api
