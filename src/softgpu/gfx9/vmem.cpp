#include "gfx9/vmem.hpp"

namespace softgpu::gfx9 {

bool check_vgprs(DecodeContext& ctx, const char* what, unsigned reg, unsigned dwords) {
  if (reg + dwords <= 256) return true;
  return ctx.refuse("%s: v%u has no room for %u registers", what, reg, dwords);
}

bool begin_vmem(DecodeContext& ctx, Inst& out, const char* family_name, unsigned opcode, const VmemOp* row,
                const VmemRegisters& registers) {
  const auto& [data, dst, returns, acc] = registers;
  if (!row || row->first_target > ctx.config->gfx_target_version) {
    return ctx.refuse("unknown %s opcode 0x%02x", family_name, opcode);
  }
  if (!row->exec) return ctx.refuse("%s: %s", row->mnemonic, row->refused);
  const bool writes_dst = row->kind == VmemOp::Kind::load || (row->kind == VmemOp::Kind::atomic && returns);
  if (writes_dst && !check_vgprs(ctx, row->mnemonic, dst, row->dst_dwords)) return false;
  if (!check_vgprs(ctx, row->mnemonic, data, row->data_dwords)) return false;
  out.op = row;
  out.exec = row->exec;
  out.cost = Cost::vmem;
  out.size_dwords = 2;
  const unsigned bank = acc && ctx.gfx90a() ? kFirstAgpr : 0;
  out.src[1] = static_cast<uint16_t>(data + bank);
  out.dst = static_cast<uint16_t>(dst + bank);
  out.flags = row->kind == VmemOp::Kind::atomic && returns ? vmem_flag::returns : uint8_t{0};
  return true;
}

}  // namespace softgpu::gfx9
