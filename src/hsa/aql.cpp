#include "hsa/aql.hpp"

namespace kreplay::hsa {

DispatchFields dispatch_fields(const Packet& packet) {
  DispatchFields out;
  if (kind_of(packet.word[0]) == PacketKind::ext_dispatch) {
    ExtDispatch ext;
    std::memcpy(&ext, &packet, sizeof ext);
    out.kernel_object = ext.kernel_object;
    out.kernarg_address = ext.kernarg_address;
    out.private_segment_bytes = ext.private_segment_size;
    out.group_segment_bytes = ext.group_segment_size;
    const uint32_t counts[3] = {ext.cluster_count_x, ext.cluster_count_y, ext.cluster_count_z};
    for (int i = 0; i < 3; ++i) {
      out.workgroup[i] = ext.workgroup_size[i];
      out.grid[i] = counts[i] * ext.cluster_size[i] * ext.workgroup_size[i];
    }
    return out;
  }
  hsa_kernel_dispatch_packet_t dispatch;
  std::memcpy(&dispatch, &packet, sizeof dispatch);
  out.kernel_object = dispatch.kernel_object;
  out.kernarg_address = reinterpret_cast<uint64_t>(dispatch.kernarg_address);
  out.private_segment_bytes = dispatch.private_segment_size;
  out.group_segment_bytes = dispatch.group_segment_size;
  out.workgroup[0] = dispatch.workgroup_size_x;
  out.workgroup[1] = dispatch.workgroup_size_y;
  out.workgroup[2] = dispatch.workgroup_size_z;
  out.grid[0] = dispatch.grid_size_x;
  out.grid[1] = dispatch.grid_size_y;
  out.grid[2] = dispatch.grid_size_z;
  return out;
}

Packet barrier_packet(hsa_signal_t completion) {
  Packet packet = {};
  packet.word[0] = with_system_fences((HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE) |
                                      (1u << HSA_PACKET_HEADER_BARRIER));
  set_completion_signal(packet, completion);
  return packet;
}

size_t dependencies(const Packet& packet, Dependency (&out)[5], DependencyMode& mode) {
  mode = DependencyMode::all;
  size_t count = 0;
  switch (kind_of(packet.word[0])) {
    case PacketKind::barrier_or:
      mode = DependencyMode::any;
      [[fallthrough]];
    case PacketKind::barrier_and: {
      for (size_t i = 0; i < 5; ++i) {
        const uint64_t handle = word64(packet, offsetof(hsa_barrier_and_packet_t, dep_signal) + 8 * i);
        if (handle != 0) out[count++] = Dependency{{handle}};
      }
      return count;
    }
    case PacketKind::barrier_value: {
      hsa_amd_barrier_value_packet_t value;
      std::memcpy(&value, &packet, sizeof value);
      if (value.signal.handle != 0)
        out[count++] = Dependency{value.signal, value.value, value.mask,
                                  static_cast<hsa_signal_condition_t>(value.cond)};
      return count;
    }
    case PacketKind::ext_dispatch: {
      const uint64_t handle = word64(packet, offsetof(ExtDispatch, dep_signal));
      if (handle != 0) out[count++] = Dependency{{handle}};
      return count;
    }
    default:
      return 0;
  }
}

bool satisfied(const Dependency& dependency, int64_t signal_value) {
  const int64_t masked = signal_value & dependency.mask;
  switch (dependency.condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return masked == dependency.value;
    case HSA_SIGNAL_CONDITION_NE:
      return masked != dependency.value;
    case HSA_SIGNAL_CONDITION_LT:
      return masked < dependency.value;
    case HSA_SIGNAL_CONDITION_GTE:
      return masked >= dependency.value;
  }
  return true;
}

}  // namespace kreplay::hsa
