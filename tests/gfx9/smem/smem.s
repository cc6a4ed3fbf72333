// SMEM. See support/case_file.hpp for the notation.
//# case loads
//! s[2:3] = 0x100000
//! mem 0x100000 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
s_load_dword s4, s[2:3], 0x4
s_load_dwordx2 s[6:7], s[2:3], 0x8
s_load_dwordx4 s[8:11], s[2:3], 0x10
s_load_dwordx8 s[16:23], s[2:3], 0x20
s_load_dwordx16 s[32:47], s[2:3], 0x4
//= s4 = 2
//= s[6:7] = 0x400000003
//= s8 = 5
//= s11 = 8
//= s16 = 9
//= s23 = 16
//= s32 = 2
//= s47 = 17
//# case negative and scalar offsets, low bits ignored
//! s[2:3] = 0x100013
//! s4 = 6
//! mem 0x100000 = 1 2 3 4 5 6 7
s_load_dword s5, s[2:3], -0x10
s_load_dword s6, s[2:3], s4
//= s5 = 1
//= s6 = 7
//# case load over its own base
//! s[2:3] = 0x100000
//! mem 0x100000 = 1 2 3 4
s_load_dwordx4 s[0:3], s[2:3], 0x0
//= s0 = 1
//= s3 = 4
//# case unmapped
//! s[2:3] = 0x200000
s_load_dword s4, s[2:3], 0x0
//= fault memory_violation
//# case store
//! s[2:3] = 0x100000
//! s[4:5] = 0x1122334455667788
s_store_dwordx2 s[4:5], s[2:3], 0x8
s_store_dword s4, s[2:3], 0x20
//= mem 0x100008 = 0x55667788 0x11223344
//= mem 0x100020 = 0x55667788
//# case store to read-only memory
//! s[2:3] = 0x300000
s_store_dword s4, s[2:3], 0x0
//= fault memory_violation
//# case buffer load, out of range reads 0
//! s4 = 0x100000
//! s5 = 0
//! s6 = 12
//! s7 = 0
//! mem 0x100000 = 1 2 3 4
//! s9 = 9
s_buffer_load_dwordx4 s[8:11], s[4:7], 0x4
s_buffer_load_dword s12, s[4:7], 0x0
//= s8 = 2
//= s9 = 3
//= s10 = 0
//= s11 = 0
//= s12 = 1
//# case buffer with stride counts records
//! s4 = 0x100000
//! s5 = 0x100000
//! s6 = 2
//! mem 0x10001c = 9 10
s_buffer_load_dword s8, s[4:7], 0x1c
s_buffer_load_dword s9, s[4:7], 0x20
//= s8 = 9
//= s9 = 0
//# case atomics
//! s[2:3] = 0x100000
//! mem 0x100000 = 10 0 5q
//! s4 = 3
//! s[6:7] = 7
//! s8 = 99
//! s9 = 10
s_atomic_add s4, s[2:3], 0x0 glc
s_atomic_umax_x2 s[6:7], s[2:3], 0x8
s_mov_b32 s9, 13
s_atomic_cmpswap s[8:9], s[2:3], 0x0 glc
//= s4 = 10
//= s8 = 13
//= mem 0x100000 = 99 0 7q
//# case clocks move
s_memtime s[0:1]
s_memtime s[2:3]
s_memrealtime s[6:7]
s_sub_u32 s4, s2, s0
s_cmp_gt_u32 s4, 0
//= scc = 1
//# case scalar scratch is refused
s_scratch_load_dword s4, s[2:3], 0x0
//= fault illegal_instruction
//# case unknown opcode
.long 0xc0fc0002, 0
//= fault illegal_instruction
//# case negative buffer offset
.long 0xc0220002, 0x1ffffc
//= fault illegal_instruction
