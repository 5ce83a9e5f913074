// Groups first, then faults, cycle and assumptions.
#include "harness/report/formats/verdict_text.h"

#include <fmt/format.h>

#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

// A screen has about 24 lines.
constexpr std::size_t kLines = 8;

template <typename Item, typename Print>
void list(std::string& text, const std::vector<Item>& items, Print print) {
  for (std::size_t i = 0; i < items.size() && i < kLines; ++i) text += print(items[i]);
  if (items.size() > kLines) text += fmt::format("    ... and {} more\n", items.size() - kLines);
}

bool is_bad(detect::Outcome outcome) {
  return outcome != detect::Outcome::completes && outcome != detect::Outcome::running;
}

}  // namespace

std::string headline(const detect::Verdict& verdict) {
  std::string text(to_string(verdict.outcome));
  if (verdict.cause != detect::Cause::none) text += fmt::format(" ({})", to_string(verdict.cause));
  if (is_bad(verdict.outcome) && !verdict.culprits.empty()) {
    text += fmt::format(": {} {} to blame", ranks_text(verdict.culprits),
                        verdict.culprits.size() == 1 ? "is" : "are");
  }
  return text;
}

std::string verdict_text(const detect::Verdict& verdict) {
  std::string text = headline(verdict) + "\n";
  list(text, verdict.waiting, [](const detect::Wait& wait) {
    return fmt::format("  {} {} in {}\n", ranks_text(wait.ranks),
                       wait.ranks.size() == 1 ? "waits" : "wait", place_text(wait));
  });
  list(text, verdict.faults, [](const detect::Verdict::Fault& fault) {
    return fmt::format("  {}: {}\n", ranks_text(fault.ranks), fault.what);
  });
  if (!verdict.cycle.empty()) {
    text += "  cycle:\n";
    list(text, verdict.cycle,
         [](const std::string& node) { return fmt::format("    -> {}\n", node); });
  }
  // What is proven stands above; what is not needs its reasons.
  if (verdict.outcome != detect::Outcome::deadlock && !verdict.explanation.empty()) {
    text += fmt::format("  {}\n", verdict.explanation);
  }
  list(text, verdict.assumptions,
       [](const std::string& assumption) { return fmt::format("  assumes: {}\n", assumption); });
  return text;
}

}  // namespace gridlock::report
