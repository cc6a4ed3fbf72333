// Every row accepts exactly the modifiers of modifiers.txt; anything else is refused by name.
#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "machine.hpp"

using namespace valu_test;

namespace {

struct Row {
  std::string mnemonic, family;
  uint32_t e32 = 0;
  bool has_e32 = false;
  std::vector<uint32_t> e64;
  std::set<std::string> kinds;
};

std::vector<Row> read_rows() {
  std::ifstream in(VALU_TEST_DIR "/modifiers.txt");
  std::vector<Row> rows;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    std::string e32, lo, hi, kind;
    words >> row.mnemonic >> row.family >> e32 >> lo >> hi;
    row.has_e32 = e32 != "-";
    if (row.has_e32) row.e32 = static_cast<uint32_t>(std::stoul(e32, nullptr, 16));
    row.e64 = {static_cast<uint32_t>(std::stoul(lo, nullptr, 16)),
               static_cast<uint32_t>(std::stoul(hi, nullptr, 16))};
    while (words >> kind) row.kinds.insert(kind);
    rows.push_back(row);
  }
  return rows;
}

/// The row's words with one modifier bit set.
std::vector<uint32_t> with_kind(const Row& row, const std::string& kind) {
  std::vector<uint32_t> w = row.e64;
  const auto number = [&] { return static_cast<unsigned>(kind.back() - '0'); };
  if (kind.rfind("neg", 0) == 0) {
    w[1] |= 1u << (29 + number());
  } else if (kind.rfind("abs", 0) == 0) {
    w[0] |= 1u << (8 + number());
  } else if (kind == "clamp") {
    w[0] |= 1u << 15;
  } else if (kind == "omod") {
    w[1] |= 1u << 27;
  } else if (kind == "sel_dst") {
    w[0] |= 1u << 14;
  } else if (kind.rfind("sel", 0) == 0) {
    w[0] |= 1u << (11 + number());
  } else if (kind == "sdwa") {
    // source v2 byte 1, source 1 dword, result dword; VOPC has no result selects
    w = {(row.e32 & ~0x1ffu) | 249u, 2u | 1u << 16 | 6u << 24 | (row.family == "vopc" ? 0u : 6u << 8)};
  } else {
    w = {(row.e32 & ~0x1ffu) | 250u, 2u | 0x101u << 8 | 0xff000000u};  // v2 row_shl:1
  }
  return w;
}

}  // namespace

TEST_CASE("rows accept the modifiers the assembler has, and refuse the others by name") {
  const std::vector<Row> rows = read_rows();
  REQUIRE(rows.size() == 427);
  Machine m(lane_builds()[0]);
  for (const Row& row : rows) {
    INFO(row.mnemonic);
    Inst inst;
    REQUIRE(m.decode(row.e64, inst) == "");
    CHECK(inst.op->mnemonic == row.mnemonic);
    CHECK(inst.size_dwords == 2);
    if (row.has_e32) {
      CHECK(m.decode({row.e32}, inst) == "");
      CHECK(inst.op->mnemonic == row.mnemonic);
      CHECK(inst.size_dwords == 1);
    }
    // VOP3B has the carry's SGPR where abs and op_sel would be.
    const bool carry = row.mnemonic.find("_co_u32") != std::string::npos ||
                       row.mnemonic.rfind("v_div_scale", 0) == 0 || row.mnemonic.rfind("v_mad_u64", 0) == 0 ||
                       row.mnemonic.rfind("v_mad_i64", 0) == 0;
    std::vector<std::string> kinds = {"neg0", "neg1", "neg2", "clamp", "omod"};
    if (!carry) {
      for (const char* k : {"abs0", "abs1", "abs2", "sel0", "sel1", "sel2", "sel_dst"}) kinds.push_back(k);
    }
    if (row.has_e32) {
      kinds.push_back("sdwa");
      kinds.push_back("dpp");
    }
    for (const std::string& kind : kinds) {
      INFO(kind);
      const std::string refusal = m.decode(with_kind(row, kind), inst);
      if (row.kinds.count(kind) != 0) {
        CHECK(refusal == "");
        CHECK(inst.exec != nullptr);
      } else {
        CHECK(refusal.find(row.mnemonic) != std::string::npos);
      }
    }
  }
}

