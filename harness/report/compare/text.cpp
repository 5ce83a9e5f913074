// The comparison for a terminal, and the sentences that all formats share.
#include "harness/report/formats/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/compare/formats.h"

namespace gridlock::report {
namespace {

std::string rows_text(const std::vector<Row>& rows, const std::vector<std::string>& sessions) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{} {}\n", row.differs ? "!" : " ", row.name);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0 && !row.differs) break;
      text += fmt::format("      {}: {}\n", row.differs ? sessions[i] : std::string("all"),
                          row.cells[i].empty() ? "-" : row.cells[i]);
    }
  }
  return text;
}

std::string changes_text(const Changes& changes, const Noise& noise) {
  std::string text;
  for (const Change& change : changes.all) {
    text += fmt::format("{} {}: {} ({} {})\n      {}\n", is_worse(change.kind) ? "WORSE" : "     ",
                        to_string(change.kind), change.name, change.ranks,
                        change.ranks == 1 ? "rank" : "ranks", what_changed(change));
  }
  return text + wrapped(sums_of(changes, noise), kReportColumns);
}

}  // namespace

bool Comparison::got_worse() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Changes& each) { return each.got_worse(); });
}

std::string what_changed(const Change& change) {
  if (!change.moved) {
    return fmt::format("{} -> {}", change.before.empty() ? "not there" : change.before,
                       change.after.empty() ? "not there" : change.after);
  }
  const Moved& moved = *change.moved;
  const std::string ratio =
      moved.before > 0 ? fmt::format(", {:.2f}x", moved.after / moved.before) : "";
  return fmt::format("{}: {} -> {}{} (p {:.2g}, greater in {:.0f} % of pairs, n {} and {})",
                     change.figure, three_digits(moved.before), three_digits(moved.after), ratio,
                     moved.p, 100 * moved.greater, moved.count_before, moved.count_after);
}

std::string sums_of(const Changes& changes, const Noise& noise) {
  const auto worse = std::count_if(changes.all.begin(), changes.all.end(),
                                   [](const Change& each) { return is_worse(each.kind); });
  std::string text = fmt::format(
      "{} {}, {} for the worse; {} {} in both sessions, {} times and costs compared",
      changes.all.size(), changes.all.size() == 1 ? "change" : "changes", worse, changes.variants,
      changes.variants == 1 ? "variant" : "variants", changes.figures);
  if (changes.figures > 0) {
    text += fmt::format(" (moved by more than {:.0f} %, Mann-Whitney p below {:g})",
                        100 * noise.threshold, noise.p);
  }
  if (changes.too_few > 0) {
    text += fmt::format("; {} not, because fewer than {} repetitions say nothing: use --repeat",
                        changes.too_few, noise.repetitions);
  }
  return text;
}

std::vector<Row> shown(const std::vector<Row>& rows, bool all) {
  std::vector<Row> some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some),
               [&](const Row& row) { return all || row.differs; });
  return some;
}

std::string to_text(const Comparison& comparison) {
  const auto& [sessions, changes, noise, all_rows, in_steps] = comparison;
  std::string text = "What the sessions ran on (! differs)\n";
  text += rows_text(sessions.contexts, sessions.sessions);
  if (comparison.is_matrix() || all_rows) {
    text += "\nVerdicts (! differs)\n";
    text += rows_text(shown(sessions.verdicts, all_rows), sessions.sessions);
  }
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += fmt::format("\n{} against {}\n{}", comparison.fresh_of(i), comparison.base_of(i),
                        changes_text(changes[i], noise));
  }
  return text;
}

}  // namespace gridlock::report
