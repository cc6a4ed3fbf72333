// The structure of a demangled name: text, and brackets with arguments, which nest.
#pragma once

#include <string>
#include <vector>

namespace kreplay::report {

struct NameItem;

/// A name, or one argument.
struct NameTree {
  std::vector<NameItem> items;
};

struct NameItem {
  std::string text;  ///< of an item without brackets
  char open = 0;     ///< '<', '(', '[' or '{'; 0 without brackets
  std::vector<NameTree> arguments;
};

/// A name whose brackets do not match is one text.
NameTree parse_name(const std::string& name);

/// As it was written.
std::string text_of(const NameTree& tree);

/// A part of an abbreviated name.
struct NamePiece {
  std::string text;
  bool differs = false;  ///< tells this name from others
};

/// Names of one function, each without the arguments that all of them share.
/// @param names of equal structure outside of their brackets
std::vector<std::vector<NamePiece>> abbreviate(const std::vector<NameTree>& names);

/// Equal for names that can be abbreviated together: what is outside of brackets.
std::string skeleton_of(const NameTree& tree);

}  // namespace kreplay::report
