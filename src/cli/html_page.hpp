// What the pages have in common: one self-contained file each, light and dark, from 400 pixels on, by
// keyboard. They load nothing and forbid themselves to. Without their script they are complete, only not
// sorted or filtered.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

/// Begins a page with a heading of the first order.
std::string page_head(const std::string& title);
/// Ends it, with the script.
std::string page_tail();

/// A heading of the second order.
std::string page_heading(const std::string& text);
/// A paragraph that stands out.
std::string page_note(const std::string& text);

struct HtmlColumn {
  std::string title;
  bool minor = false;  ///< left out on narrow screens
  bool text = false;   ///< of text_cell()s
};

struct HtmlRow {
  std::string cells;     ///< `<td>`s
  std::string filter;    ///< what the text filter looks at, beside the cells' text
  std::string category;  ///< of the selection by category; also a class of the row
};

/// A table that is sorted by the buttons in its head, and filtered by a text and, where rows have categories,
/// by these.
/// @param label the table's accessible name
std::string html_table(const std::string& label, const std::vector<HtmlColumn>& columns,
                       const std::vector<HtmlRow>& rows);

/// A cell with a name, short on the page and whole as its tooltip.
std::string name_cell(const std::string& brief, const std::string& full);
std::string text_cell(const std::string& text, bool minor = false);
/// A cell that sorts by `value`.
std::string value_cell(double value, const std::string& text, bool minor = false);

/// A picture with its caption, below a name. @param kind the figure's class
std::string html_figure(const std::string& kind, const std::string& caption, const std::string& picture);
/// Pictures on one kernel, side by side where there is room.
std::string html_card(const std::string& brief, const std::string& full, const std::string& content);
std::string html_cards(const std::string& cards);

}  // namespace kreplay::cli
