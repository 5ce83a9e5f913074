// A verdict's groups come first, then faults, cycle and assumptions.
#include "harness/detect/words/verdict_text.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/base/text.h"
#include "harness/detect/verdict/score.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/phrases.h"

namespace gridlock::detect {
namespace {

// A screen has about 24 lines.
constexpr std::size_t kLines = 8;
// The paragraph names at most this many groups; the verdict has all of them.
constexpr std::size_t kToldGroups = 6;

template <typename Item, typename Print>
void list(std::string& text, const std::vector<Item>& items, Print print) {
  // A single extra item takes the line that would say "1 more".
  const std::size_t shown = items.size() == kLines + 1 ? items.size() : kLines;
  for (std::size_t i = 0; i < items.size() && i < shown; ++i) text += print(items[i]);
  if (items.size() > shown) text += fmt::format("    ... and {} more\n", items.size() - shown);
}

bool is_bad(Outcome outcome) {
  return outcome != Outcome::completes && outcome != Outcome::running;
}

std::string wait_text(const Wait& wait) {
  return fmt::format("{} {} in {}", ranks_text(wait.ranks),
                     wait.ranks.size() == 1 ? "waits" : "wait", place_text(wait));
}

// Whether fewer ranks are to blame than wait without blame.
bool are_fewer(const Verdict& verdict) {
  std::set<int> waiting;
  for (const Wait& wait : verdict.waiting) waiting.insert(wait.ranks.begin(), wait.ranks.end());
  for (const int culprit : verdict.culprits) waiting.erase(culprit);
  return verdict.culprits.size() < waiting.size();
}

std::string_view conclusion(const Verdict& verdict) {
  switch (verdict.cause) {
    case Cause::missing_rank:
      if (verdict.culprits.size() == 1) {
        return are_fewer(verdict) ? "It does not do what most ranks of the communicator do."
                                  : "Those who wait need it, and it never comes.";
      }
      return are_fewer(verdict) ? "They do not do what most ranks of the communicator do."
                                : "Those who wait need them, and they never come.";
    case Cause::rank_exited:
      return "A process that is gone never arrives.";
    case Cause::mismatch:
      return "Calls that differ in kind, size or root never complete together.";
    case Cause::cycle:
      return "They wait for each other in a circle.";
    case Cause::host_stuck:
      return verdict.outcome == Outcome::deadlock
                 ? "Nobody is left who could wake them."
                 : "Nothing is proven: code that is not recorded may still go on.";
    case Cause::device_stuck:
      return "Nothing is proven: what the device does is not recorded, and may still end.";
    case Cause::network:
      return "Nothing is proven: the link may come back, and then the kernel sends it again.";
    case Cause::init:
      return "The communicator never forms.";
    case Cause::self:
      return "The process would have to make another call itself, while it waits in this one.";
    case Cause::none:
      break;
  }
  return "";
}

// Who waits, what the culprits did, and what that means.
std::string hang_text(const Verdict& verdict) {
  std::vector<std::string> parts;
  for (const Wait& wait : verdict.waiting) {
    if (parts.size() == kToldGroups) {
      const std::size_t more = verdict.waiting.size() - kToldGroups;
      parts.push_back(fmt::format("{} more {}", more, more == 1 ? "group" : "groups"));
      break;
    }
    parts.push_back(wait_text(wait));
  }
  for (const Verdict::Fault& fault : verdict.faults) {
    // A culprit that only waits was named above.
    const auto* wait = std::get_if<phrase::WaitsIn>(&fault.what);
    if (wait != nullptr && wait->at.graphs == 0 && !wait->missed) continue;
    parts.push_back(
        fmt::format("{} {}", ranks_text(fault.ranks), text_of(fault.what, fault.ranks.size())));
  }
  std::string text = join_text(parts, "; ");
  if (!text.empty()) text += ". ";
  if (!verdict.culprits.empty() && !verdict.faults.empty()) {
    text += fmt::format("To blame: {}. ", ranks_text(verdict.culprits));
  }
  return text.append(conclusion(verdict));
}

// `what`, and the notes; or what a results file tells. Without the divergence, which comes first in
// a verdict.
std::vector<std::string> with_notes(const Verdict& verdict, std::string what) {
  if (!verdict.told.empty()) return {verdict.told};
  std::vector<std::string> sentences{std::move(what)};
  for (const Phrase& note : verdict.notes) sentences.push_back(text_of(note));
  std::erase(sentences, "");
  return sentences;
}

}  // namespace

std::string headline(const Verdict& verdict) {
  std::string text(to_string(verdict.outcome));
  if (verdict.cause != Cause::none) text += fmt::format(" ({})", to_string(verdict.cause));
  if (is_bad(verdict.outcome) && !verdict.culprits.empty()) {
    text += fmt::format(": {} {} to blame", ranks_text(verdict.culprits),
                        verdict.culprits.size() == 1 ? "is" : "are");
  }
  return text;
}

std::string explanation(const Verdict& verdict) {
  std::vector<std::string> sentences =
      with_notes(verdict, hangs(verdict.outcome) ? hang_text(verdict) : "");
  if (verdict.divergence) sentences.insert(sentences.begin(), text_of(*verdict.divergence));
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string verdict_text(const Verdict& verdict) {
  std::string text = headline(verdict) + "\n";
  if (verdict.divergence) text += fmt::format("  {}\n", text_of(*verdict.divergence));
  list(text, verdict.waiting, [](const Wait& wait) { return "  " + wait_text(wait) + "\n"; });
  list(text, verdict.faults, [](const Verdict::Fault& fault) {
    return fmt::format("  {}: {}\n", ranks_text(fault.ranks),
                       text_of(fault.what, fault.ranks.size()));
  });
  if (!verdict.cycle.empty()) {
    text += "  cycle:\n";
    list(text, verdict.cycle,
         [](const Phrase& step) { return fmt::format("    -> {}\n", text_of(step)); });
  }
  // The lines above show who waits where, which is all of a proof.
  const bool is_proof = verdict.outcome == Outcome::deadlock;
  if (!is_proof || verdict.told.empty()) {
    const bool is_stall = hangs(verdict.outcome) && !is_proof;
    const std::vector<std::string> reasons =
        with_notes(verdict, std::string(is_stall ? conclusion(verdict) : ""));
    if (!reasons.empty()) text += fmt::format("  {}\n", fmt::join(reasons, " "));
  }
  list(text, verdict.assumptions, [](const Phrase& assumption) {
    return fmt::format("  assumes: {}\n", text_of(assumption));
  });
  return text;
}

}  // namespace gridlock::detect
