// SOP2. See support/case_file.hpp for the notation.
//# case s_add_u32 carry
//! s1 = 0xffffffff
s_add_u32 s0, s1, 1
//= s0 = 0
//= scc = 1
//# case s_add_u32 literal
//! s1 = 5
s_add_u32 s0, s1, 0x12345678
//= s0 = 0x1234567d
//= scc = 0
//# case s_add_i32 overflow
//! s1 = 0x7fffffff
s_add_i32 s0, s1, 1
//= s0 = 0x80000000
//= scc = 1
//# case s_sub_i32 no overflow
//! s1 = 0
s_sub_i32 s0, s1, 1
//= s0 = -1
//= scc = 0
//# case s_addc_u32 and s_subb_u32
//! s1 = 0xffffffff
//! s[4:5] = 0x100000000
s_add_u32 s0, s1, 1
s_addc_u32 s2, s1, 0
s_sub_u32 s6, s4, 1
s_subb_u32 s7, s5, 0
//= s2 = 0
//= s6 = -1
//= s7 = 0
//= scc = 0
//# case min max
//! s1 = -5
//! s2 = 3
s_min_i32 s3, s1, s2
s_min_u32 s4, s1, s2
s_max_i32 s5, s1, s2
s_max_u32 s6, s1, s2
//= s3 = -5
//= s4 = 3
//= s5 = 3
//= s6 = -5
//= scc = 1
//# case s_cselect
//! scc = 1
//! s[2:3] = 0x1122334455667788
s_cselect_b32 s0, s2, 7
s_cselect_b64 s[4:5], 1.0, s[2:3]
//= s0 = 0x55667788
//= s[4:5] = 1.0d
//# case logic 64 bit with literal
//! s[2:3] = 0xffffffffffffffff
s_and_b64 s[4:5], s[2:3], 0x80000001
s_andn2_b64 s[6:7], s[2:3], s[4:5]
s_or_b64 s[8:9], 0, -1
s_xor_b64 s[10:11], s[2:3], s[4:5]
s_nand_b64 s[12:13], s[2:3], s[2:3]
//= s[4:5] = 0x80000001
//= s[6:7] = 0xffffffff7ffffffe
//= s[8:9] = -1
//= s[10:11] = 0xffffffff7ffffffe
//= s[12:13] = 0
//= scc = 0
//# case shifts
//! s0 = 0x80000001
//! s[2:3] = 0x8000000000000001
s_lshl_b32 s4, s0, 33
s_lshr_b32 s5, s0, 31
s_ashr_i32 s6, s0, 4
s_lshl_b64 s[8:9], s[2:3], 1
s_ashr_i64 s[10:11], s[2:3], 60
s_lshr_b64 s[12:13], s[2:3], 63
//= s4 = 2
//= s5 = 1
//= s6 = 0xf8000000
//= s[8:9] = 2
//= s[10:11] = -8
//= s[12:13] = 1
//# case s_ashr_i64 sign-extends its literal
s_ashr_i64 s[0:1], 0x80000000, 4
s_lshr_b64 s[2:3], 0x80000000, 4
//= s[0:1] = 0xfffffffff8000000
//= s[2:3] = 0x8000000
//# case bit fields
//! s0 = 0xdeadbeef
//! s[2:3] = 0xfedcba9876543210
s_bfe_u32 s4, s0, 0x80008
s_bfe_i32 s5, s0, 0x80008
s_bfe_u64 s[6:7], s[2:3], 0x140020
s_bfe_i64 s[8:9], s[2:3], 0x80038
s_bfm_b32 s10, 8, 4
s_bfm_b64 s[12:13], 8, 40
//= s4 = 0xbe
//= s5 = 0xffffffbe
//= s[6:7] = 0xcba98
//= s[8:9] = -2
//= s10 = 0xff0
//= s[12:13] = 0xff0000000000
//# case multiplication
//! s0 = 0x10000
//! s1 = -3
s_mul_i32 s2, s0, s1
s_mul_hi_u32 s3, s0, s1
s_mul_hi_i32 s4, s0, s1
s_absdiff_i32 s5, s1, 4
//= s2 = 0xfffd0000
//= s3 = 0xffff
//= s4 = -1
//= s5 = 7
//# case shift and add
//! s0 = 0x40000000
s_lshl1_add_u32 s1, s0, 1
s_lshl2_add_u32 s2, s0, 5
//= s1 = 0x80000001
//= s2 = 5
//= scc = 1
//# case packs
//! s0 = 0x11112222
//! s1 = 0x33334444
s_pack_ll_b32_b16 s2, s0, s1
s_pack_lh_b32_b16 s3, s0, s1
s_pack_hh_b32_b16 s4, s0, s1
//= s2 = 0x44442222
//= s3 = 0x33332222
//= s4 = 0x33331111
//# case inline constants
s_mov_b32 s0, 64
s_mov_b32 s1, -16
s_mov_b32 s2, 0.5
s_mov_b32 s3, 0.15915494
s_mov_b64 s[4:5], -4.0
s_mov_b64 s[6:7], -1
//= s0 = 64
//= s1 = -16
//= s2 = 0.5f
//= s3 = 0x3e22f983
//= s[4:5] = -4.0d
//= s[6:7] = -1
//# case apertures
s_mov_b64 s[0:1], src_shared_base
s_mov_b64 s[2:3], src_private_base
s_mov_b64 s[4:5], src_shared_limit
s_mov_b64 s[6:7], src_private_limit
s_getreg_b32 s8, hwreg(HW_REG_SH_MEM_BASES)
s_getreg_b32 s9, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
//= s[0:1] = 0x1000000000000
//= s[2:3] = 0x2000000000000
//= s[4:5] = 0x10000ffffffff
//= s[6:7] = 0x20000ffffffff
//= s8 = 0x10002
//= s9 = 1
//# case refuses fork
s_cbranch_g_fork s[0:1], s[2:3]
//= fault illegal_instruction
//# case refuses a trap register
.long 0x8000006c
//= fault illegal_instruction
//# case refuses an unknown opcode
.long 0xaf800000
//= fault illegal_instruction
