// SOP1. See support/case_file.hpp for the notation.
//# case moves
//! scc = 1
//! s[2:3] = 0x1122334455667788
s_mov_b64 s[0:1], s[2:3]
s_cmov_b32 s4, 9
s_cmov_b64 s[6:7], s[2:3]
//= s[0:1] = 0x1122334455667788
//= s4 = 9
//= s[6:7] = 0x1122334455667788
//# case s_cmov without scc keeps
//! s4 = 3
s_cmov_b32 s4, 9
//= s4 = 3
//# case bit counting
//! s0 = 0x00f00010
//! s[2:3] = 0x00f0000000000000
s_bcnt1_i32_b32 s4, s0
s_bcnt0_i32_b64 s5, s[2:3]
s_ff1_i32_b32 s6, s0
s_ff1_i32_b64 s7, s[2:3]
s_ff0_i32_b32 s8, -1
s_flbit_i32_b32 s9, s0
s_flbit_i32_b64 s10, s[2:3]
s_flbit_i32 s11, -2
s_flbit_i32_i64 s12, 0
s_ff1_i32_b32 s13, 0
//= s4 = 5
//= s5 = 60
//= s6 = 4
//= s7 = 52
//= s8 = -1
//= s9 = 8
//= s10 = 8
//= s11 = 31
//= s12 = -1
//= s13 = -1
//# case reverse, not, abs, extend
//! s0 = 0x000000f1
//! s1 = -7
s_brev_b32 s2, s0
s_brev_b64 s[4:5], 1
s_not_b32 s6, s0
s_abs_i32 s7, s1
s_sext_i32_i8 s8, s0
s_sext_i32_i16 s9, 0x8001
s_bitreplicate_b64_b32 s[10:11], 5
//= s2 = 0x8f000000
//= s[4:5] = 0x8000000000000000
//= s6 = 0xffffff0e
//= s7 = 7
//= s8 = 0xfffffff1
//= s9 = 0xffff8001
//= s[10:11] = 0x33
//# case quads
//! s0 = 0x80000120
//! s[2:3] = 0x8000000000000001
s_wqm_b32 s4, s0
s_quadmask_b32 s5, s0
s_quadmask_b64 s[6:7], s[2:3]
s_wqm_b64 s[8:9], s[2:3]
//= s4 = 0xf0000ff0
//= s5 = 0x86
//= s[6:7] = 0x8001
//= s[8:9] = 0xf00000000000000f
//# case bit set and clear
//! s0 = 0xff
//! s[2:3] = 0
s_bitset0_b32 s0, 3
s_bitset1_b64 s[2:3], 40
//= s0 = 0xf7
//= s[2:3] = 0x10000000000
//# case s_and_saveexec
//! exec = 0xff00ff
//! s[2:3] = 0x0ff0
s_and_saveexec_b64 s[0:1], s[2:3]
//= s[0:1] = 0xff00ff
//= exec = 0xf0
//= scc = 1
//# case saveexec family
//! exec = 0xff
//! s[2:3] = 0xf0f
s_andn2_saveexec_b64 s[4:5], s[2:3]
s_mov_b64 s[20:21], exec
s_mov_b64 exec, 0xff
s_orn2_saveexec_b64 s[4:5], s[2:3]
s_mov_b64 s[22:23], exec
s_mov_b64 exec, 0xff
s_andn1_saveexec_b64 s[4:5], s[2:3]
s_mov_b64 s[24:25], exec
s_mov_b64 exec, 0xff
s_andn2_wrexec_b64 s[26:27], s[2:3]
//= s[20:21] = 0xf00
//= s[22:23] = 0xffffffffffffff0f
//= s[24:25] = 0xf0
//= s[26:27] = 0xf00
//= exec = 0xf00
//# case saveexec to itself
//! exec = 0xf
//! s[2:3] = 0x3
s_xor_saveexec_b64 s[2:3], s[2:3]
//= s[2:3] = 0xf
//= exec = 0xc
//# case pc
s_getpc_b64 s[0:1]
s_add_u32 s0, s0, 16
s_addc_u32 s1, s1, 0
s_swappc_b64 s[2:3], s[0:1]
s_mov_b32 s4, 1
s_mov_b32 s5, 2
//= s[0:1] = 0x10014
//= s[2:3] = 0x10010
//= s4 = 0
//= s5 = 2
//# case relative moves
//! m0 = 3
//! s13 = 77
s_movrels_b32 s0, s10
s_movreld_b32 s20, 5
//= s0 = 77
//= s23 = 5
//# case relative move out of range
//! m0 = 200
s_movrels_b32 s0, s10
//= fault illegal_instruction
//# case vcc and exec are registers
//! vcc = 0x100000002
//! exec = 0
s_mov_b32 s0, vcc_hi
s_mov_b32 s1, src_execz
s_mov_b32 s2, src_vccz
s_mov_b32 s3, src_scc
//= s0 = 1
//= s1 = 1
//= s2 = 0
//= s3 = 0
