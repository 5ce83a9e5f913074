// What a verdict says about the host, the device and the reason of a rank that is to blame.
#include "harness/run/whereabouts.h"

#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"

namespace gridlock::run {
namespace {

namespace phrase = detect::phrase;

// Two ranks of host "a", each on the device of its number.
Observation two_ranks() {
  Observation observation;
  for (int rank = 0; rank < 2; ++rank) {
    record::Snapshot box;
    box.rank = rank;
    box.host = "a";
    record::Communicator world;
    world.device = static_cast<std::uint32_t>(rank);
    box.communicators.push_back(world);
    observation.snapshots.push_back(box);
    observation.ranks.emplace_back();
  }
  return observation;
}

std::string told(const Observation& observation, std::vector<int> ranks,
                 const detect::Phrase& what) {
  detect::Verdict verdict;
  verdict.faults.push_back({.ranks = std::move(ranks), .what = what});
  add_whereabouts(observation, verdict);
  return detect::text_of(verdict.faults[0].what, verdict.faults[0].ranks.size());
}

TEST(Whereabouts, OfABadEndAreToldWithItsReason) {
  Observation observation = two_ranks();
  observation.ranks[1].report.reason = "no device";
  EXPECT_EQ(told(observation, {1}, phrase::Ended{.code = 1}),
            "exited with code 1, on device 1 of host a: no device");
}

TEST(Whereabouts, OfAGoodEndAreOfNoInterest) {
  EXPECT_EQ(told(two_ranks(), {1}, phrase::Ended{}), "exited with code 0");
}

TEST(Whereabouts, OfRanksThatAreStuckAreTold) {
  EXPECT_EQ(told(two_ranks(), {0}, phrase::InHostCode{.main_thread = true, .state = 'T'}),
            "has its main thread stopped, outside any recorded call, on device 0 of host a");
}

TEST(Whereabouts, OfARankWithoutADeviceAreItsHost) {
  Observation observation = two_ranks();
  observation.snapshots[0].communicators.clear();
  EXPECT_EQ(told(observation, {0}, phrase::Ended{.by_signal = true, .code = 9}),
            "was killed by signal 9 (Killed), on host a");
}

TEST(Whereabouts, OfSeveralRanksAreNotTold) {
  EXPECT_EQ(told(two_ranks(), {0, 1}, phrase::Ended{.code = 1}), "exited with code 1");
}

}  // namespace
}  // namespace gridlock::run
