// Names of kernels for tables: short, and never two alike. One name alone cannot be shortened well: what may
// go is what all the others have too.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace kreplay::report {

/// By name. Return types and parameter lists go unless they tell overloads apart; where a name is still too
/// long, the template arguments that all names of the same function share become "..", then constant text is
/// cut in its middle, then what differs. Names that would come out alike show the part that differs, or else
/// get a number ("#2"), so equal texts mean equal names.
/// @param columns the longest text, in bytes, at least 12; 0: every name as it is
std::map<std::string, std::string> short_names(const std::set<std::string>& names, size_t columns);

/// One name alone, as short_names() has it.
std::string short_name(const std::string& demangled, size_t columns);

/// Leaves out the middle. UTF-8 sequences stay whole.
std::string cut_middle(const std::string& text, size_t columns);

}  // namespace kreplay::report
