// Counts steps at every look, and shows them rarely.
#include "harness/session/onlooker.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/limits.h"
#include "harness/base/text.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::session {
namespace {

// How often a watched job is shown: on a terminal, and elsewhere.
constexpr Duration kLiveInterval = 1s;
constexpr Duration kPipedInterval = 60s;

}  // namespace

Onlooker::Onlooker(std::string program, bool is_quiet)
    : program_(on_one_line(std::move(program))),
      is_quiet_(is_quiet),
      console_(is_quiet),
      began_ns_(run::now_ns()),
      told_ns_(began_ns_) {}

void Onlooker::look(std::span<const record::Snapshot> ranks) {
  if (is_quiet_) return;
  const std::int64_t now_ns = run::now_ns();
  pace_.look(ranks, now_ns);
  const Duration pause = console_.is_live() ? kLiveInterval : kPipedInterval;
  if (now_ns - told_ns_ < pause.count()) return;
  told_ns_ = now_ns;
  const auto seconds = (now_ns - began_ns_) / 1'000'000'000;
  const std::string line = fmt::format("gridlock: {} since {}:{:02}, {}", program_, seconds / 60,
                                       seconds % 60, pace_.tell(now_ns));
  if (!console_.is_live()) return print(line + "\n");
  std::vector<std::string> lines{line};
  for (std::string& state : state_lines(ranks)) lines.push_back(std::move(state));
  console_.show(lines);
}

}  // namespace gridlock::session
