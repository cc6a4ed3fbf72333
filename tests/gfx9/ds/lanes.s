// DS ops between lanes. See support/case_file.hpp for the notation.
//# case swizzle quads
//! v1 = iota 0 1
ds_swizzle_b32 v2, v1 offset:swizzle(QUAD_PERM, 3, 2, 1, 0)
//= v2 = 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 19 18 17 16 23 22 21 20 27 26 25 24 31 30 29 28 35 34 33 32 39 38 37 36 43 42 41 40 47 46 45 44 51 50 49 48 55 54 53 52 59 58 57 56 63 62 61 60
//# case swizzle masks
//! v1 = iota 0 1
ds_swizzle_b32 v2, v1 offset:swizzle(SWAP, 16)
ds_swizzle_b32 v3, v1 offset:swizzle(BROADCAST, 8, 2)
ds_swizzle_b32 v4, v1 offset:swizzle(REVERSE, 32)
//= v2 = 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
//= v3 = 2 2 2 2 2 2 2 2 10 10 10 10 10 10 10 10 18 18 18 18 18 18 18 18 26 26 26 26 26 26 26 26 34 34 34 34 34 34 34 34 42 42 42 42 42 42 42 42 50 50 50 50 50 50 50 50 58 58 58 58 58 58 58 58
//= v4 = 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32
//# case swizzle from inactive lanes is 0
//! v1 = iota 1 1
//! exec = 0x5
ds_swizzle_b32 v2, v1 offset:swizzle(SWAP, 1)
ds_swizzle_b32 v3, v1 offset:swizzle(SWAP, 2)
//= v2 = 0
//= v3 = 3 0 1 0
//# case swizzle rotate
//! v1 = iota 0 1
ds_swizzle_b32 v2, v1 offset:0xc020
ds_swizzle_b32 v3, v1 offset:0xc420
//= v2 = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 32
//= v3 = 31 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 63 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62
//# case swizzle fft
//! v1 = iota 0 1
ds_swizzle_b32 v2, v1 offset:0xe000
//= v2 = 0 16 8 24 4 20 12 28 2 18 10 26 6 22 14 30 1 17 9 25 5 21 13 29 3 19 11 27 7 23 15 31 32 48 40 56 36 52 44 60 34 50 42 58 38 54 46 62 33 49 41 57 37 53 45 61 35 51 43 59 39 55 47 63
//# case permute sends
//! v0 = iota 8 4
//! v1 = iota 0 1
ds_permute_b32 v2, v0, v1
ds_permute_b32 v3, v4, v1
//= v2 = 62 63 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61
//= v3 = 63 0
//# case bpermute fetches
//! v0 = iota 8 4
//! v1 = iota 0 1
ds_bpermute_b32 v2, v0, v1
ds_bpermute_b32 v3, v0, v1 offset:4
//= v2 = 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 0 1
//= v3 = 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 0 1 2
//# case bpermute from inactive lanes is 0
//! v0 = 4 0
//! v1 = iota 10 1
//! exec = 3
//! v2 = 5
ds_bpermute_b32 v2, v0, v1
//= v2 = 11 10 5
//# case permute with exec
//! v0 = 8 8 0
//! v1 = 20 21 22
//! exec = 7
//! v2 = 5
ds_permute_b32 v2, v0, v1
//= v2 = 22 0 21 5
//# case global wave sync with one wave
//! v0 = 0
ds_gws_init v0 gds
ds_gws_barrier v0 gds
ds_gws_sema_v gds
ds_gws_sema_p gds
s_mov_b32 s0, 1
//= s0 = 1
