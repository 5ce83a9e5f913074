// Writes answers as lines that fit a terminal, and as a table.
#include "harness/claims/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/report/formats/markdown.h"
#include "harness/report/formats/text.h"

namespace gridlock::claims {
namespace {

constexpr std::size_t kIndent = 5;

std::string answer_of(const Decided& decided) {
  std::string text(to_string(decided.answer.kind));
  if (decided.as_predicted) {
    text += *decided.as_predicted
                ? " (as predicted)"
                : fmt::format(" (DIFFERS: predicted {})", to_string(decided.claim->predicted));
  }
  return text;
}

std::string run_text(const report::Group& group) {
  std::string text = fmt::format("{}, {} {}: {}", group.name, group.ranks,
                                 group.ranks == 1 ? "rank" : "ranks", verdicts_text(group));
  if (group.runs.size() > 1) text += fmt::format(", {} runs", group.runs.size());
  if (as_declared(group) < judged(group)) text += ", not as declared";
  return text;
}

std::string field(const char* name, const std::string& text, std::size_t columns) {
  constexpr std::size_t kName = 7;
  return std::string(kIndent, ' ') + report::padded(name, kName) +
         report::wrapped(text, columns, kIndent + kName);
}

}  // namespace

std::string count_text(const std::vector<Decided>& decided) {
  std::string text =
      fmt::format("{} {}: ", decided.size(), decided.size() == 1 ? "claim" : "claims");
  for (const Kind kind :
       {Kind::confirmed, Kind::refuted, Kind::only_if, Kind::needs_gpu, Kind::undecided}) {
    const auto count = std::count_if(decided.begin(), decided.end(),
                                     [&](const Decided& each) { return each.answer.kind == kind; });
    if (kind != Kind::confirmed) text += ", ";
    text +=
        fmt::format("{} {}", count, kind == Kind::only_if ? "with a condition" : to_string(kind));
  }
  const auto differing = std::count_if(decided.begin(), decided.end(), [](const Decided& each) {
    return !each.as_predicted.value_or(true);
  });
  return text + fmt::format("; {} not as predicted", differing);
}

std::string to_text(const std::vector<Decided>& decided, std::size_t columns) {
  std::string text;
  for (const Decided& each : decided) {
    text += report::padded(each.claim->id, kIndent) + answer_of(each) + "\n";
    text += field("says", std::string(each.claim->says), columns);
    text += field("found", each.answer.found, columns);
    bool first = true;
    for (const report::Group& group : each.shown_by) {
      text += field(first ? "runs" : "", run_text(group), columns);
      first = false;
    }
  }
  return text + "\n" + report::wrapped(count_text(decided), columns);
}

std::string to_markdown(const std::vector<Decided>& decided) {
  std::string text = "| id | the note says | answer | found | shown by |\n|---|---|---|---|---|\n";
  for (const Decided& each : decided) {
    std::string runs;
    for (const report::Group& group : each.shown_by) {
      runs += fmt::format("{}`{}` {} ({})", runs.empty() ? "" : "<br>", group.name,
                          verdicts_text(group), group.ranks);
    }
    text +=
        fmt::format("| {} | {} | {}**{}** | {} | {} |\n", each.claim->id,
                    report::cell(each.claim->says), each.as_predicted.value_or(true) ? "" : "≠ ",
                    to_string(each.answer.kind), report::cell(each.answer.found), runs);
  }
  return text + fmt::format(
                    "\n{}. ≠: not what was predicted before measuring. In brackets: "
                    "number of ranks.\n",
                    count_text(decided));
}

}  // namespace gridlock::claims
