// A thread's entry in the box says since when it has been in its wait.
#include "harness/run/look/long_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "harness/base/duration.h"
#include "harness/base/text.h"
#include "harness/detect/stall.h"

namespace gridlock::run {
namespace {

using std::chrono_literals::operator""h;

using record::Snapshot;

bool has_waited(const record::Thread& thread, std::int64_t before_ns) {
  return thread.exists && thread.waits != record::Waits::nothing && thread.since_ns < before_ns;
}

bool waits(const Snapshot& rank, std::int64_t before_ns) {
  return std::ranges::any_of(rank.threads, [before_ns](const record::Thread& thread) {
    return has_waited(thread, before_ns);
  });
}

// Then what its other threads wait for holds up none of what it does.
bool main_thread_goes_on(const Snapshot& rank, std::int64_t before_ns) {
  return std::ranges::any_of(rank.threads, [&](const record::Thread& thread) {
    return thread.exists && thread.tid == rank.pid && thread.since_ns >= before_ns;
  });
}

constexpr Duration kLongestPause = 1h;

}  // namespace

std::vector<LongWaits::Wait> LongWaits::waits(std::span<const Snapshot> ranks,
                                              std::int64_t before_ns) const {
  std::vector<Wait> all;
  for (const Snapshot& rank : ranks) {
    if (rank.process != record::ProcessState::alive) continue;
    for (const record::Thread& thread : rank.threads) {
      if (has_waited(thread, before_ns)) all.push_back({rank.rank, thread.tid, thread.since_ns});
    }
  }
  return all;
}

bool LongWaits::are_due(std::span<const Snapshot> ranks, std::int64_t moved_ns,
                        std::int64_t now_ns) {
  if (now_ns < next_ns_ || now_ns - moved_ns > (limit_ / 2).count()) return false;
  const std::vector<Wait> all = waits(ranks, now_ns - (limit_ + limit_ / 4).count());
  return std::ranges::any_of(all, [this](const Wait& wait) { return !told_.contains(wait); });
}

std::optional<detect::Verdict> LongWaits::explain(std::span<const Snapshot> ranks,
                                                  const detect::Parameters& parameters,
                                                  const detect::Ledger* ledger,
                                                  std::int64_t now_ns) {
  const std::int64_t before_ns = now_ns - limit_.count();
  const std::vector<Wait> all = waits(ranks, before_ns);
  told_ = std::set<Wait>(all.begin(), all.end());
  const std::vector<Snapshot> marked = who_goes_on(ranks, before_ns);
  detect::Verdict verdict = detect::explain_stall(marked, ranks, parameters, ledger);
  if (verdict.waiting.empty()) return {};
  next_ns_ = now_ns + pause_.count();
  pause_ = std::min(2 * pause_, kLongestPause);
  verdict.notes.emplace_back(
      detect::phrase::Said{sentence_on_long_waits(marked, before_ns, now_ns)});
  return verdict;
}

std::vector<Snapshot> who_goes_on(std::span<const Snapshot> ranks, std::int64_t before_ns) {
  std::vector<Snapshot> marked(ranks.begin(), ranks.end());
  for (Snapshot& rank : marked) {
    if (rank.process != record::ProcessState::alive) continue;
    if (!waits(rank, before_ns) || main_thread_goes_on(rank, before_ns)) {
      if (rank.last_change_ns > before_ns) rank.goes_on_since_ns = before_ns;
      continue;
    }
    for (record::Thread& thread : rank.threads) {
      if (thread.since_ns >= before_ns) thread.exists = false;
    }
  }
  return marked;
}

std::string sentence_on_long_waits(std::span<const Snapshot> marked, std::int64_t before_ns,
                                   std::int64_t now_ns) {
  std::vector<int> go_on;
  std::vector<int> wait;
  std::int64_t first_ns = now_ns;
  for (const Snapshot& rank : marked) {
    if (rank.goes_on()) go_on.push_back(rank.rank);
    const bool is_held = rank.process == record::ProcessState::alive && !rank.goes_on();
    if (!is_held || !waits(rank, before_ns)) continue;
    wait.push_back(rank.rank);
    for (const record::Thread& thread : rank.threads) {
      if (has_waited(thread, before_ns)) first_ns = std::min(first_ns, thread.since_ns);
    }
  }
  std::string who = go_on.empty() ? "other threads" : ranks_text(go_on);
  who.front() = static_cast<char>(std::toupper(who.front()));
  const auto longest =
      std::chrono::duration_cast<std::chrono::seconds>(Duration(now_ns - first_ns));
  return fmt::format("{} {} on; {} of {} {} lasted for {}.", who, go_on.size() == 1 ? "goes" : "go",
                     wait.size() == 1 ? "a call" : "calls", ranks_text(wait),
                     wait.size() == 1 ? "has" : "have", duration_text(longest));
}

}  // namespace gridlock::run
