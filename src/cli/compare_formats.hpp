// A comparison as text: for people, for programs, for CI systems. Every format holds every row.
#pragma once

#include <string>

#include "cli/compare.hpp"

namespace kreplay::cli {

/// For a terminal.
std::string comparison_table(const Comparison& comparison, const Policy& policy);
/// GitHub-flavoured Markdown: a headline and a table; for pull requests and job summaries.
std::string comparison_markdown(const Comparison& comparison, const Policy& policy);
/// One JSON object (docs/results.md).
std::string comparison_json(const Comparison& comparison, const Policy& policy);
/// JUnit XML: a test case per row; regressions are failures, doubts are errors, ignored rows are skipped.
std::string comparison_junit(const Comparison& comparison, const Policy& policy);
/// Workflow commands of GitHub Actions: annotations for regressions and doubts, and a notice with the
/// verdict.
std::string comparison_github(const Comparison& comparison, const Policy& policy);

// Pieces that formats share.

/// "kreplay: regression: why (1 regression, 3 ok; limits: 5 % and 1.00 us)"
std::string headline(const Comparison& comparison, const Policy& policy);
/// "+10.0 % (+8.9..+11.2 %), 100 us to 110 us"; for rows of one side the one time.
std::string change_text(const Row& row);
/// "+10.0 %"
std::string percent_text(double ratio);

}  // namespace kreplay::cli
