// The comparison for a merge request.
#include "harness/report/formats/markdown.h"

#include <fmt/format.h>

#include "harness/report/compare/formats.h"

namespace gridlock::report {
namespace {

std::string table_of(const std::vector<Row>& rows, const std::vector<std::string>& sessions) {
  std::string text = "|  |";
  std::string line = "|---|";
  for (const std::string& session : sessions) {
    text += fmt::format(" {} |", cell(session));
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const Row& row : rows) {
    const std::string name = cell(row.name);
    text += row.differs ? fmt::format("| **{}** |", name) : fmt::format("| {} |", name);
    for (const std::string& each : row.cells) text += fmt::format(" {} |", cell(each));
    text += "\n";
  }
  return text;
}

std::string changes_table(const Changes& changes, const Noise& noise) {
  std::string text;
  if (!changes.all.empty()) text = "| change | variant | ranks | what |\n|---|---|---|---|\n";
  for (const Change& change : changes.all) {
    const std::string kind(to_string(change.kind));
    text +=
        fmt::format("| {} | {} | {} | {} |\n", is_worse(change.kind) ? "**" + kind + "**" : kind,
                    cell(change.name), change.ranks, cell(what_changed(change)));
  }
  return text + (text.empty() ? "" : "\n") + sums_of(changes, noise) + ".\n";
}

}  // namespace

std::string to_markdown(const Comparison& comparison) {
  const auto& [sessions, changes, noise, all_rows, in_steps] = comparison;
  std::string text = "# Comparison\n\n" + table_of(sessions.contexts, sessions.sessions);
  if (comparison.is_matrix() || all_rows) {
    text += "\n## Verdicts\n\n" + table_of(shown(sessions.verdicts, all_rows), sessions.sessions);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += fmt::format("\n## {} against {}\n\n{}", cell(comparison.fresh_of(i)),
                        cell(comparison.base_of(i)), changes_table(changes[i], noise));
  }
  return text;
}

}  // namespace gridlock::report
