// Test programs: NAME.s holds assembly with its initial and expected registers in comments, NAME.hex the
// words an assembler made of it (assemble.py). Several cases per file:
//
//   //# case add with carry          name of the case
//   //# target gfx90a                for the cases that follow (default gfx906)
//   //! s1 = 0xffffffff              before: sN, s[N:M], vN, v[N:M], exec, vcc, m0, scc, mode, flat_scratch
//   //! v1 = 1.5f 2 -1               lanes; the last value is repeated up to lane 63
//   //! v2 = iota 0x100000 4         first value and step per lane
//   //! mem 0x100000 = 1 2.5d        dwords in memory; a `d` or `q` value takes two
//   //! lds 0x10 = 7                 the same in LDS
//   s_add_u32 s0, s1, 1
//   //= s0 = 0                       after; also mem, lds, scc, vcc, exec, mode, m0
//   //= fault illegal_instruction    instead: the program must end so
//
// Values: integers (0x..., decimal, negative), 1.5f, 1.5d, 1.5h (half), 5q (64 bits), and as expectation
// nan32, nan64, any. A case ends at the next one; the runner appends s_endpgm. Everything not set is 0, but
// EXEC is all ones and MODE 0x3f0 (denormals kept, IEEE, DX10 clamp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gfx9_test {

struct Value {
  uint64_t bits = 0;
  bool wide = false;  ///< 64 bits
  enum class Match { exact, nan32, nan64, any } match = Match::exact;
};

/// One `name = values` line.
struct Setting {
  enum class Place { sgpr, vgpr, mem, lds, scc, mode } place;
  uint64_t index = 0;  ///< register number or address
  bool pair = false;   ///< a register pair: values are 64 bits
  bool iota = false;   ///< values[0] is the first, values[1] the step
  std::vector<Value> values;
  int line = 0;
};

struct Case {
  std::string name;
  std::string target = "gfx906";
  int line = 0;
  std::vector<uint32_t> code;
  std::vector<Setting> before, after;
  std::string fault;  ///< empty: ends normally
};

/// The words of each case in a .hex file. Throws std::runtime_error.
std::map<std::string, std::vector<uint32_t>> read_words(const std::string& hex_path);
/// Reads PATH.s and PATH.hex. Throws std::runtime_error naming file and line.
std::vector<Case> read_cases(const std::string& path);

}  // namespace gfx9_test
