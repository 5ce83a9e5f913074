// Each state must be proven, with its cause, its culprits and where the others wait.
#include "tests/harness/detect/deadlock.h"

#include <algorithm>

#include "harness/detect/words/verdict_text.h"

namespace gridlock::detect::states {

std::ostream& operator<<(std::ostream& out, const Deadlocked& state) { return out << state.name; }

World all_ranks(int ranks, void (*act)(Rank& rank)) {
  World world(ranks);
  for (Rank& rank : world.ranks()) act(rank);
  return world;
}

World mismatch(void (*usual)(Rank&), void (*odd)(Rank&), int odd_rank) {
  World world(4);
  for (Rank& rank : world.ranks()) {
    rank.box.rank == odd_rank ? odd(rank) : usual(rank);
    rank.device_synchronize();
  }
  return world;
}

TEST_P(Deadlock, IsProvenAndBlamed) {
  const Deadlocked& state = GetParam();
  World world = state.make();
  const Finding finding = world.finding();
  EXPECT_TRUE(finding.proven);
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(to_string(verdict.cause), to_string(state.cause)) << explanation(verdict);
  EXPECT_EQ(verdict.culprits, state.culprits) << explanation(verdict);
  std::vector<int> waiting;
  for (const Wait& wait : verdict.waiting) {
    if (wait.label != state.label) continue;
    if (state.operation != Call::none && wait.operation != state.operation) continue;
    waiting.insert(waiting.end(), wait.ranks.begin(), wait.ranks.end());
  }
  std::sort(waiting.begin(), waiting.end());
  EXPECT_EQ(waiting, state.waiting) << explanation(verdict);
  const bool died_inside =
      std::any_of(world.ranks().begin(), world.ranks().end(), [](const Rank& rank) {
        const auto& streams = rank.box.streams;
        return rank.box.process != record::ProcessState::alive &&
               std::any_of(streams.begin(), streams.end(),
                           [](const auto& stream) { return stream.started > stream.completed; });
      });
  EXPECT_EQ(verdict.assumptions.size(), died_inside ? 1U : 0U);
  EXPECT_FALSE(verdict.faults.empty());
  EXPECT_FALSE(explanation(verdict).empty());
  if (verdict.cause == Cause::cycle || verdict.cause == Cause::self) {
    ASSERT_GE(verdict.cycle.size(), 2U);
    EXPECT_EQ(verdict.cycle.front(), verdict.cycle.back());
  }
}

}  // namespace gridlock::detect::states
