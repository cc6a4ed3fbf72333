// Tables for terminals and logs that stay readable at any width: names are shortened as far as they must, the
// least useful columns go first, and where that is not enough a name gets a line of its own.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

struct TextColumn {
  static constexpr int kAlways = 100;

  std::string title;
  int worth = kAlways;  ///< where there is no room, columns of less worth go first; kAlways: never
  bool left = false;    ///< aligned left
};

struct TextRow {
  std::string name;  ///< of the kernel, in full
  std::vector<std::string> cells;
  std::string note;  ///< free text at the end; where it does not fit, on lines of its own
};

/// How much of something is shown.
struct View {
  size_t columns = 200;  ///< of a terminal
  bool full_names = false;
  size_t top = 0;  ///< at most so many rows; 0: all
};

/// @param rows as many cells as columns each; none: no text
/// @param note_title of the notes; may be empty
/// @return lines, a head first. Names of two rows differ where the kernels do (report/short_names.hpp).
std::string text_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                       const std::string& note_title, const View& view);

/// Width of the terminal on standard output; else COLUMNS; else 200.
size_t output_columns();

}  // namespace kreplay::cli
