// DS loads, stores and atomics. See support/case_file.hpp for the notation. The workgroup has 4096 bytes of LDS.
//# case write and read
//! v0 = iota 0 4
//! v1 = iota 100 1
ds_write_b32 v0, v1
ds_read_b32 v2, v0 offset:8
//= lds 0 = 100 101
//= lds 252 = 163
//= v2 = 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133 134 135 136 137 138 139 140 141 142 143 144 145 146 147 148 149 150 151 152 153 154 155 156 157 158 159 160 161 162 163 0
//# case inactive lanes keep
//! exec = 5
//! v0 = iota 0 4
//! v1 = 7
//! v2 = 1
//! lds 0 = 20 21 22
ds_write_b32 v0, v1 offset:0x10
ds_read_b32 v2, v0
//= lds 16 = 7 0 7 0
//= v2 = 20 1 22 1
//# case narrow
//! v0 = 0
//! v1 = 0x81828384
//! v9 = 0x11112222
//! v8 = 0x11112222
//! lds 0 = 0x8877f0f1
ds_read_u8 v2, v0
ds_read_i8 v3, v0
ds_read_u16 v4, v0 offset:2
ds_read_i16 v5, v0 offset:2
ds_read_u8_d16 v8, v0
ds_read_u16_d16_hi v9, v0 offset:2
ds_write_b8 v0, v1 offset:8
ds_write_b16 v0, v1 offset:10
ds_write_b8_d16_hi v0, v1 offset:12
ds_write_b16_d16_hi v0, v1 offset:14
//= v2 = 0xf1
//= v3 = 0xfffffff1
//= v4 = 0x8877
//= v5 = 0xffff8877
//= v8 = 0x111100f1
//= v9 = 0x88772222
//= lds 8 = 0x83840084 0x81820082
//# case wide
//! v0 = iota 0 16
//! v1 = 1
//! v2 = 2
//! v3 = 3
//! v4 = 4
ds_write_b128 v0, v[1:4]
ds_read_b64 v[10:11], v0 offset:4
ds_read_b96 v[12:14], v0
ds_write_b64 v0, v[3:4] offset:2048
//= lds 16 = 1 2 3 4
//= v10 = 2
//= v11 = 3
//= v14 = 3
//= lds 2048 = 3 4
//# case pairs
//! v0 = iota 0 8
//! v1 = 5
//! v2 = 6
ds_write2_b32 v0, v1, v2 offset0:0 offset1:1
ds_read2_b32 v[4:5], v0 offset0:1 offset1:2
ds_write2st64_b32 v0, v1, v2 offset0:4 offset1:8
ds_read2st64_b64 v[6:9], v0 offset0:2 offset1:4
//= v4 = 6
//= v5 = 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 0
//= lds 1024 = 5
//= lds 2048 = 6
//= v6 = 5
//= v8 = 6
//# case out of range reads 0 and drops stores
//! v0 = 0 4092 4094 0xfffffff0
//! v1 = 9
//! v2 = 8
ds_write_b32 v0, v1
ds_read_b32 v2, v0
//= v2 = 9 9 0
//= lds 4092 = 9
//# case atomics without return
//! v0 = 0
//! v1 = 1
//! exec = 0xff
//! lds 0 = 0 100 0xff 3
ds_add_u32 v0, v1
ds_sub_u32 v0, v1 offset:4
ds_and_b32 v0, v1 offset:8
ds_max_u32 v0, v1 offset:12
//= lds 0 = 8 92 1 3
//# case atomics in lane order with return
//! v0 = 0
//! v1 = 10 20 30
//! exec = 7
//! lds 0 = 1
ds_add_rtn_u32 v2, v0, v1
//= v2 = 1 11 31 0
//= lds 0 = 61
//# case signed and wrapping ops
//! v0 = 0
//! v1 = -5
//! v2 = 2
//! exec = 1
//! lds 0 = 3 3 2 0 2
ds_min_i32 v0, v1
ds_max_i32 v0, v1 offset:4
ds_inc_u32 v0, v2 offset:8
ds_dec_u32 v0, v2 offset:12
ds_rsub_u32 v0, v2 offset:16
//= lds 0 = -5 3 0 2 0
//# case compare, exchange and masks
//! v0 = 0
//! v1 = 7
//! v2 = 9
//! exec = 1
//! lds 0 = 7 8 0xff
ds_cmpst_rtn_b32 v3, v0, v1, v2
ds_cmpst_rtn_b32 v4, v0, v1, v2 offset:4
ds_wrxchg_rtn_b32 v5, v0, v2
ds_mskor_b32 v0, v1, v2 offset:8
//= v3 = 7 0
//= v4 = 8 0
//= v5 = 9 0
//= lds 0 = 9 8 0xf9
//# case 64 bits
//! v0 = 0
//! v[2:3] = 0xffffffff
//! v[4:5] = 0x100000000
//! exec = 1
//! lds 0 = 1q 5q
ds_add_rtn_u64 v[6:7], v0, v[2:3]
ds_cmpst_b64 v0, v[4:5], v[2:3]
ds_max_i64 v0, v[4:5] offset:8
//= v[6:7] = 1 0
//= lds 0 = 0xffffffffq 0x100000000q
//# case exchange pairs
//! v0 = 0
//! v1 = 5
//! v2 = 6
//! exec = 1
//! lds 0 = 1 2 3
ds_wrxchg2_rtn_b32 v[4:5], v0, v1, v2 offset0:0 offset1:2
//= v4 = 1 0
//= v5 = 3 0
//= lds 0 = 5 2 6
//# case float
//! v0 = 0
//! v1 = 1.5f
//! v[2:3] = -2.0d
//! exec = 3
//! lds 0 = 1.0f 2.0f 0 0 4.0d
ds_add_f32 v0, v1
ds_min_f32 v0, v1 offset:4
ds_min_rtn_f64 v[4:5], v0, v[2:3] offset:16
//= lds 0 = 4.0f 1.5f
//= v[4:5] = 4.0d -2.0d 0
//= lds 16 = -2.0d
//# case append and consume
//! exec = 0xf0f
//! m0 = 0x20
//! lds 0x28 = 100
ds_append v1 offset:8
ds_consume v2 offset:8
//= v1 = 100 100 100 100 0 0 0 0 100 100 100 100 0
//= v2 = 108 108 108 108 0 0 0 0 108 108 108 108 0
//= lds 0x28 = 100
//# case lane addressed
//! v1 = iota 5 1
//! m0 = 16
ds_write_addtid_b32 v1 offset:4
ds_read_addtid_b32 v2 offset:8
//= lds 20 = 5 6
//= v2 = 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 0
//# case refuses gds
ds_add_u32 v0, v1 gds
//= fault illegal_instruction
//# case refuses two operands in LDS
ds_add_src2_u32 v0
//= fault illegal_instruction
