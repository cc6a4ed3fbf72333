// What the fault tests share: the layer's functions, and a scene of several device regions.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "support/e2e_counting/counting.hpp"
#include "support/stack/stack.hpp"

namespace fault {

using nlohmann::json;
using stack::Machine;

template <class Function>
Function* layer(const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) {
    std::printf("error the layer is not loaded: %s\n", name);
    std::_Exit(2);
  }
  return function;
}
inline void set(const std::string& text) { layer<void(const char*)>("e2e_faults_set")(text.c_str()); }
inline void arm() { layer<void()>("e2e_faults_arm")(); }
inline void disarm() { layer<void()>("e2e_faults_disarm")(); }
inline void spare_allocations(bool spare) { layer<void(bool)>("e2e_faults_spare_allocations")(spare); }
inline uint64_t injected() { return layer<uint64_t()>("e2e_faults_injected")(); }
inline uint64_t calls(const char* name) { return layer<uint64_t(const char*)>("e2e_faults_calls")(name); }

/// Device memory in several pieces that do not touch, and a kernel that changes all of them: one more in the
/// first element of each.
class Regions {
 public:
  static constexpr unsigned kCount = 4;
  Machine& m = Machine::get();
  e2e::Kernel bump_table = m.kernel("bump_table");

  Regions() {
    std::vector<uint64_t> addresses;
    for (unsigned i = 0; i < kCount; ++i) {
      regions_.push_back(m.device({100 * i}));
      gaps_.push_back(m.device({0}));
      addresses.push_back(reinterpret_cast<uint64_t>(regions_.back()));
    }
    for (unsigned* gap : gaps_) HSA_OK(hsa_amd_memory_pool_free(gap));
    table_ = e2e::to_device(m.agents, addresses);
    (void)m.take_records();
  }
  ~Regions() {
    for (unsigned* region : regions_) HSA_OK(hsa_amd_memory_pool_free(region));
    HSA_OK(hsa_amd_memory_pool_free(table_));
  }

  /// One launch with these faults. @return its record
  json launch(const std::string& faults) {
    set(faults);
    const hsa_signal_t done = e2e::make_signal(1);
    const uint64_t slot = m.queue->reserve();
    m.queue->fill_dispatch(slot, bump_table, 64, 64, done, table_, unsigned{kCount});
    arm();  // what fails from here on is the library's
    e2e::Queue::publish(m.queue->slot(slot), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    m.queue->ring(slot);
    e2e::wait_below(done, 1, "a launch");
    copies = calls("hsa_amd_memory_async_copy");
    faults_injected = injected();
    disarm();
    ++launches;
    CHECK(hsa_signal_load_scacquire(done) == 0);  // one completion, whatever happened
    HSA_OK(hsa_signal_destroy(done));
    const auto records = m.take_records();
    REQUIRE(records.size() == 1);
    return records[0];
  }
  /// Every region holds what `launches` launches leave.
  bool right() {
    for (unsigned i = 0; i < kCount; ++i)
      if (m.value(regions_[i]) != 100 * i + launches) return false;
    return true;
  }

  unsigned launches = 0;
  uint64_t copies = 0;           ///< asynchronous copies during the last launch
  uint64_t faults_injected = 0;  ///< during the last launch

 private:
  std::vector<unsigned*> regions_, gaps_;
  uint64_t* table_ = nullptr;
};

inline std::string text(const json& record, const char* member) { return record[member].get<std::string>(); }

}  // namespace fault
