// Kernels of grid_test.cpp and bench.cpp, in the notation of assemble.py: kernels.hex is made with
// ./assemble.py grid/kernels.asm
//# case store_sgprs
// All user and system SGPRs in the order of the ABI; kernarg[0]: output, one block of 128 bytes per workgroup x.
s_load_dwordx2 s[20:21], s[8:9], 0x0
s_lshl_b32 s22, s15, 7
s_add_u32 s20, s20, s22
s_addc_u32 s21, s21, 0
s_store_dwordx4 s[0:3], s[20:21], 0x0
s_store_dwordx4 s[4:7], s[20:21], 0x10
s_store_dwordx4 s[8:11], s[20:21], 0x20
s_store_dwordx4 s[12:15], s[20:21], 0x30
s_store_dwordx4 s[16:19], s[20:21], 0x40
s_getreg_b32 s23, hwreg(HW_REG_MODE)
s_store_dword s23, s[20:21], 0x50
s_mov_b64 s[24:25], exec
s_store_dwordx2 s[24:25], s[20:21], 0x58
s_endpgm
//# case count_items
// kernarg[0]: counters, [z][y:32][x:32] dwords; workgroup size 8 x 4 x 2. s[0:1] kernarg, s2..s4 workgroup.
s_load_dwordx2 s[6:7], s[0:1], 0x0
s_lshl_b32 s2, s2, 3
s_lshl_b32 s3, s3, 2
s_lshl_b32 s4, s4, 1
v_add_u32 v0, s2, v0
v_add_u32 v1, s3, v1
v_add_u32 v2, s4, v2
v_lshlrev_b32 v1, 5, v1
v_lshlrev_b32 v2, 10, v2
v_or_b32 v0, v0, v1
v_or_b32 v0, v0, v2
v_lshlrev_b32 v0, 2, v0
v_mov_b32 v3, 1
global_atomic_add v0, v3, s[6:7]
s_endpgm
//# case packed_ids
// gfx90a: kernarg[0]: output, the packed ids of each item by its x
s_load_dwordx2 s[6:7], s[0:1], 0x0
v_and_b32 v1, 0x3ff, v0
v_lshlrev_b32 v1, 2, v1
global_store_dword v1, v0, s[6:7]
s_endpgm
//# case barrier_rotate
// 256 items: item i stores i * 3 to LDS, then reads what item (i + 64) % 256 stored. s[0:1] kernarg: output.
s_load_dwordx2 s[6:7], s[0:1], 0x0
v_mul_u32_u24 v1, 3, v0
v_lshlrev_b32 v2, 2, v0
ds_write_b32 v2, v1
s_waitcnt lgkmcnt(0)
s_barrier
v_add_u32 v3, 0x100, v2
v_and_b32 v3, 0x3ff, v3
ds_read_b32 v4, v3
s_waitcnt lgkmcnt(0)
s_barrier
global_store_dword v2, v4, s[6:7]
s_endpgm
//# case barrier_early_end
// The second wave ends at once, the first waits at a barrier: it must get through.
v_readfirstlane_b32 s8, v0
s_cmp_eq_u32 s8, 0
s_cbranch_scc0 out
s_barrier
s_load_dwordx2 s[6:7], s[0:1], 0x0
s_movk_i32 s9, 1
s_store_dword s9, s[6:7], 0x0
out:
s_endpgm
//# case gws_init
// v0 is 0 in lane 0: kernarg[0] holds the number of waves minus one.
s_load_dword s2, s[0:1], 0x0
s_mov_b32 m0, 0
v_mov_b32 v0, s2
ds_gws_init v0 gds
s_endpgm
//# case gws_sum
// Each workgroup adds 1 to out[0], all meet, then each stores what it sees to out[1 + id].
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_mov_b32 s8, 1
s_atomic_add s8, s[4:5], 0x0
s_mov_b32 m0, 0
v_mov_b32 v0, s6
ds_gws_barrier v0 gds
s_load_dword s9, s[4:5], 0x0
s_lshl_b32 s10, s2, 2
s_add_u32 s10, s10, 4
s_store_dword s9, s[4:5], s10
s_endpgm
//# case gws_half
// The first wave of each workgroup waits at the global barrier, the others at the workgroup's.
v_readfirstlane_b32 s8, v0
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 first
s_barrier
s_endpgm
first:
s_mov_b32 m0, 0
v_mov_b32 v0, 0
ds_gws_barrier v0 gds
s_barrier
s_endpgm
//# case wait_for_next
// Workgroup n waits until flag[n + 1] is set, the last one sets its own, each sets its own afterwards.
// kernarg: flags, number of workgroups.
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_add_u32 s3, s2, 1
s_lshl_b32 s9, s2, 2
s_lshl_b32 s10, s3, 2
s_cmp_eq_u32 s3, s6
s_cbranch_scc1 set
again:
s_load_dword s8, s[4:5], s10
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 again
set:
s_mov_b32 s8, 1
s_store_dword s8, s[4:5], s9
s_endpgm
//# case wait_for_next_asleep
s_load_dwordx4 s[4:7], s[0:1], 0x0
s_add_u32 s3, s2, 1
s_lshl_b32 s9, s2, 2
s_lshl_b32 s10, s3, 2
s_cmp_eq_u32 s3, s6
s_cbranch_scc1 set
again:
s_sleep 1
s_load_dword s8, s[4:5], s10
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 again
set:
s_mov_b32 s8, 1
s_store_dword s8, s[4:5], s9
s_endpgm
//# case forever
again:
s_branch again
//# case forever_asleep
again:
s_sleep 2
s_branch again
//# case messages
s_sendmsg sendmsg(MSG_INTERRUPT)
s_nop 0
s_sendmsg sendmsg(MSG_INTERRUPT)
s_endpgm
//# case trap
s_nop 0
s_trap 2
s_endpgm
//# case bad_word
s_nop 0
.long 0xaf812345
s_endpgm
//# case bad_load
s_load_dwordx2 s[6:7], s[0:1], 0x0
v_mov_b32 v0, s6
v_mov_b32 v1, s7
global_load_dword v2, v[0:1], off offset:16
s_endpgm
//# case nops
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_nop 0
s_endpgm
//# case store_constant
// s[0:1] kernarg: output. The constant is the third and fourth word.
s_load_dwordx2 s[6:7], s[0:1], 0x0
s_mov_b32 s8, 0x11111111
s_store_dword s8, s[6:7], 0x0
s_endpgm
//# case scratch_offset
// Stores the wave offset (s5) to out[workgroup] if its own scratch holds what it wrote. s[0:1] kernarg, s2 workgroup.
s_load_dwordx4 s[8:11], s[0:1], 0x0
s_add_u32 flat_scratch_lo, s10, s5
s_addc_u32 flat_scratch_hi, s11, 0
v_add_u32 v1, s2, v0
s_mov_b32 s33, 0
scratch_store_dword off, v1, s33 offset:12
s_sleep 1
s_sleep 1
s_sleep 1
s_sleep 1
s_sleep 1
s_sleep 1
scratch_load_dword v2, off, s33 offset:12
v_cmp_ne_u32 vcc, v1, v2
s_cbranch_vccnz bad
s_lshl_b32 s12, s2, 2
s_store_dword s5, s[8:9], s12
bad:
s_endpgm
//# case clocks
// out[0..1] s_memtime, out[2..3] s_memrealtime, then 1000 rounds, then both again.
s_load_dwordx2 s[6:7], s[0:1], 0x0
s_memtime s[8:9]
s_memrealtime s[10:11]
s_store_dwordx4 s[8:11], s[6:7], 0x0
s_movk_i32 s4, 1000
again:
s_sub_u32 s4, s4, 1
s_cmp_lg_u32 s4, 0
s_cbranch_scc1 again
s_memtime s[8:9]
s_memrealtime s[10:11]
s_store_dwordx4 s[8:11], s[6:7], 0x10
s_endpgm
//# case count_down
// kernarg[2]: rounds
s_load_dwordx4 s[4:7], s[0:1], 0x0
again:
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 again
s_endpgm
//# case count_down_vector
// The same with a counter that only a VGPR and VCC know. kernarg[2]: rounds
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_mov_b32 v1, s6
again:
v_add_u32 v1, -1, v1
v_cmp_ne_u32 vcc, 0, v1
s_cbranch_vccnz again
s_endpgm
//# case wait_for_host
// Waits until out[0] is not 0, then stores 1 to out[1].
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_mov_b32 v0, s4
v_mov_b32 v1, s5
again:
flat_load_dword v2, v[0:1] glc
s_waitcnt vmcnt(0) lgkmcnt(0)
v_cmp_eq_u32 vcc, 0, v2
s_cbranch_vccnz again
v_mov_b32 v3, 1
flat_store_dword v[0:1], v3 offset:4
s_endpgm
//# case set_rounding
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0xf
v_mov_b32 v1, 1.0
v_add_f32 v2, 0x33000000, v1
v_add_f32 v3, v2, v2
s_endpgm
//# case gpr_index
// v[4 + 2] = v[1 + 2], then out[lane] = v6. s[0:1] kernarg: output.
s_load_dwordx2 s[6:7], s[0:1], 0x0
v_lshlrev_b32 v2, 2, v0
v_mov_b32 v3, 42
s_movk_i32 s8, 2
s_set_gpr_idx_on s8, gpr_idx(SRC0,DST)
v_mov_b32 v4, v1
s_set_gpr_idx_off
global_store_dword v2, v6, s[6:7]
s_endpgm
//# case gpr_index_out_of_range
s_movk_i32 s8, 255
s_set_gpr_idx_on s8, gpr_idx(SRC0)
v_mov_b32 v4, v1
s_endpgm
//# case bench_f32
// kernarg[2]: rounds of 32 float ops
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_cvt_f32_u32 v0, v0
v_mov_b32 v1, 0.5
v_mov_b32 v2, 1.0
v_mov_b32 v3, 2.0
v_mov_b32 v4, 0
again:
v_fma_f32 v4, v0, v1, v2
v_add_f32 v5, v4, v1
v_mul_f32 v6, v5, v1
v_fma_f32 v7, v6, v1, v3
v_add_f32 v8, v7, v0
v_mul_f32 v9, v8, v1
v_fmac_f32 v10, v9, v1
v_mul_f32 v10, v10, v1
v_fma_f32 v4, v0, v1, v2
v_add_f32 v5, v4, v1
v_mul_f32 v6, v5, v1
v_fma_f32 v7, v6, v1, v3
v_add_f32 v8, v7, v0
v_mul_f32 v9, v8, v1
v_fmac_f32 v10, v9, v1
v_mul_f32 v10, v10, v1
v_fma_f32 v4, v0, v1, v2
v_add_f32 v5, v4, v1
v_mul_f32 v6, v5, v1
v_fma_f32 v7, v6, v1, v3
v_add_f32 v8, v7, v0
v_mul_f32 v9, v8, v1
v_fmac_f32 v10, v9, v1
v_mul_f32 v10, v10, v1
v_fma_f32 v4, v0, v1, v2
v_add_f32 v5, v4, v1
v_mul_f32 v6, v5, v1
v_fma_f32 v7, v6, v1, v3
v_add_f32 v8, v7, v0
v_mul_f32 v9, v8, v1
v_fmac_f32 v10, v9, v1
v_mul_f32 v10, v10, v1
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 again
s_endpgm
//# case bench_saxpy
// kernarg: x, rounds: x[i] = x[i] * 0.5 + 1 again and again
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32 v0, 2, v0
v_mov_b32 v1, 0.5
again:
global_load_dword v2, v0, s[4:5]
s_waitcnt vmcnt(0)
v_fma_f32 v2, v2, v1, 1.0
global_store_dword v0, v2, s[4:5]
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 again
s_endpgm
//# case bench_scalar
s_load_dwordx4 s[4:7], s[0:1], 0x0
again:
s_add_u32 s8, s8, 1
s_xor_b32 s9, s8, s9
s_sub_u32 s6, s6, 1
s_cmp_lg_u32 s6, 0
s_cbranch_scc1 again
s_endpgm
