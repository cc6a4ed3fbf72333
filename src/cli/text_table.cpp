#include "cli/text_table.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "report/short_names.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kLeastName = 24;
constexpr size_t kIndent = 4;
constexpr size_t kGap = 2;

class Layout {
 public:
  Layout(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows, const View& view)
      : columns_(columns), total_(view.columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      widths_.push_back(columns[i].title.size());
      for (const TextRow& row : rows) widths_[i] = std::max(widths_[i], row.cells[i].size());
      shown_.push_back(true);
    }
    size_t longest = std::string("kernel").size();
    std::set<std::string> names;
    for (const TextRow& row : rows) {
      longest = std::max(longest, row.name.size());
      names.insert(row.name);
    }
    const size_t least = std::min(longest, kLeastName);
    while (least + figures() > total_ && hide_one()) continue;
    const size_t room = least + figures() > total_ ? total_ : total_ - figures();
    names_ = report::short_names(names, view.full_names ? 0 : std::max(room, kLeastName));
    for (const auto& [name, text] : names_) name_width_ = std::max(name_width_, text.size());
    apart_ = name_width_ + figures() > total_;
  }

  std::string line(const std::string& name, const std::vector<std::string>& cells,
                   const std::string& note) const {
    std::string text;
    if (apart_)
      text = name + "\n" + std::string(kIndent - kGap, ' ');
    else
      text = fmt::format("{:<{}}", name, name_width_);
    size_t used = apart_ ? kIndent - kGap : name_width_;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!shown_[i]) continue;
      text += std::string(kGap, ' ') + (columns_[i].left ? fmt::format("{:<{}}", cells[i], widths_[i])
                                                         : fmt::format("{:>{}}", cells[i], widths_[i]));
      used += kGap + widths_[i];
    }
    if (used + 1 + note.size() <= total_ || note.empty()) {
      text += " " + note;
      return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n" + wrapped(note);
  }

  const std::string& short_name(const std::string& name) const { return names_.at(name); }

  std::string hidden() const {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i)
      if (!shown_[i]) text += (text.empty() ? "" : ", ") + columns_[i].title;
    return text;
  }

 private:
  size_t figures() const {
    size_t sum = 0;
    for (size_t i = 0; i < widths_.size(); ++i)
      if (shown_[i]) sum += kGap + widths_[i];
    return sum;
  }

  bool hide_one() {
    size_t least = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i)
      if (shown_[i] && columns_[i].worth < TextColumn::kAlways &&
          (least == columns_.size() || columns_[i].worth < columns_[least].worth))
        least = i;
    if (least == columns_.size()) return false;
    shown_[least] = false;
    return true;
  }

  /// Indented lines, broken at blanks.
  std::string wrapped(const std::string& note) const {
    const size_t room = std::max<size_t>(total_ - std::min(total_, kIndent), 20);
    std::string text;
    for (size_t at = 0; at < note.size();) {
      size_t end = note.size();
      if (end - at > room) {
        end = note.rfind(' ', at + room);
        if (end == std::string::npos || end <= at) end = std::min(note.find(' ', at + room), note.size());
      }
      text += std::string(kIndent, ' ') + note.substr(at, end - at) + "\n";
      at = end + (end < note.size() ? 1 : 0);
    }
    return text;
  }

  const std::vector<TextColumn>& columns_;
  size_t total_;
  std::vector<size_t> widths_;
  std::vector<bool> shown_;
  bool apart_ = false;
  size_t name_width_ = std::string("kernel").size();
  std::map<std::string, std::string> names_;
};

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
                       const std::string& note_title, const View& view) {
  if (rows.empty()) return {};
  const Layout layout(columns, rows, view);
  std::vector<std::string> titles;
  titles.reserve(columns.size());
  for (const TextColumn& column : columns) titles.push_back(column.title);
  const bool notes =
      std::any_of(rows.begin(), rows.end(), [](const TextRow& row) { return !row.note.empty(); });
  std::string text = layout.line("kernel", titles, notes ? note_title : "");
  for (const TextRow& row : rows) text += layout.line(layout.short_name(row.name), row.cells, row.note);
  if (const std::string hidden = layout.hidden(); !hidden.empty())
    text += fmt::format("(no room at {} columns for: {})\n", view.columns, hidden);
  return text;
}

size_t output_columns() {
  constexpr size_t kUnknown = 200;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const unsigned long given = columns != nullptr ? std::strtoul(columns, nullptr, 10) : 0;
  return given >= 40 && given <= 10'000 ? given : kUnknown;
}

}  // namespace kreplay::cli
