// Text inside other languages.
#pragma once

#include <string>

namespace kreplay::cli {

/// For HTML, SVG and XML, element content and quoted attributes. Control characters that XML forbids become
/// spaces.
std::string escape_markup(const std::string& text);
/// For a cell of a Markdown table: a code span, without what would end the cell.
std::string markdown_code(const std::string& text);
/// For plain text in a cell of a Markdown table.
std::string markdown_text(const std::string& text);
/// A field of RFC 4180 CSV, quoted where needed.
std::string csv_field(const std::string& text);

}  // namespace kreplay::cli
