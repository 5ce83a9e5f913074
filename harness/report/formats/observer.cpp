// Counts the checked runs, and names those that differ.
#include "harness/report/formats/observer.h"

#include <fmt/format.h>

#include "harness/report/figures/groups.h"

namespace gridlock::report {

std::string observer_text(const std::vector<Run>& runs) {
  int alike = 0;
  int accepted = 0;
  int differing = 0;
  std::string text;
  for (const Run& run : runs) {
    if (!run.observer) continue;
    const auto& [recorded, unrecorded, agrees] = *run.observer;
    if (recorded == unrecorded) {
      ++alike;
    } else if (agrees) {
      ++accepted;
    } else {
      ++differing;
      text += fmt::format("{} ({} ranks): {} with the recorder, {} without\n", full_name(run),
                          run.ranks, recorded, unrecorded);
    }
  }
  if (alike + accepted + differing == 0) return {};
  return text + fmt::format(
                    "observer check: {} runs end alike with and without the recorder, {} in "
                    "another accepted way, {} differ\n",
                    alike, accepted, differing);
}

}  // namespace gridlock::report