TEST_CASE("refusals say what is wrong") {
  Machine m(lane_builds()[0]);
  Inst inst;
  const auto refusal = [&](const std::vector<uint32_t>& words) { return m.decode(words, inst); };
  const auto two = [](std::vector<uint32_t> words, uint32_t extra) {
    words.push_back(extra);
    return words;
  };
  CHECK(refusal(vop1(0x55, 0, v(0))) == "unknown VOP1 opcode 0x55");
  CHECK(refusal(vop2(0x37, 0, v(0), 0)) == "unknown VOP2 opcode 0x37");  // v_dot2c is not on gfx906
  CHECK(refusal(vopc(0x00, v(0), 0)) == "unknown VOPC opcode 0x0");
  CHECK(refusal(Vop3{.op = 0x2f0}) == "unknown VOP3 opcode 0x2f0");
  CHECK(refusal(Vop3p{.op = 0x30}) == "unknown VOP3P opcode 0x30");  // v_pk_fma_f32 is gfx90a
  CHECK(refusal(Vop3{.op = 0x275}) == "v_interp: no graphics pipeline");
  CHECK(refusal(Vop3{.op = 0x117}) == "v_madmk_f32: has no VOP3 form");
  CHECK(refusal(vop1(0x01, 0, 120)) == "source 0: trap register ttmp12");
  CHECK(refusal(vop1(0x01, 0, 210)) == "source 0: reserved selector 210");
  CHECK(refusal(vop1(0x01, 0, 255)) == "v_mov_b32: runs past the end of mapped memory");
  CHECK(refusal(Vop3{.op = 0x101, .vdst = 1, .src0 = 255, .src1 = v(0)}) ==
        "source 0: a literal is not allowed in this encoding");
  CHECK(refusal(Vop3{.op = 0x101, .src0 = v(0), .src1 = v(0), .src2 = v(0)}) ==
        "v_add_f32: unused source field 2 is set");
  CHECK(refusal(Vop3{.op = 0x101, .src0 = 249, .src1 = v(0)}) == "v_add_f32: source 0: no SDWA or DPP");
  CHECK(refusal(Vop3{.op = 0x280, .vdst = 255, .src0 = v(0), .src1 = v(0)}) ==
        "v_add_f64: v255 has no room for 2 registers");
  CHECK(refusal(Vop3{.op = 0x280, .vdst = 0, .src0 = v(255), .src1 = v(0)}) ==
        "v_add_f64: source 0, v255, has no room for 2 registers");
  CHECK(refusal(two(vop1(0x01, 0, 249), 7u << 16 | 6u << 8)) == "v_mov_b32: SDWA select 7 is reserved");
  CHECK(refusal(two(vop1(0x01, 0, 249), 6u << 16 | 6u << 8 | 3u << 11)) ==
        "v_mov_b32: SDWA dst_unused 3 is reserved");
  CHECK(refusal(two(vop2(0x01, 0, 249, 0), 6u << 16 | 6u << 24 | 6u << 8 | 1u << 19)) ==
        "v_add_f32: SDWA sext on the float source 0");
  CHECK(refusal(two(vop2(0x34, 0, 249, 0), 6u << 16 | 6u << 24 | 6u << 8 | 1u << 20)) ==
        "v_add_u32: neg or abs on source 0 is not accepted");
  CHECK(refusal(two(vop1(0x01, 0, 250), 0x144u << 8)) == "v_mov_b32: DPP control 0x144 is reserved");
  CHECK(refusal(two(vop1(0x01, 0, 250), 0x100u << 8)) == "v_mov_b32: DPP control 0x100 is reserved");
  CHECK(refusal(two(vop1(0x01, 0, 250), 1u << 17)) == "v_mov_b32: reserved DPP bits 18:17 are set");
  CHECK(refusal(two(vopc(0xca, 250, 0), 0x101u << 8)) == "v_cmp_eq_u32: does not take DPP");
  CHECK(refusal(Vop3p{.op = 0x28, .src0 = v(0), .src1 = v(0), .src2 = v(0), .op_sel = 1}) ==
        "v_dot4_i32_i8: op_sel is not accepted");
  CHECK(refusal(Vop3p{.op = 0x02, .src0 = v(0), .src1 = v(0), .neg_lo = 1}) ==
        "v_pk_add_i16: neg or abs on source 0 is not accepted");
  CHECK(refusal(Vop3p{.op = 0x01, .src0 = v(0), .src1 = v(0), .clamp = 1}) ==
        "v_pk_mul_lo_u16: clamp is not accepted");
  CHECK(refusal({0x7e000001u}) == "v_nop: operand fields are set");
  CHECK(refusal(vop1(0x37, 0, v(0))) == "v_screen_partition_4se_b32: no graphics pipeline");
}

TEST_CASE("targets differ in what they have") {
  Inst inst;
  const Build build = lane_builds()[0];
  Machine gfx900(build, 90000), gfx906(build, 90006), gfx90a(build, 90010);
  const auto name = [&](Machine& m, const std::vector<uint32_t>& words) {
    return m.decode(words, inst).empty() ? std::string(inst.op->mnemonic) : std::string();
  };
  CHECK(name(gfx900, vop2(0x3b, 0, v(0), 0)).empty());
  CHECK(name(gfx906, vop2(0x3b, 0, v(0), 0)) == "v_fmac_f32");
  CHECK(name(gfx906, vop2(0x04, 0, v(0), 0)) == "v_mul_legacy_f32");
  CHECK(name(gfx90a, vop2(0x04, 0, v(0), 0)) == "v_fmac_f64");
  CHECK(name(gfx90a, Vop3{.op = 0x2a1, .src0 = v(0), .src1 = v(0)}) == "v_mul_legacy_f32");
  CHECK(name(gfx906, Vop3{.op = 0x2a1, .src0 = v(0), .src1 = v(0)}).empty());
  const Vop3p mix{.op = 0x20, .src0 = v(0), .src1 = v(0), .src2 = v(0), .op_sel_hi = 0};
  CHECK(name(gfx900, mix) == "v_mad_mix_f32");
  CHECK(name(gfx906, mix) == "v_fma_mix_f32");
  CHECK(name(gfx90a, Vop3p{.op = 0x30, .src0 = v(0), .src1 = v(0), .src2 = v(0)}) == "v_pk_fma_f32");
  CHECK(name(gfx90a, vop2(0x37, 0, v(0), 0)) == "v_dot2c_f32_f16");
  CHECK(name(gfx900, Vop3p{.op = 0x28, .src0 = v(0), .src1 = v(0), .src2 = v(0)}).empty());
}
