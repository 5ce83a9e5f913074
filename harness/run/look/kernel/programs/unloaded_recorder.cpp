// Looks for the loader's line "object '….so' from LD_PRELOAD cannot be preloaded (why): ignored."
#include "harness/run/look/kernel/programs/unloaded_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gridlock::run {
namespace {

// "" if the loader says nothing about it.
std::string_view loaders_reason(std::string_view output) {
  constexpr std::string_view kRefused =
      "libgridlock_recorder.so' from LD_PRELOAD cannot be preloaded (";
  const std::size_t at = output.find(kRefused);
  if (at == std::string_view::npos) return {};
  const std::string_view reason = output.substr(at + kRefused.size());
  return reason.substr(0, reason.find("): ignored"));
}

}  // namespace

std::string unloaded_recorder(std::span<const record::Snapshot> snapshots,
                              std::span<const RankEnd> ranks) {
  for (std::size_t i = 0; i < std::min(snapshots.size(), ranks.size()); ++i) {
    const std::string_view reason = loaders_reason(ranks[i].output);
    if (reason.empty() || !snapshots[i].threads.empty()) continue;
    return fmt::format(
        "the recorder could not be loaded into rank {}, so that nothing is known of it: {}; build "
        "or install gridlock again, for the machine and the system that the program is of",
        snapshots[i].rank, reason);
  }
  return {};
}

}  // namespace gridlock::run
