#include "report/name_tree.hpp"

#include <algorithm>
#include <cstring>

namespace kreplay::report {
namespace {

constexpr const char* kOpening = "<([{";
constexpr const char* kClosing = ">)]}";

char closing_of(char open) { return kClosing[std::strchr(kOpening, open) - kOpening]; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Length of "operator<<", "operator()" and the like at `at`, whose brackets are no brackets; else 0.
size_t operator_name(const std::string& name, size_t at) {
  constexpr const char* kWord = "operator";
  const size_t length = std::strlen(kWord);
  if (name.compare(at, length, kWord) != 0 || (at > 0 && is_word(name[at - 1]))) return 0;
  for (const char* symbols : {"<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"})
    if (name.compare(at + length, std::strlen(symbols), symbols) == 0) return length + std::strlen(symbols);
  return 0;
}

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  /// Up to `close` or a comma, or to the end of the name for close == 0.
  NameTree tree(char close) {
    NameTree out;
    while (at_ < name_.size() && good_) {
      const char c = name_[at_];
      if (close != 0 && (c == close || c == ',')) return out;
      if (const size_t length = operator_name(name_, at_); length != 0) {
        text(out).append(name_, at_, length);
        at_ += length;
      } else if (name_.compare(at_, 2, "->") == 0) {
        text(out) += "->";
        at_ += 2;
      } else if (std::strchr(kOpening, c) != nullptr) {
        out.items.push_back(brackets());
      } else {
        if (std::strchr(kClosing, c) != nullptr) good_ = false;
        text(out) += c;
        ++at_;
      }
    }
    if (close != 0) good_ = false;
    return out;
  }

  bool good() const { return good_; }

 private:
  static std::string& text(NameTree& tree) {
    if (tree.items.empty() || tree.items.back().open != 0) tree.items.emplace_back();
    return tree.items.back().text;
  }

  NameItem brackets() {
    NameItem item;
    item.open = name_[at_++];
    const char close = closing_of(item.open);
    for (;;) {
      item.arguments.push_back(tree(close));
      if (!good_ || at_ >= name_.size()) {
        good_ = false;
        return item;
      }
      if (name_[at_++] == close) return item;
    }
  }

  const std::string& name_;
  size_t at_ = 0;
  bool good_ = true;
};

void append(const NameTree& tree, std::string* out);

void append(const NameItem& item, std::string* out) {
  if (item.open == 0) {
    *out += item.text;
    return;
  }
  *out += item.open;
  for (size_t i = 0; i < item.arguments.size(); ++i) {
    if (i != 0) *out += ',';
    append(item.arguments[i], out);
  }
  *out += closing_of(item.open);
}

void append(const NameTree& tree, std::string* out) {
  for (const NameItem& item : tree.items) append(item, out);
}

using Trees = std::vector<const NameTree*>;
using Items = std::vector<const NameItem*>;

/// Writes the names of one group side by side.
class Abbreviator {
 public:
  explicit Abbreviator(size_t names) : out_(names) {}

  void trees(const Trees& all) {
    const std::string skeleton = skeleton_of(*all.front());
    for (const NameTree* one : all) {
      if (skeleton_of(*one) == skeleton) continue;
      for (size_t i = 0; i < all.size(); ++i) put(i, text_of(*all[i]), true);
      return;
    }
    for (size_t k = 0; k < all.front()->items.size(); ++k) {
      Items column;
      for (const NameTree* one : all) column.push_back(&one->items[k]);
      items(column, k + 1 == all.front()->items.size());
    }
  }

  std::vector<std::vector<NamePiece>> take() { return std::move(out_); }

 private:
  void put(size_t name, const std::string& text, bool differs) {
    if (!out_[name].empty() && out_[name].back().differs == differs)
      out_[name].back().text += text;
    else
      out_[name].push_back({text, differs});
  }
  void put_all(const std::string& text) {
    for (size_t i = 0; i < out_.size(); ++i) put(i, text, false);
  }

  void items(const Items& all, bool last) {
    const NameItem& first = *all.front();
    if (first.open == 0) {
      put_all(first.text);  // equal in all: it is part of the skeleton
      return;
    }
    // "(anonymous namespace)" and the like say what a name is; a list of parameters at the end does not.
    const bool arguments = first.open == '<' || (first.open == '(' && last);
    if (!arguments && equal(all)) {
      std::string text;
      append(first, &text);
      put_all(text);
      return;
    }
    put_all(std::string(1, first.open));
    lists(all);
    put_all(std::string(1, closing_of(first.open)));
  }

  static bool equal(const Items& all) {
    std::string first;
    append(*all.front(), &first);
    return std::all_of(all.begin(), all.end(), [&first](const NameItem* item) {
      std::string text;
      append(*item, &text);
      return text == first;
    });
  }

  /// Argument `from_front` of each, or counted from the back.
  static bool same_argument(const Items& all, size_t place, bool from_front) {
    const auto text = [&](const NameItem* item) {
      const auto& list = item->arguments;
      return text_of(list[from_front ? place : list.size() - 1 - place]);
    };
    return std::all_of(all.begin(), all.end(),
                       [&](const NameItem* item) { return text(item) == text(all.front()); });
  }

  void lists(const Items& all) {
    size_t least = all.front()->arguments.size();
    size_t most = least;
    for (const NameItem* item : all) {
      least = std::min(least, item->arguments.size());
      most = std::max(most, item->arguments.size());
    }
    if (least != most) {
      lists_of_other_lengths(all, least);
      return;
    }
    bool elided = false;
    for (size_t k = 0; k < most; ++k) {
      if (same_argument(all, k, true)) {
        if (!elided) put_all(k == 0 ? ".." : ",..");
        elided = true;
        continue;
      }
      if (k != 0) put_all(",");
      elided = false;
      Trees column;
      for (const NameItem* item : all) column.push_back(&item->arguments[k]);
      trees(column);
    }
  }

  void lists_of_other_lengths(const Items& all, size_t least) {
    size_t front = 0;
    while (front < least && same_argument(all, front, true)) ++front;
    size_t back = 0;
    while (front + back < least && same_argument(all, back, false)) ++back;
    if (front != 0) put_all("..");
    for (size_t i = 0; i < all.size(); ++i) {
      std::string middle;
      for (size_t k = front; k + back < all[i]->arguments.size(); ++k) {
        if (k != 0) middle += ",";
        middle += text_of(all[i]->arguments[k]);
      }
      put(i, middle, true);
    }
    if (back != 0) put_all(",..");
  }

  std::vector<std::vector<NamePiece>> out_;
};

}  // namespace

NameTree parse_name(const std::string& name) {
  Parser parser(name);
  NameTree tree = parser.tree(0);
  if (parser.good()) return tree;
  tree.items.assign(1, {name, 0, {}});
  return tree;
}

std::string text_of(const NameTree& tree) {
  std::string text;
  append(tree, &text);
  return text;
}

std::string skeleton_of(const NameTree& tree) {
  std::string skeleton;
  for (const NameItem& item : tree.items) {
    if (item.open == 0)
      skeleton += item.text;
    else
      (skeleton += '\0') += item.open;
  }
  return skeleton;
}

std::vector<std::vector<NamePiece>> abbreviate(const std::vector<NameTree>& names) {
  Trees all;
  all.reserve(names.size());
  for (const NameTree& name : names) all.push_back(&name);
  Abbreviator abbreviator(names.size());
  abbreviator.trees(all);
  return abbreviator.take();
}

}  // namespace kreplay::report
