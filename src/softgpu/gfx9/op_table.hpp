// Looking up and visiting rows of op tables.
#pragma once

#include "gfx9/decode.hpp"

namespace softgpu::gfx9 {

/// The row of `opcode` in a table sorted by opcode; nullptr if there is none.
template <typename Row, unsigned N>
const Row* find_row(const Row (&rows)[N], unsigned opcode) {
  unsigned lo = 0, hi = N;
  while (lo < hi) {
    const unsigned mid = (lo + hi) / 2;
    if (rows[mid].opcode < opcode) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo < N && rows[lo].opcode == opcode ? &rows[lo] : nullptr;
}
/// The same for a table in any order; `opcode` not in the table: nullptr.
template <typename Row, unsigned N>
const Row* find_any_row(const Row (&rows)[N], unsigned opcode) {
  for (const Row& row : rows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}
template <typename Row, unsigned N>
constexpr bool sorted_by_opcode(const Row (&rows)[N]) {
  for (unsigned n = 1; n < N; ++n) {
    if (rows[n - 1].opcode >= rows[n].opcode) return false;
  }
  return true;
}
template <typename Row, unsigned N>
void visit_rows(const OpVisitor& visitor, Family family, const Row (&rows)[N]) {
  for (const Row& row : rows) visitor(family, row);
}

}  // namespace softgpu::gfx9
