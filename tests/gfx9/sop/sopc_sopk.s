// SOPC and SOPK. See support/case_file.hpp for the notation.
//# case signed and unsigned compare
//! s0 = -1
s_cmp_gt_i32 s0, 1
s_cselect_b32 s2, 1, 0
s_cmp_gt_u32 s0, 1
s_cselect_b32 s3, 1, 0
s_cmp_eq_u64 s[4:5], 0
s_cselect_b32 s6, 1, 0
s_cmp_lg_u64 s[0:1], 0
s_cselect_b32 s7, 1, 0
//= s2 = 0
//= s3 = 1
//= s6 = 1
//= s7 = 1
//# case bit compare
//! s[0:1] = 0x100000000
s_bitcmp1_b64 s[0:1], 32
s_cselect_b32 s2, 1, 0
s_bitcmp0_b32 s0, 33
s_cselect_b32 s3, 1, 0
//= s2 = 1
//= s3 = 1
//# case constants
//! s2 = 10
s_movk_i32 s0, 0x8000
s_addk_i32 s2, 0xfff0
s_cmpk_eq_i32 s2, -6
s_cselect_b32 s3, 1, 0
s_mulk_i32 s2, 3
s_cmpk_gt_u32 s2, 0xffff
//= s0 = 0xffff8000
//= s3 = 1
//= s2 = -18
//= scc = 1
//# case s_addk_i32 overflow
//! s0 = 0x7fffffff
s_addk_i32 s0, 1
//= scc = 1
//# case s_cmovk_i32
//! scc = 0
//! s0 = 4
s_cmovk_i32 s0, 7
//= s0 = 4
//# case mode register
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3
s_getreg_b32 s0, hwreg(HW_REG_MODE)
s_mov_b32 s1, 0
s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s1
s_getreg_b32 s2, hwreg(HW_REG_MODE, 4, 4)
//= s0 = 0x3f3
//= s2 = 0xc
//# case status
//! exec = 0
//! scc = 1
s_getreg_b32 s0, hwreg(HW_REG_STATUS)
//= s0 = 0x10601
//# case LDS size
s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)
//= s0 = 8
//# case unknown hwreg
s_getreg_b32 s0, hwreg(18)
//= fault illegal_instruction
//# case s_call_b64
s_call_b64 s[0:1], target
s_mov_b32 s2, 1
s_branch done
target:
s_mov_b32 s3, 1
s_setpc_b64 s[0:1]
done:
//= s[0:1] = 0x10004
//= s2 = 1
//= s3 = 1
//# case refuses vskip
s_setvskip s0, s1
//= fault illegal_instruction
//# case refuses vskip through mode
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
//= fault illegal_instruction
