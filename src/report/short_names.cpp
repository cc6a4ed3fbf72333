#include "report/short_names.hpp"

#include <algorithm>
#include <vector>

#include "report/name_tree.hpp"

namespace kreplay::report {
namespace {

constexpr size_t kLeastPiece = 8;  ///< what is left of a piece that is cut
constexpr size_t kLeastColumns = 12;

using Names = std::vector<std::string>;

/// Position after the matched "(...)" that ends `name`, or npos: where the parameter list begins.
size_t parameter_list(const std::string& name) {
  if (name.empty() || name.back() != ')') return std::string::npos;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return std::string::npos;
}

std::string without_clone(std::string name) {
  const size_t clone = name.find(" [clone ");
  if (clone != std::string::npos) name.resize(clone);
  return name;
}

std::string without_parameters(const std::string& demangled) {
  std::string name = without_clone(demangled);
  const size_t list = parameter_list(name);
  if (list == std::string::npos || list == 0) return name;
  name.resize(list);
  // Only functions with template arguments carry their return type in a demangled name.
  if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
  return name;
}

/// Each as `shorten` has it where that is its alone, else as it is.
template <typename Shorten>
Names where_unique(const Names& full, const Names& now, Shorten shorten) {
  std::map<std::string, size_t> uses;
  for (const std::string& name : full) ++uses[shorten(name)];
  for (const std::string& name : now) ++uses[name];  // kept as they are, maybe
  Names out = now;
  for (size_t i = 0; i < full.size(); ++i)
    if (std::string brief = shorten(full[i]); uses[brief] == 1 || brief == now[i]) out[i] = std::move(brief);
  return out;
}

std::string joined(const std::vector<NamePiece>& pieces) {
  std::string text;
  for (const NamePiece& piece : pieces) text += piece.text;
  return text;
}

/// Leaves out the namespaces that a name begins with.
void drop_namespaces(std::string* text) {
  const size_t end = std::min(text->find_first_of("<({"), text->size());
  const size_t last = text->rfind("::", end);
  if (last != std::string::npos && last + 2 < end) text->replace(0, last + 2, "..");
}

/// The function, cut as need be, and nothing but what differs: "gemm<128, float>". Empty where that is too
/// long.
std::string compact(const std::vector<NamePiece>& pieces, size_t columns) {
  constexpr size_t kLeastHead = 6;
  std::string head = pieces.front().differs ? "" : pieces.front().text;
  head.resize(std::min(head.find_first_of("<({"), head.size()));
  if (head.compare(0, 2, "..") == 0) head.erase(0, 2);
  std::string list;
  for (const NamePiece& piece : pieces)
    if (piece.differs)
      list += (list.empty() ? "" : ",") + piece.text.substr(piece.text.find_first_not_of(' '));
  if (head.empty() || list.empty() || list.size() + 2 + std::min(head.size(), kLeastHead) > columns)
    return {};
  return cut_middle(head, columns - list.size() - 2) + "<" + list + ">";
}

/// Cuts text that tells nothing first.
std::string fit(std::vector<NamePiece> pieces, size_t columns) {
  if (joined(pieces).size() > columns && !pieces.front().differs) drop_namespaces(&pieces.front().text);
  if (joined(pieces).size() > columns)
    if (std::string brief = compact(pieces, columns); !brief.empty()) return brief;
  for (const bool differs : {false, true}) {
    for (;;) {
      const size_t length = joined(pieces).size();
      if (length <= columns) return joined(pieces);
      NamePiece* longest = nullptr;
      for (NamePiece& piece : pieces)
        if (piece.differs == differs && piece.text.size() > kLeastPiece &&
            (longest == nullptr || piece.text.size() > longest->text.size()))
          longest = &piece;
      if (longest == nullptr) break;
      const size_t size = longest->text.size();
      longest->text =
          cut_middle(longest->text, std::max(kLeastPiece, size - std::min(size, length - columns)));
    }
  }
  return cut_middle(joined(pieces), columns);
}

/// Names that are too long, abbreviated next to the others of their function.
Names abbreviated(const Names& names, size_t columns) {
  std::map<std::string, std::vector<size_t>> functions;
  std::vector<NameTree> trees;
  trees.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    trees.push_back(parse_name(names[i]));
    functions[skeleton_of(trees.back())].push_back(i);
  }
  Names out = names;
  for (const auto& [skeleton, members] : functions) {
    const bool fits =
        std::all_of(members.begin(), members.end(), [&](size_t i) { return names[i].size() <= columns; });
    if (fits) continue;
    std::vector<NameTree> group;
    group.reserve(members.size());
    for (const size_t i : members) group.push_back(trees[i]);
    const auto pieces = abbreviate(group);
    for (size_t k = 0; k < members.size(); ++k)
      if (names[members[k]].size() > columns) out[members[k]] = fit(pieces[k], columns);
  }
  return out;
}

size_t common_prefix(const Names& names) {
  size_t length = names.front().size();
  for (const std::string& name : names)
    length = static_cast<size_t>(
        std::mismatch(name.begin(), name.begin() + static_cast<long>(std::min(length, name.size())),
                      names.front().begin())
            .first -
        name.begin());
  return length;
}

size_t common_suffix(const Names& names, size_t prefix) {
  Names reversed;
  size_t least = SIZE_MAX;
  for (const std::string& name : names) {
    reversed.emplace_back(name.rbegin(), name.rend());
    least = std::min(least, name.size() - prefix);
  }
  return std::min(least, common_prefix(reversed));
}

/// "head..what differs..tail"; empty when what differs is too long.
std::string around_difference(const std::string& name, size_t prefix, size_t suffix, size_t columns) {
  const size_t middle = name.size() - prefix - suffix;
  if (middle + kLeastPiece > columns) return {};
  const size_t rest = columns - middle;
  const size_t tail = std::min(suffix, rest / 3);
  const std::string end =
      suffix <= tail
          ? name.substr(prefix)
          : name.substr(prefix, middle) + cut_middle(name.substr(prefix + middle), std::max<size_t>(tail, 5));
  if (end.size() + 5 > columns) return {};
  return cut_middle(name.substr(0, prefix), columns - end.size()) + end;
}

/// Makes texts that are alike different.
void separate(const Names& full, size_t columns, Names* texts) {
  std::map<std::string, std::vector<size_t>> alike;
  for (size_t i = 0; i < texts->size(); ++i) alike[(*texts)[i]].push_back(i);
  std::set<std::string> taken;
  for (const auto& [text, members] : alike)
    if (members.size() == 1) taken.insert(text);
  for (const auto& [text, members] : alike) {
    if (members.size() == 1) continue;
    Names group;
    for (const size_t i : members) group.push_back(full[i]);
    const size_t prefix = common_prefix(group);
    const size_t suffix = common_suffix(group, prefix);
    size_t number = 1;
    for (const size_t i : members) {
      std::string unique = around_difference(full[i], prefix, suffix, columns);
      while (unique.empty() || unique.size() > columns || taken.count(unique) != 0) {
        const std::string mark = "#" + std::to_string(number++);
        unique = cut_middle(text, columns - mark.size()) + mark;
      }
      taken.insert(unique);
      (*texts)[i] = unique;
    }
  }
}

}  // namespace

std::string cut_middle(const std::string& text, size_t columns) {
  if (text.size() <= columns || columns < 5) return text;
  const size_t head = (columns - 2) * 2 / 3;
  size_t first = head;
  size_t last = text.size() - (columns - 2 - head);
  const auto inside = [&](size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  while (first > 0 && inside(first)) --first;  // not within a UTF-8 sequence
  while (inside(last)) ++last;
  return text.substr(0, first) + ".." + text.substr(last);
}

std::map<std::string, std::string> short_names(const std::set<std::string>& names, size_t columns) {
  const Names full(names.begin(), names.end());
  Names texts = full;
  if (columns != 0) {
    columns = std::max(columns, kLeastColumns);
    texts = where_unique(full, texts, without_clone);
    texts = where_unique(full, texts, without_parameters);
    const Names whole = texts;
    texts = abbreviated(texts, columns);
    separate(whole, columns, &texts);
  }
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < full.size(); ++i) out.emplace(full[i], texts[i]);
  return out;
}

std::string short_name(const std::string& demangled, size_t columns) {
  return cut_middle(short_names({demangled}, std::max(columns, kLeastColumns)).begin()->second, columns);
}

}  // namespace kreplay::report
