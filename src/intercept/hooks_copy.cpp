// Copies and fills: every entry point passes the fence of the agents it touches.

#include "base/check.hpp"
#include "intercept/hook_scope.hpp"
#include "intercept/proxy_queue.hpp"

namespace kreplay::intercept {
namespace {

using replay::CopyFence;

bool owns_window(uint64_t agent) {
  for (const replay::Window* window = replay::t_state.window; window != nullptr; window = window->outer())
    for (const replay::Agent* member : window->members())
      if (member->handle().handle == agent) return true;
  return false;
}

/// GPU agents named by the call, for memory we do not know.
CopyFence::Agents named(const Replayer& replayer, hsa_agent_t first, hsa_agent_t second) {
  CopyFence::Agents out;
  for (const hsa_agent_t agent : {first, second}) {
    if (replayer.find_agent(agent.handle) == nullptr) continue;
    if (out.first == 0)
      out.first = agent.handle;
    else if (out.first != agent.handle)
      out.second = agent.handle;
  }
  return out;
}

/// One copy from the fence to the runtime and back. Construct before the call, finish() after it.
class FencedCopy {
 public:
  /// @param completion changed to the signal that the runtime is to be given
  FencedCopy(const HookScope& hook, const void* dst, const void* src, hsa_agent_t first, hsa_agent_t second,
             hsa_signal_t& completion, const hsa_signal_t* dependencies, uint32_t count)
      : hook_(hook) {
    hook_.observe([&](Replayer& r) {
      CopyFence::Agents agents = r.memory().agents_of(dst, src);
      if (agents.first == 0) agents = named(r, first, second);
      ticket_ = r.copies().enter(agents, completion, dependencies, dependencies == nullptr ? 0 : count,
                                 &owns_window);
      KR_CHECK(ticket_.stand_in.handle == 0 || completion.handle != 0, "a stand-in stands in for a signal");
      if (ticket_.stand_in.handle != 0) completion = ticket_.stand_in;
    });
  }
  hsa_status_t finish(hsa_status_t status) {
    hook_.observe([&](Replayer& r) { r.copies().leave(ticket_, status == HSA_STATUS_SUCCESS); });
    return status;
  }

 private:
  const HookScope& hook_;
  CopyFence::Ticket ticket_;
};

constexpr hsa_agent_t kNoAgent = {0};

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::FencedCopy;
using kreplay::intercept::kNoAgent;

extern "C" {

KR_EXPORT hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals,
                                                 hsa_signal_t completion_signal) {
  KR_SCOPE(hsa_amd_memory_async_copy);
  FencedCopy copy(hook, dst, src, dst_agent, src_agent, completion_signal, dep_signals, num_dep_signals);
  return copy.finish(hook.next().hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, size,
                                                           num_dep_signals, dep_signals, completion_signal));
}

KR_EXPORT hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                           hsa_agent_t src_agent, size_t size,
                                                           uint32_t num_dep_signals,
                                                           const hsa_signal_t* dep_signals,
                                                           hsa_signal_t completion_signal, int engine_id,
                                                           bool force_copy_on_sdma) {
  KR_SCOPE(hsa_amd_memory_async_copy_on_engine);
  FencedCopy copy(hook, dst, src, dst_agent, src_agent, completion_signal, dep_signals, num_dep_signals);
  return copy.finish(hook.next().hsa_amd_memory_async_copy_on_engine(
      dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals, completion_signal, engine_id,
      force_copy_on_sdma));
}

/// Direct storage: the driver writes device memory and returns when it is done.
KR_EXPORT hsa_status_t hsa_amd_ais_file_read(hsa_amd_ais_file_handle_t handle, void* device_ptr,
                                             uint64_t size, int64_t file_offset, uint64_t* size_copied,
                                             int32_t* status) {
  KR_SCOPE(hsa_amd_ais_file_read);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, device_ptr, nullptr, kNoAgent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(
      hook.next().hsa_amd_ais_file_read(handle, device_ptr, size, file_offset, size_copied, status));
}

KR_EXPORT hsa_status_t hsa_amd_memory_async_copy_rect(
    const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset, const hsa_pitched_ptr_t* src,
    const hsa_dim3_t* src_offset, const hsa_dim3_t* range, hsa_agent_t copy_agent,
    hsa_amd_copy_direction_t dir, uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
    hsa_signal_t completion_signal) {
  KR_SCOPE(hsa_amd_memory_async_copy_rect);
  FencedCopy copy(hook, dst == nullptr ? nullptr : dst->base, src == nullptr ? nullptr : src->base,
                  copy_agent, kNoAgent, completion_signal, dep_signals, num_dep_signals);
  return copy.finish(hook.next().hsa_amd_memory_async_copy_rect(dst, dst_offset, src, src_offset, range,
                                                                copy_agent, dir, num_dep_signals, dep_signals,
                                                                completion_signal));
}

KR_EXPORT hsa_status_t hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  KR_SCOPE(hsa_amd_memory_fill);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, ptr, nullptr, kNoAgent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(hook.next().hsa_amd_memory_fill(ptr, value, count));
}

KR_EXPORT hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  KR_SCOPE(hsa_memory_copy);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, dst, src, kNoAgent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(hook.next().hsa_memory_copy(dst, src, size));
}

KR_EXPORT hsa_status_t hsa_amd_svm_prefetch_async(void* ptr, size_t size, hsa_agent_t agent,
                                                  uint32_t num_dep_signals, const hsa_signal_t* dep_signals,
                                                  hsa_signal_t completion_signal) {
  KR_SCOPE(hsa_amd_svm_prefetch_async);
  FencedCopy copy(hook, ptr, nullptr, agent, kNoAgent, completion_signal, dep_signals, num_dep_signals);
  return copy.finish(hook.next().hsa_amd_svm_prefetch_async(ptr, size, agent, num_dep_signals, dep_signals,
                                                            completion_signal));
}

KR_EXPORT hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void* src_memory, size_t src_row_pitch,
                                            size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                            const hsa_ext_image_region_t* image_region) {
  KR_SCOPE(hsa_ext_image_import);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, nullptr, src_memory, agent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(hook.next().hsa_ext_image_import(agent, src_memory, src_row_pitch, src_slice_pitch,
                                                      dst_image, image_region));
}

KR_EXPORT hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image, void* dst_memory,
                                            size_t dst_row_pitch, size_t dst_slice_pitch,
                                            const hsa_ext_image_region_t* image_region) {
  KR_SCOPE(hsa_ext_image_export);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, dst_memory, nullptr, agent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(hook.next().hsa_ext_image_export(agent, src_image, dst_memory, dst_row_pitch,
                                                      dst_slice_pitch, image_region));
}

KR_EXPORT hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image,
                                          const hsa_dim3_t* src_offset, hsa_ext_image_t dst_image,
                                          const hsa_dim3_t* dst_offset, const hsa_dim3_t* range) {
  KR_SCOPE(hsa_ext_image_copy);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, nullptr, nullptr, agent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(
      hook.next().hsa_ext_image_copy(agent, src_image, src_offset, dst_image, dst_offset, range));
}

KR_EXPORT hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t image, const void* data,
                                           const hsa_ext_image_region_t* image_region) {
  KR_SCOPE(hsa_ext_image_clear);
  hsa_signal_t no_signal = {0};
  FencedCopy copy(hook, nullptr, nullptr, agent, kNoAgent, no_signal, nullptr, 0);
  return copy.finish(hook.next().hsa_ext_image_clear(agent, image, data, image_region));
}

}  // extern "C"
