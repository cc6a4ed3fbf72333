// SOPP. See support/case_file.hpp for the notation.
//# case loop
s_mov_b32 s0, 5
s_mov_b32 s1, 0
again:
s_add_u32 s1, s1, s0
s_sub_u32 s0, s0, 1
s_cmp_lg_u32 s0, 0
s_cbranch_scc1 again
//= s1 = 15
//# case conditions
//! vcc = 0
//! exec = 1
s_cbranch_vccz a
s_mov_b32 s0, 1
a:
s_cbranch_vccnz b
s_mov_b32 s1, 1
b:
s_cbranch_execz c
s_mov_b32 s2, 1
c:
s_cbranch_execnz d
s_mov_b32 s3, 1
d:
s_cbranch_scc0 e
s_mov_b32 s4, 1
e:
//= s0 = 0
//= s1 = 1
//= s2 = 1
//= s3 = 0
//= s4 = 0
//# case no-ops
s_nop 7
s_waitcnt vmcnt(0) lgkmcnt(0)
s_sleep 1
s_setprio 3
s_icache_inv
s_dcache_inv
s_dcache_wb
buffer_wbinvl1
s_trap 3
s_ttracedata
s_mov_b32 s0, 1
//= s0 = 1
//# case s_trap 2
s_trap 2
//= fault trap
//# case s_endpgm ends
s_endpgm
s_mov_b32 s0, 1
//= s0 = 0
//# case refuses an unknown message
s_sendmsg sendmsg(3, 1, 0)
//= fault illegal_instruction
//# case gpr indexing registers
//! m0 = 0xabcd0000
//! s0 = 0x105
s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)
s_getreg_b32 s1, hwreg(HW_REG_MODE, 27, 1)
s_mov_b32 s2, m0
s_set_gpr_idx_idx s0
s_set_gpr_idx_mode gpr_idx(SRC1)
s_mov_b32 s3, m0
s_set_gpr_idx_off
s_getreg_b32 s4, hwreg(HW_REG_MODE, 27, 1)
//= s1 = 1
//= s2 = 0xabcd9005
//= s3 = 0xabcd2005
//= s4 = 0
//# case jump to unmapped memory
s_mov_b64 s[0:1], 0
s_setpc_b64 s[0:1]
//= fault memory_violation
//# case image instructions are refused
image_load v0, v0, s[0:7] dmask:0x1
//= fault illegal_instruction
//# case typed buffers are refused
tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_DATA_FORMAT_32]
//= fault illegal_instruction
//# case exports are refused
exp mrt0 v0, v0, v0, v0 done
//= fault illegal_instruction
