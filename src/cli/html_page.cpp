#include "cli/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/markup.hpp"

namespace kreplay::cli {
namespace {

constexpr const char* kBeforeTitle = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>)html";

constexpr const char* kStyle = R"html(</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --dim: #57606a; --paper: #fff; --raised: #f6f8fa; --pale: #d8dee4;
        --a: #2f6fbb; --b: #b3541e; --bad: #b3261e; --good: #1a7f37; --doubt: #8a6100; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --dim: #9aa5b1; --paper: #0d1117; --raised: #161b22; --pale: #30363d; --a: #6cb0f5;
          --b: #f0a35e; --bad: #ff8c82; --good: #56d374; --doubt: #e3b341; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 90rem;
       margin: 0 auto; padding: 1rem clamp(.8rem, 3vw, 2rem) 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: .3rem 0 .8rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: .9rem; margin: 0 0 .3rem; font-weight: 600; }
code { font: .88em/1.4 ui-monospace, monospace; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .6rem 0; font-size: .9rem; }
.tools input, .tools select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--dim);
       border-radius: 4px; padding: .2rem .5rem; max-width: 100%; }
.tools output { color: var(--dim); }
.scroll { overflow-x: auto; border: 1px solid var(--pale); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .88rem;
        font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--pale); text-align: right; white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
th { background: var(--raised); }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper);
        min-width: 9rem; white-space: normal; overflow-wrap: anywhere; }
th:first-child { background: var(--raised); }
td.text, th[data-text] { text-align: left; } td.text { white-space: normal; min-width: 8rem; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible, input:focus-visible, select:focus-visible, .scroll:focus-visible, summary:focus-visible {
        outline: 2px solid var(--a); outline-offset: 1px; }
th button::after { content: " \25b4\25be"; color: var(--dim); font-size: .7em; }
th[aria-sort=descending] button::after { content: " \25be"; } th[aria-sort=ascending] button::after { content: " \25b4"; }
tr.regression td:first-child { border-left: 4px solid var(--bad); }
tr.improvement td:first-child { border-left: 4px solid var(--good); }
tr.inconclusive td:first-child, tr.removed td:first-child, tr.added td:first-child { border-left: 4px solid var(--doubt); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 38rem), 1fr)); gap: 1rem; }
.card { border: 1px solid var(--pale); border-radius: 6px; padding: .7rem .9rem; min-width: 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 16rem), 1fr)); gap: .5rem 1rem; }
figure { margin: 0; min-width: 0; } figcaption { font-size: .82rem; color: var(--dim); }
summary { cursor: pointer; font-size: .82rem; color: var(--dim); } details code { display: block; }
svg { display: block; width: 100%; height: auto; max-width: 30rem; font-size: 11px; }
svg text { fill: var(--ink); } svg text.dim { fill: var(--dim); }
.series0 { fill: var(--a); } .series1 { fill: var(--b); }
.area0 { fill: var(--a); fill-opacity: .45; stroke: var(--a); } .area1 { fill: var(--b); fill-opacity: .4; stroke: var(--b); }
.line0 { fill: none; stroke: var(--a); stroke-opacity: .5; } .line1 { fill: none; stroke: var(--b); stroke-opacity: .5; }
.axis { stroke: var(--dim); } .grid { stroke: var(--pale); } .step { stroke: var(--bad); stroke-dasharray: 4 3; }
.border { stroke: var(--dim); stroke-dasharray: 1 3; }
.note { border-left: 4px solid var(--b); padding-left: .8rem; }
.verdict { font-size: 1.05rem; font-weight: 600; }
@media (min-width: 40rem) { td:first-child { min-width: 14rem; } }
@media (max-width: 58rem) { .minor { display: none; } }
@media (max-width: 40rem) { th, td { padding: .3rem .4rem; } }
@media print { .tools { display: none; } .scroll { overflow: visible; } }
</style>
</head>
<body>
)html";

