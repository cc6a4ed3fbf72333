// Every row of the scalar, memory and LDS tables against words an independent assembler made (mnemonics.txt),
// and what the decoder must refuse.
#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "decode/family_name.hpp"
#include "gfx9/decode.hpp"
#include "gfx9/valu.hpp"

namespace g = softgpu::gfx9;

namespace {

struct Line {
  std::string target, family, mnemonic;
  std::vector<uint32_t> words;
};

std::vector<Line> fixture() {
  std::ifstream file(std::string(GFX9_CASES) + "/decode/mnemonics.txt");
  REQUIRE(file);
  std::vector<Line> lines;
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream in(text);
    Line line;
    in >> line.target >> line.family >> line.mnemonic;
    std::string word;
    while (in >> word) line.words.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
    lines.push_back(line);
  }
  return lines;
}

/// The reason of a refusal; empty if the words decode.
std::string try_decode(const std::vector<uint32_t>& words, g::Inst& inst, uint32_t target = 90006) {
  g::DeviceConfig config;
  config.gfx_target_version = target;
  g::DecodeContext ctx;
  ctx.config = &config;
  ctx.valu = &g::valu_hooks();
  ctx.available = static_cast<unsigned>(words.size());
  if (g::decode(words.data(), ctx, inst)) return {};
  REQUIRE(std::strlen(ctx.reason) > 0);
  return ctx.reason;
}
std::string refusal(const std::vector<uint32_t>& words) {
  g::Inst inst;
  std::string reason = try_decode(words, inst);
  REQUIRE(!reason.empty());
  return reason;
}

bool is_vector_alu(g::Family family) {
  return family == g::Family::vop1 || family == g::Family::vop2 || family == g::Family::vop3 ||
         family == g::Family::vopc || family == g::Family::vop3p;
}

}  // namespace

TEST_CASE("mnemonics and opcodes agree with the assembler") {
  const std::vector<Line> lines = fixture();
  CHECK(lines.size() > 500);
  for (const Line& line : lines) {
    INFO(line.family << " " << line.mnemonic);
    g::Inst inst;
    const std::string reason = try_decode(line.words, inst, line.target == "gfx90a" ? 90010 : 90006);
    if (reason.empty()) {
      CHECK(inst.op->mnemonic == line.mnemonic);
      CHECK(gfx9_test::family_name(inst.family) == line.family);
      CHECK(inst.size_dwords == line.words.size());
      CHECK(inst.exec != nullptr);
    } else {
      CHECK(reason.rfind(line.mnemonic + ":", 0) == 0);  // refused by name
    }
  }
}

TEST_CASE("every row has a line in the fixture") {
  std::set<std::string> known;
  for (const Line& line : fixture()) known.insert(line.family + " " + line.mnemonic);
  std::vector<std::string> missing;
  struct Context {
    const std::set<std::string>* known;
    std::vector<std::string>* missing;
    unsigned rows;
  } context{&known, &missing, 0};
  g::visit_ops({[](void* user, g::Family family, const g::OpInfo& op) {
                  auto& c = *static_cast<Context*>(user);
                  ++c.rows;
                  const std::string row = std::string(gfx9_test::family_name(family)) + " " + op.mnemonic;
                  if (!is_vector_alu(family) && c.known->count(row) == 0) c.missing->push_back(row);
                },
                &context});
  CHECK(context.rows > 500);
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("words that are no instruction are refused with a reason") {
  CHECK(refusal({0xbe808000}).find("SOP1 opcode 0x80") != std::string::npos);
  CHECK(refusal({0xbf800000 | 0x7f << 16}).find("SOPP opcode") != std::string::npos);
  CHECK(refusal({0xbf000000 | 0x7f << 16}).find("SOPC opcode") != std::string::npos);
  CHECK(refusal({0xd8000000 | 0x16 << 17, 0}).find("DS opcode 0x16") != std::string::npos);
  CHECK(refusal({0xdc000000 | 0x7f << 18, 0}).find("FLAT opcode 0x7f") != std::string::npos);
  CHECK(refusal({0xe0000000 | 0x7f << 18, 0}).find("MUBUF opcode 0x7f") != std::string::npos);
  CHECK(refusal({0xe8000000, 0}).find("mtbuf") != std::string::npos);
  CHECK(refusal({0xf0000000, 0}).find("mimg") != std::string::npos);
  CHECK(refusal({0xc4000000, 0}).find("exp") != std::string::npos);
  CHECK(refusal({0xd4000000, 0}).find("v_interp") != std::string::npos);
  CHECK(refusal({0xcc000000, 0}).find("encoding") != std::string::npos);
}

TEST_CASE("reserved operands and cut-off instructions are refused") {
  CHECK(refusal({
                    0x80000000 | 0xff,
                })
            .find("literal") != std::string::npos);  // no second word
  CHECK(refusal({0xc0020002}).find("end of mapped memory") != std::string::npos);
  CHECK(refusal({0x807d0000}).find("125") != std::string::npos);  // destination
  CHECK(refusal({0x80000000 | 125}).find("125") != std::string::npos);
  CHECK(refusal({0x80000000 | 209}).find("209") != std::string::npos);
  CHECK(refusal({0x80000000 | 0x6c}).find("ttmp0") != std::string::npos);
  CHECK(refusal({}).find("no instruction memory") != std::string::npos);
}

// SDATA stands in bits 6..12, the opcode in bits 18..25, IMM is bit 17.
TEST_CASE("scalar loads and stores whose registers do not fit are refused by name") {
  const auto smem = [](unsigned opcode, unsigned sdata) {
    return std::vector<uint32_t>{0xc0020000u | opcode << 18 | sdata << 6, 0};
  };
  struct Row {
    unsigned opcode, dwords;
  };
  for (const Row row : {Row{0x01, 2}, Row{0x02, 4}, Row{0x03, 8}, Row{0x04, 16}, Row{0x0c, 16}, Row{0x12, 4},
                        Row{0x1a, 4}, Row{0x24, 2}}) {
    INFO("opcode " << row.opcode);
    const unsigned last = 108 - row.dwords;  // s102..s107 are FLAT_SCRATCH, XNACK_MASK and VCC
    g::Inst inst;
    CHECK(try_decode(smem(row.opcode, last), inst) == "");
    CHECK(inst.dst == last);
    const std::string room = "has no room for " + std::to_string(row.dwords) + " registers";
    CHECK(refusal(smem(row.opcode, last + 1)) ==
          "scalar destination " + std::to_string(last + 1) + " " + room);
    CHECK(refusal(smem(row.opcode, 124)) == "scalar destination 124 " + room);  // M0 and what follows
    CHECK(refusal(smem(row.opcode, 127)) == "scalar destination 127 " + room);  // past the last register
  }
  g::Inst inst;
  CHECK(try_decode(smem(0x00, 127), inst) == "");
  CHECK(refusal(smem(0x00, 108)) == "scalar destination 108 is reserved");
}
