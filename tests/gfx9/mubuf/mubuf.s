// MUBUF. See support/case_file.hpp for the notation.
//# case offset modes
//! s4 = 0x100000
//! s6 = 0x1000
//! s8 = 32
//! v0 = iota 0 4
//! v1 = iota 50 1
buffer_store_dword v1, v0, s[4:7], 0 offen offset:16
buffer_load_dword v2, v0, s[4:7], s8 offen
buffer_load_dword v3, off, s[4:7], 0 offset:20
//= mem 0x100010 = 50 51
//= v2 = 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 0 0 0 0
//= v3 = 51
//# case raw range check, dword by dword
//! s4 = 0x100000
//! s6 = 12
//! v0 = 0 8 12 0xfffffff0
//! v2 = 5
//! v3 = 6
//! v4 = 9
//! v5 = 9
//! mem 0x100000 = 1 2 3 4
buffer_load_dwordx2 v[4:5], v0, s[4:7], 0 offen
buffer_store_dwordx2 v[2:3], v0, s[4:7], 0 offen
//= v4 = 1 3 0
//= v5 = 2 0
//= mem 0x100000 = 5 6 5 4
//# case scalar offset shortens the range
//! s4 = 0x100000
//! s6 = 12
//! s8 = 8
//! v0 = iota 0 4
//! mem 0x100000 = 1 2 3 4
buffer_load_dword v1, v0, s[4:7], s8 offen
//= v1 = 3 0
//# case structured
//! s4 = 0x100000
//! s5 = 0x100000
//! s6 = 4
//! v0 = iota 0 1
//! v1 = 4
//! mem 0x100000 = 0 0 1 0 0 0 2 0 0 0 3 0 0 0 4 0 0 0 5
buffer_load_dword v2, v[0:1], s[4:7], 0 idxen offen offset:4
buffer_load_dword v3, v0, s[4:7], 0 idxen offset:8
//= v2 = 1 2 3 4 0
//= v3 = 1 2 3 4 0
//# case scratch descriptor
//! s4 = 0x400000
//! s5 = 0x80000000
//! s6 = 0x100000
//! s7 = 0xea4fac
//! s8 = 0x200
//! v0 = iota 4 0
//! v1 = iota 9 1
//! v2 = iota 100 1
buffer_store_dword v1, off, s[4:7], 0 offset:4
buffer_load_dword v3, v0, s[4:7], 0 offen
buffer_store_dwordx2 v[1:2], off, s[4:7], s8 offset:4
buffer_load_ushort v4, off, s[4:7], 0 offset:16
//= mem 0x400100 = 9 10
//= mem 0x4001fc = 72
//= v3 = iota 9 1
//= mem 0x400300 = 9 10
//= mem 0x400400 = 100 101
//= v4 = iota 100 1
//# case scratch beyond the slot
//! s4 = 0x400000
//! s5 = 0x80000000
//! s6 = 0x100000
//! s7 = 0xea4fac
buffer_store_dword v1, off, s[4:7], 0 offset:64
//= fault aperture_violation
//# case atomics
//! s4 = 0x100000
//! s6 = 16
//! v0 = 0 4 64 0
//! v1 = 3
//! exec = 7
//! mem 0x100000 = 10 20
buffer_atomic_add v1, v0, s[4:7], 0 offen glc
//= v1 = 10 20 0 3
//= mem 0x100000 = 13 23
//# case unmapped
//! s4 = 0x200000
//! s6 = 16
buffer_load_dword v1, off, s[4:7], 0
//= fault memory_violation
//# case formats are refused
buffer_load_format_x v1, off, s[4:7], 0
//= fault illegal_instruction
//# case tfe is refused
buffer_load_dword v1, off, s[4:7], 0 tfe
//= fault illegal_instruction
//# case lds is refused
buffer_load_dword off, s[4:7], 0 lds
//= fault illegal_instruction
//# case other swizzles are refused
//! s5 = 0x80100000
//! s6 = 16
buffer_load_dword v1, off, s[4:7], 0
//= fault illegal_instruction
