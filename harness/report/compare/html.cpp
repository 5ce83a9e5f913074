// Tables, with colors for light and dark screens.
#include "harness/report/html.h"

#include <fmt/format.h>

#include "harness/report/compare/formats.h"

namespace gridlock::report {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Gridlock: comparison</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.4 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 80rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8888; padding: .25rem .75rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
tr.differs th::before { content: "\2260  "; }
tr.worse { background: #d3313122; }
tr.worse td:first-child { font-weight: bold; }
</style>
</head>
<body>
<h1>Comparison</h1>
)";

std::string table_of(const char* caption, const std::vector<Row>& rows,
                     const std::vector<std::string>& sessions) {
  std::string html = fmt::format("<table>\n<caption>{}</caption>\n<thead><tr><td></td>", caption);
  for (const std::string& session : sessions) {
    html += fmt::format("<th scope=\"col\">{}</th>", escape_html(session));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const Row& row : rows) {
    html += fmt::format("<tr{}><th scope=\"row\">{}</th>", row.differs ? " class=\"differs\"" : "",
                        escape_html(row.name));
    for (const std::string& cell : row.cells) {
      html += fmt::format("<td>{}</td>", cell.empty() ? "–" : escape_html(cell));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n";
}

std::string changes_of(const Changes& changes, const Noise& noise) {
  std::string html;
  if (!changes.all.empty()) {
    html +=
        "<table>\n<thead><tr><th scope=\"col\">change</th><th scope=\"col\">variant</th>"
        "<th scope=\"col\">ranks</th><th scope=\"col\">what</th></tr></thead>\n<tbody>\n";
    for (const Change& change : changes.all) {
      html +=
          fmt::format("<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                      is_worse(change.kind) ? " class=\"worse\"" : "", to_string(change.kind),
                      escape_html(change.name), change.ranks, escape_html(what_changed(change)));
    }
    html += "</tbody>\n</table>\n";
  }
  return html + fmt::format("<p>{}.</p>\n", escape_html(sums_of(changes, noise)));
}

}  // namespace

std::string to_html(const Comparison& comparison) {
  const auto& [sessions, changes, noise, all_rows, in_steps] = comparison;
  std::string html = kHead;
  html += table_of("What the sessions ran on", sessions.contexts, sessions.sessions);
  if (comparison.is_matrix() || all_rows) {
    html += table_of("Verdicts", shown(sessions.verdicts, all_rows), sessions.sessions);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    html += fmt::format("<h2>{} against {}</h2>\n{}", escape_html(comparison.fresh_of(i)),
                        escape_html(comparison.base_of(i)), changes_of(changes[i], noise));
  }
  return html + "</body>\n</html>\n";
}

}  // namespace gridlock::report
