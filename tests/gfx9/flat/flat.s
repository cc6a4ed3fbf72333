// FLAT, GLOBAL and SCRATCH. See support/case_file.hpp for the notation. Scratch: 64 bytes per lane at 0x400000.
//# case global load and store
//! v[0:1] = iota 0x100000 4
//! v2 = iota 5 3
global_store_dword v[0:1], v2, off
global_load_dword v3, v[0:1], off
global_load_dword v4, v[0:1], off offset:-4
//= mem 0x100000 = 5 8
//= mem 0x1000fc = 194
//= v3 = iota 5 3
//= fault memory_violation
//# case global with scalar base
//! s[2:3] = 0x100000
//! v0 = iota 256 4
//! v2 = iota 7 1
global_store_dword v0, v2, s[2:3] offset:-256
global_load_dword v3, v0, s[2:3] offset:-256
//= mem 0x100000 = 7 8
//= v3 = iota 7 1
//# case strided, partial exec
//! exec = 0x8000000000000005
//! v[0:1] = iota 0x100000 64
//! v2 = iota 1 1
//! v3 = 99
global_store_dword v[0:1], v2, off
global_load_dword v3, v[0:1], off
//= mem 0x100000 = 1
//= mem 0x100040 = 0
//= mem 0x100080 = 3
//= mem 0x100fc0 = 64
//= v3 = 1 99 3 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 99 64
//# case narrow loads
//! v[0:1] = 0x100000
//! mem 0x100000 = 0x8384f1f2
//! v8 = 0xaaaabbbb
//! v9 = 0xaaaabbbb
//! v10 = 0xaaaabbbb
global_load_ubyte v2, v[0:1], off
global_load_sbyte v3, v[0:1], off offset:1
global_load_ushort v4, v[0:1], off offset:2
global_load_sshort v5, v[0:1], off offset:2
global_load_sbyte_d16 v8, v[0:1], off
global_load_ubyte_d16_hi v9, v[0:1], off offset:3
global_load_short_d16_hi v10, v[0:1], off
//= v2 = 0xf2
//= v3 = 0xfffffff1
//= v4 = 0x8384
//= v5 = 0xffff8384
//= v8 = 0xaaaafff2
//= v9 = 0x0083bbbb
//= v10 = 0xf1f2bbbb
//# case narrow stores
//! v[0:1] = 0x100000
//! v2 = 0x11223344
//! exec = 1
global_store_byte v[0:1], v2, off
global_store_short v[0:1], v2, off offset:2
global_store_byte_d16_hi v[0:1], v2, off offset:4
global_store_short_d16_hi v[0:1], v2, off offset:6
//= mem 0x100000 = 0x33440044 0x11220022
//# case wide, destination over the address
//! v[0:1] = iota 0x100000 16
//! v2 = 1
//! v3 = 2
//! v4 = 3
//! v5 = 4
global_store_dwordx4 v[0:1], v[2:5], off
global_load_dwordx3 v[6:8], v[0:1], off offset:4
global_load_dwordx4 v[0:3], v[0:1], off
//= mem 0x1003f0 = 1 2 3 4
//= v6 = 2
//= v8 = 4
//= v0 = 1
//= v3 = 4
//# case unaligned
//! v[0:1] = 0x100001
//! mem 0x100000 = 0x44332211 0x55
//! exec = 1
global_load_dword v2, v[0:1], off
//= v2 = 0x55443322 0
//# case unmapped lane leaves everything
//! v[0:1] = iota 0x10fffc 4
//! v2 = 7
//! exec = 3
global_store_dword v[0:1], v2, off
//= mem 0x10fffc = 0
//= fault memory_violation
//# case inactive lanes may point anywhere
//! v[0:1] = iota 0x10fffc 4
//! v2 = 7
//! exec = 1
global_store_dword v[0:1], v2, off
//= mem 0x10fffc = 7
//# case exec zero does nothing
//! exec = 0
//! v2 = 3
global_load_dword v2, v[0:1], off
//= v2 = 3
//# case read-only
//! v[0:1] = 0x300000
global_store_dword v[0:1], v2, off
//= fault memory_violation
//# case atomics with return
//! v[0:1] = 0x100000
//! v2 = 1
//! mem 0x100000 = 100
global_atomic_add v3, v[0:1], v2, off glc
global_atomic_add v[0:1], v2, off
//= v3 = iota 100 1
//= mem 0x100000 = 228
//# case atomics of all kinds
//! v[0:1] = 0x100000
//! v2 = 5
//! v4 = 77
//! v5 = 7
//! exec = 1
//! mem 0x100000 = 10 -3 -3 10 6 0 9 7 1 3
global_atomic_swap v10, v[0:1], v2, off glc
global_atomic_smin v[0:1], v2, off offset:4
global_atomic_umin v[0:1], v2, off offset:8
global_atomic_sub v[0:1], v2, off offset:12
global_atomic_inc v[0:1], v2, off offset:16
global_atomic_dec v[0:1], v2, off offset:20
global_atomic_xor v[0:1], v2, off offset:24
global_atomic_cmpswap v11, v[0:1], v[4:5], off offset:28 glc
global_atomic_or v[0:1], v2, off offset:32
global_atomic_smax v[0:1], v2, off offset:36
//= v10 = 10 0
//= v11 = 7 0
//= mem 0x100000 = 5 -3 5 5 0 5 12 77 5 5
//# case 64-bit atomics
//! v[0:1] = 0x100000
//! v[2:3] = 0x100000001
//! v[4:5] = 5
//! v[6:7] = 0xffffffff
//! exec = 1
//! mem 0x100000 = 0xffffffffq 0xffffffffq
global_atomic_add_x2 v[10:11], v[0:1], v[2:3], off glc
global_atomic_cmpswap_x2 v[12:13], v[0:1], v[4:7], off offset:8 glc
//= v[10:11] = 0xffffffff 0
//= v[12:13] = 0xffffffff 0
//= mem 0x100000 = 0x200000000q 5q
//# case misaligned atomic
//! v[0:1] = 0x100002
global_atomic_add v[0:1], v2, off
//= fault memory_violation
//# case flat global
//! v[0:1] = iota 0x100000 4
//! v2 = iota 5 3
flat_store_dword v[0:1], v2
flat_load_dwordx2 v[4:5], v[0:1] offset:4
//= mem 0x100004 = 8
//= v4 = 8 11 14 17 20 23 26 29 32 35 38 41 44 47 50 53 56 59 62 65 68 71 74 77 80 83 86 89 92 95 98 101 104 107 110 113 116 119 122 125 128 131 134 137 140 143 146 149 152 155 158 161 164 167 170 173 176 179 182 185 188 191 194 0
//# case flat LDS
//! v[0:1] = iota 0x1000000000000 4
//! v2 = iota 5 3
flat_store_dword v[0:1], v2 offset:16
flat_load_dword v3, v[0:1] offset:16
flat_atomic_add v4, v[0:1], v2 offset:16 glc
//= lds 16 = 10 16
//= v3 = iota 5 3
//= v4 = iota 5 3
//# case flat beyond LDS
//! v[0:1] = 0x1000000001000
flat_load_dword v3, v[0:1]
//= fault aperture_violation
//# case flat private is swizzled
//! flat_scratch = 0x400000
//! v[0:1] = iota 0x2000000000008 0
//! v2 = iota 5 3
//! v3 = iota 1 1
flat_store_dwordx2 v[0:1], v[2:3]
flat_load_dword v4, v[0:1] offset:4
flat_load_ubyte v5, v[0:1] offset:4
//= mem 0x400200 = 5 8
//= mem 0x400300 = 1 2
//= v4 = iota 1 1
//= v5 = iota 1 1
//# case flat private unaligned
//! flat_scratch = 0x400000
//! v[0:1] = iota 0x2000000000002 0
//! v2 = 0x44332211
flat_store_dword v[0:1], v2
flat_load_dword v3, v[0:1]
//= mem 0x400000 = 0x22110000
//= mem 0x400100 = 0x4433
//= v3 = 0x44332211
//# case flat in three segments at once
//! flat_scratch = 0x400000
//! exec = 7
//! v[0:1] = 0x100000 0x1000000000010 0x2000000000004
//! v2 = iota 1 1
//! v3 = iota 11 1
flat_store_dwordx2 v[0:1], v[2:3]
flat_load_dwordx2 v[4:5], v[0:1]
//= mem 0x100000 = 1 11
//= lds 16 = 2 12
//= mem 0x400108 = 3
//= mem 0x400208 = 13
//= v4 = 1 2 3 0
//= v5 = 11 12 13 0
//# case flat beyond scratch
//! flat_scratch = 0x400000
//! v[0:1] = 0x2000000000040
flat_load_dword v3, v[0:1]
//= fault aperture_violation
//# case flat atomic on private
//! v[0:1] = 0x2000000000000
flat_atomic_add v[0:1], v2
//= fault aperture_violation
//# case scratch by VGPR and by SGPR
//! flat_scratch = 0x400000
//! v0 = iota 4 0
//! v1 = iota 9 1
//! s0 = 8
scratch_store_dword v0, v1, off offset:4
scratch_load_dword v2, off, s0
scratch_store_short off, v1, s0 offset:6
scratch_load_dword v3, v0, off offset:8
//= mem 0x400200 = 9 10
//= v2 = iota 9 1
//= v3 = 589824 655360 720896 786432 851968 917504 983040 1048576 1114112 1179648 1245184 1310720 1376256 1441792 1507328 1572864 1638400 1703936 1769472 1835008 1900544 1966080 2031616 2097152 2162688 2228224 2293760 2359296 2424832 2490368 2555904 2621440 2686976 2752512 2818048 2883584 2949120 3014656 3080192 3145728 3211264 3276800 3342336 3407872 3473408 3538944 3604480 3670016 3735552 3801088 3866624 3932160 3997696 4063232 4128768 4194304 4259840 4325376 4390912 4456448 4521984 4587520 4653056 4718592
//# case scratch below the slot
//! flat_scratch = 0x400000
scratch_load_dword v2, v0, off offset:-4
//= fault aperture_violation
//# case refuses transfers to LDS
.long 0xdc50a000, 0x027f0000
//= fault illegal_instruction
//# case register range
.long 0xdc5c8000, 0xfe7f0000
//= fault illegal_instruction
//# case float atomics are not on gfx906
.long 0xdd348000, 0x007f0200
//= fault illegal_instruction
//# target gfx90a
//# case float atomics on gfx90a
//! v[0:1] = 0x100000
//! v2 = 1.5f
//! v[4:5] = 2.0d
//! exec = 3
//! mem 0x100000 = 1.0f 0 1.0d 5.0d
global_atomic_add_f32 v[0:1], v2, off
global_atomic_add_f64 v[0:1], v[4:5], off offset:8
global_atomic_min_f64 v[0:1], v[4:5], off offset:16
//= mem 0x100000 = 4.0f 0 5.0d 2.0d
//# case accumulation registers on gfx90a
//! v[0:1] = 0x100000
//! v2 = 0
//! exec = 1
//! mem 0x100000 = 7 8
global_load_dwordx2 a[4:5], v[0:1], off
ds_write_b64 v2, a[4:5]
s_mov_b32 s4, 0x100000
s_mov_b32 s6, 64
buffer_store_dword a5, off, s[4:7], 0 offset:16
flat_store_dword v[0:1], a4 offset:20
//= v260 = 7 0
//= lds 0 = 7 8
//= mem 0x100010 = 8 7
