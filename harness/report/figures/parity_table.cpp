// Parity as text, Markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/figures/parity.h"
#include "harness/report/formats/json_values.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

std::string_view word_of(Agreement agreement) {
  switch (agreement) {
    case Agreement::declared:
      return "declared";
    case Agreement::undeclared:
      return "NOT DECLARED";
    case Agreement::only_own:
    case Agreement::only_real:
      return "one side only";
    case Agreement::same:
      break;
  }
  return "same";
}

bool is_shown(const ParityTable& table, const ParityRow& row) {
  return table.all || row.agreement != Agreement::same;
}

std::string sentence_of(const ParityTable& table) {
  const ParitySummary sums = summarise(table.rows);
  return fmt::format("{} alike, {} differ as declared, {} differ undeclared, {} on one side only\n",
                     sums.same, sums.declared, sums.undeclared, sums.only_one);
}

OrderedJson json_of(const ParityEnd& end) {
  return {{"end", end.end},
          {"where", end.where},
          {"time_to_hang_ms", end.hang_ms},
          {"time_to_detect_ms", end.detect_ms},
          {"nccl_log_lines", end.log_lines}};
}

// Markdown would take a bar for the end of a cell.
std::string cell_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text.empty() ? "-" : text;
}

}  // namespace

std::string parity_text(const ParityTable& table) {
  std::vector<std::vector<std::string>> cells{
      {"variant", "ranks", "parity", table.own, "detect ms", table.real, "detect ms"}};
  for (const ParityRow& row : table.rows) {
    if (!is_shown(table, row)) continue;
    cells.push_back({row.name, std::to_string(row.ranks), std::string(word_of(row.agreement)),
                     row.own.end, row.own.detect_ms, row.real.end, row.real.detect_ms});
  }
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + sentence_of(table);
}

std::string parity_markdown(const ParityTable& table) {
  std::string text = fmt::format(
      "| variant | ranks | parity | on {0} | on {1} | waits on {0} | waits on {1} | "
      "detected, ms | NCCL's log lines |\n|---|---|---|---|---|---|---|---|---|\n",
      table.own, table.real);
  for (const ParityRow& row : table.rows) {
    if (!is_shown(table, row)) continue;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} / {} | {} / {} |\n", cell_of(row.name),
                    row.ranks, word_of(row.agreement), cell_of(row.own.end), cell_of(row.real.end),
                    cell_of(row.own.where), cell_of(row.real.where), row.own.detect_ms,
                    row.real.detect_ms, row.own.log_lines, row.real.log_lines);
  }
  return text + "\n" + sentence_of(table);
}

std::string parity_json(const ParityTable& table) {
  OrderedJson rows = OrderedJson::array();
  for (const ParityRow& row : table.rows) {
    if (!is_shown(table, row)) continue;
    rows.push_back({{"variant", row.name},
                    {"ranks", row.ranks},
                    {"parity", word_of(row.agreement)},
                    {"own", json_of(row.own)},
                    {"real", json_of(row.real)}});
  }
  const ParitySummary sums = summarise(table.rows);
  return file_text(OrderedJson{{"schema", "gridlock.parity/1"},
                               {"own", table.own},
                               {"real", table.real},
                               {"same", sums.same},
                               {"declared", sums.declared},
                               {"undeclared", sums.undeclared},
                               {"one_side_only", sums.only_one},
                               {"rows", rows}});
}

}  // namespace gridlock::report
