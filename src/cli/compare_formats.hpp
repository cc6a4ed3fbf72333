// A comparison as text: for people, for programs, for CI systems. Formats for people show what they are asked
// to (cli/show.hpp); those for programs hold every row.
#pragma once

#include <string>

#include "cli/show.hpp"

namespace kreplay::cli {

/// For a terminal.
std::string comparison_table(const Comparison& comparison, const Policy& policy, const Show& show = {});
/// GitHub-flavoured Markdown: a headline and a table; for pull requests and job summaries. At most
/// Show::most_characters; what does not fit is counted.
std::string comparison_markdown(const Comparison& comparison, const Policy& policy, const Show& show = {});
/// One JSON object (docs/results.md).
std::string comparison_json(const Comparison& comparison, const Policy& policy, const Show& show = {});
/// JUnit XML: a test case per row; regressions are failures, doubts are errors, ignored rows are skipped.
std::string comparison_junit(const Comparison& comparison, const Policy& policy, const Show& show = {});
/// Workflow commands of GitHub Actions: the verdict first, since GitHub shows ten of a kind, then
/// regressions, doubts and changes of the code.
std::string comparison_github(const Comparison& comparison, const Policy& policy, const Show& show = {});

// Pieces that formats share.

/// "kreplay: regression: why (1 regression, 3 ok; limits: 5 % and 1.00 us)"
std::string headline(const Comparison& comparison, const Policy& policy);
/// "+10.0 % (+8.9..+11.2 %), 100 us to 110 us"; for rows of one side the one time.
std::string change_text(const Row& row);
/// A test could be made, so there are an interval and a q.
bool has_test(const Row& row);
/// What a fact of the code has become, and what is to be said of that.
std::string fresh_text(const FactChange& change);
/// "+10.0 %"
std::string percent_text(double ratio);

}  // namespace kreplay::cli