constexpr const char* kTail = R"html(<script>
for (const box of document.querySelectorAll(".sorted")) {
  const table = box.querySelector("table"), body = table.tBodies[0];
  const key = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  for (const button of table.querySelectorAll("th button")) {
    button.addEventListener("click", () => {
      const head = button.closest("th"), column = head.cellIndex;
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => {
        const x = key(a, column), y = key(b, column);
        return x === "" || y === "" || isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
      };
      body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
    });
  }
  const input = box.querySelector("input"), select = box.querySelector("select"), output = box.querySelector("output");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
    let shown = 0;
    for (const row of body.rows) {
      const text = (row.textContent + " " + (row.dataset.filter ?? "")).toLowerCase();
      row.hidden = !words.every(word => text.includes(word)) ||
                   Boolean(select && select.value && row.dataset.category !== select.value);
      if (!row.hidden) ++shown;
    }
    output.textContent = shown + " of " + body.rows.length + " rows";
  };
  input.addEventListener("input", show);
  if (select) select.addEventListener("change", show);
  box.querySelector(".tools").hidden = false;
  show();
}
document.documentElement.dataset.ready = "yes";
</script>
</body>
</html>
)html";

const char* class_of(bool minor) { return minor ? " class=\"minor\"" : ""; }

/// The selection of a category, where there are several.
std::string category_choice(const std::vector<HtmlRow>& rows) {
  std::set<std::string> categories;
  for (const HtmlRow& row : rows) categories.insert(row.category);
  if (categories.size() < 2) return {};
  std::string out = "<label>status <select><option value=\"\">all</option>";
  for (const std::string& one : categories)
    out += fmt::format("<option value=\"{0}\">{0}</option>", escape_markup(one));
  return out + "</select></label> ";
}

}  // namespace

std::string page_head(const std::string& title) {
  return kBeforeTitle + escape_markup(title) + kStyle + "<h1>" + escape_markup(title) + "</h1>\n";
}

std::string page_tail() { return kTail; }

std::string page_heading(const std::string& text) { return "<h2>" + escape_markup(text) + "</h2>\n"; }

std::string page_note(const std::string& text) {
  return "<p class=\"note\">" + escape_markup(text) + "</p>\n";
}

std::string html_table(const std::string& label, const std::vector<HtmlColumn>& columns,
                       const std::vector<HtmlRow>& rows) {
  const std::string name = escape_markup(label);
  std::string out =
      "<div class=\"sorted\"><div class=\"tools\" hidden><label>filter <input type=\"search\"></label> " +
      category_choice(rows) + "<output aria-live=\"polite\"></output></div>\n";
  out += fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table aria-label=\"{0}\">"
      "<thead><tr>",
      name);
  for (const HtmlColumn& column : columns) {
    out += fmt::format("<th scope=\"col\"{}{}><button type=\"button\">{}</button></th>",
                       class_of(column.minor), column.text ? " data-text" : "", escape_markup(column.title));
  }
  out += "</tr></thead><tbody>\n";
  for (const HtmlRow& row : rows) {
    out += "<tr";
    if (!row.category.empty())
      out += fmt::format(R"( class="{0}" data-category="{0}")", escape_markup(row.category));
    if (!row.filter.empty()) out += fmt::format(R"( data-filter="{}")", escape_markup(row.filter));
    out += ">" + row.cells + "</tr>\n";
  }
  return out + "</tbody></table></div></div>\n";
}

std::string name_cell(const std::string& brief, const std::string& full) {
  return fmt::format("<td><code title=\"{}\">{}</code></td>", escape_markup(full), escape_markup(brief));
}

std::string text_cell(const std::string& text, bool minor) {
  return fmt::format("<td class=\"text{}\">{}</td>", minor ? " minor" : "", escape_markup(text));
}

std::string value_cell(double value, const std::string& text, bool minor) {
  return fmt::format("<td{} data-value=\"{}\">{}</td>", class_of(minor), value, escape_markup(text));
}

std::string html_figure(const std::string& kind, const std::string& caption, const std::string& picture) {
  return fmt::format("<figure class=\"{}\"><figcaption>{}</figcaption>{}</figure>\n", kind,
                     escape_markup(caption), picture);
}

std::string html_card(const std::string& brief, const std::string& full, const std::string& content) {
  std::string whole;
  if (brief != full)
    whole = "<details><summary>full name</summary><code>" + escape_markup(full) + "</code></details>\n";
  return "<section class=\"card\"><h3><code>" + escape_markup(brief) + "</code></h3>\n" + whole +
         "<div class=\"pictures\">\n" + content + "</div></section>\n";
}

std::string html_cards(const std::string& cards) { return "<div class=\"cards\">\n" + cards + "</div>\n"; }

}  // namespace kreplay::cli
