// States in which ranks meet in the same slot of a communicator with calls that do not match.
#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

const Deadlocked kDeadMismatch[] = {
    // uneven_sequence_lengths
    {"buffers_of_different_sizes",  // root 0 has sent; nobody else's size fits but its own
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         rank.count(1000 + 500 * static_cast<std::uint64_t>(rank.box.rank)).broadcast("buffers");
       }
       world[0].all_done().all_reduce("gradients").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->device_synchronize();
       return world;
     },
     Cause::mismatch,
     {0, 1, 2, 3},
     {1, 2, 3},
     "buffers"},
    {"guarded_on_the_same_communicator",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("gradients"); },
                       [](Rank& rank) { rank.count(1).type(kInt32).all_reduce("max length"); }, 1);
     },
     Cause::mismatch,
     {1},
     {0, 2, 3},
     "gradients"},
    {"guarded_on_its_own_communicator",  // few wait for most and most for few: no majority waits
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.join("lengths", rank.box.rank, 4);
       world[1].in("lengths").count(1).all_reduce("max length").device_synchronize();
       for (const int rank : {0, 2, 3}) world[rank].all_reduce("gradients").device_synchronize();
       return world;
     },
     Cause::missing_rank,
     {1},
     {0, 2, 3},
     "gradients"},
    {"encoder_once_more_on_one_rank",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.join("lengths", rank.box.rank, 4);
       world[0].in("lengths").all_reduce("max length").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->all_reduce("gradients").device_synchronize();
       return world;
     },
     Cause::missing_rank,
     {0},
     {1, 2, 3},
     "gradients"},
    // sync_batchnorm_stall
    {"eval_on_one_rank_pairs_with_gradients",
     [] {
       return mismatch(
           [](Rank& rank) { rank.count(65).collective(Call::all_gather, "batch norm"); },
           [](Rank& rank) { rank.all_reduce("gradients"); }, 1);
     },
     Cause::mismatch,
     {1},
     {0, 2, 3},
     "batch norm"},
    {"extra_forward_on_rank_zero",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("gradients"); },
                       [](Rank& rank) { rank.collective(Call::all_gather, "batch norm"); }, 0);
     },
     Cause::mismatch,
     {0},
     {0},
     "batch norm"},
    // collective_mismatch
    {"other_count",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("x"); },
                       [](Rank& rank) { rank.count(7).all_reduce("x"); });
     },
     Cause::mismatch,
     {2},
     {0, 1, 2, 3},
     "x"},
    {"other_type",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("x"); },
                       [](Rank& rank) { rank.type(8).all_reduce("x"); });
     },
     Cause::mismatch,
     {2},
     {0, 1, 2, 3},
     "x"},
    {"other_call",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("x"); },
                       [](Rank& rank) { rank.collective(Call::all_to_all, "x"); });
     },
     Cause::mismatch,
     {2},
     {0, 1, 2, 3},
     "x"},
    {"other_root_of_large_broadcast",  // leaves that agree with the root get its data
     [] {
       return mismatch([](Rank& rank) { rank.count(kLarge).broadcast("x", 0); },
                       [](Rank& rank) { rank.count(kLarge).broadcast("x", 1); });
     },
     Cause::mismatch,
     {2},
     {0, 2},
     "x"},
    {"two_against_two",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         rank.count(rank.box.rank < 2 ? 8 : 9).all_reduce("x").device_synchronize();
       }
       return world;
     },
     Cause::mismatch,
     {0, 1, 2, 3},
     {0, 1, 2, 3},
     "x"},
    {"message_sizes_differ",
     [] {
       World world(2);
       world[0].send(1, "m").all_done().device_synchronize();
       world[0].recv(1, "answer").device_synchronize();
       world[1].count(7).recv(0, "m").device_synchronize();
       return world;
     },
     Cause::mismatch,
     {0, 1},
     {1},
     "m"},
    {"crossed_calls_went_through_before",
     [] {
       World world(3);
       world[0].count(1).all_reduce("barrier").broadcast("weights").done(2);
       world[0].all_reduce("loss").device_synchronize();
       for (Rank* rank : world.some(1, 2)) {
         rank->broadcast("weights").all_reduce("loss").all_done().exit(0);
       }
       return world;
     },
     Cause::mismatch,
     {0},
     {0},
     "loss"},
    {"crossed_calls_of_two",
     [] {
       World world(2);
       world[0].count(1).all_reduce("barrier").broadcast("weights").done(2);
       world[0].all_reduce("loss").device_synchronize();
       world[1].broadcast("weights").all_reduce("loss").all_done().exit(0);
       return world;
     },
     Cause::mismatch,
     {0, 1},
     {0},
     "loss"},
    {"own_reductions_have_any_handles",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) {
         rank->reduction(static_cast<std::uint8_t>(5 + rank->box.rank));
         rank->all_reduce("scaled").device_synchronize();
       }
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0, 1, 2},
     "scaled"},
};

// Rank 0 makes one extra call, which pairs with the others' first.
World one_call_ahead(const char* extra) {
  World world(3);
  world[0].all_reduce("loss").all_reduce(extra).all_reduce("loss").done(3);
  world[0].all_reduce("loss").device_synchronize();
  for (Rank* rank : world.some(1, 2)) {
    rank->all_reduce("loss").all_reduce("loss").all_reduce("loss").all_done().exit(0);
  }
  return world;
}

TEST(Divergence, OfCallsLeadsTheVerdict) {
  World world(3);
  world[0].count(1).all_reduce("barrier").broadcast("weights").done(2);
  world[0].all_reduce("loss").device_synchronize();
  for (Rank* rank : world.some(1, 2)) {
    rank->broadcast("weights").all_reduce("loss").all_done().exit(0);
  }
  const Verdict verdict = world.verdict();
  ASSERT_TRUE(verdict.divergence);
  EXPECT_TRUE(explanation(verdict).starts_with(
      "Calls that do not belong together met at slot 0 of world: rank 0 called all_reduce"))
      << explanation(verdict);
  EXPECT_EQ(verdict.faults.front().ranks, std::vector<int>{0});
}

TEST(Divergence, OfLabelsLeadsToo) {
  const Verdict verdict = one_call_ahead("barrier").verdict();
  ASSERT_TRUE(verdict.divergence);
  EXPECT_EQ(std::get<phrase::Crossed>(*verdict.divergence).slot, 1U);
  // Labels prove nothing, so the same rank stays to blame for the hang.
  EXPECT_EQ(verdict.cause, Cause::rank_exited);
}

TEST(Divergence, LabelsThatNeverAgreedSayNothing) {
  World world(3);
  for (Rank& rank : world.ranks()) rank.all_reduce("rank " + std::to_string(rank.box.rank));
  for (Rank* rank : world.some(1, 2)) rank->all_done().exit(0);
  world[0].done(1).all_reduce("rank 0").device_synchronize();
  EXPECT_FALSE(world.verdict().divergence);
}

TEST(Divergence, IsNoneWhereAllCallsFit) {
  EXPECT_FALSE(one_call_ahead("loss").verdict().divergence);
}

World each_with_its_own_count(int first_rank) {
  World world(3);
  for (Rank* rank : world.some(first_rank, 2)) {
    const auto own = static_cast<std::uint64_t>(rank->box.rank);
    rank->count(8 + own).all_reduce("x").device_synchronize();
  }
  return world;
}

TEST(Mismatch, IsToldAlikeWhoeverCameFirst) {
  World all = each_with_its_own_count(0);
  Judge judge(all.parameters);
  World last_alone = each_with_its_own_count(2);
  judge.look(last_alone.snapshots());
  const auto shown = all.snapshots();
  judge.look(shown);
  ASSERT_TRUE(judge.look(shown).proven);
  const Verdict told = judge.verdict();
  const Verdict at_once = all.verdict();
  ASSERT_EQ(told.faults.size(), at_once.faults.size());
  for (std::size_t i = 0; i < told.faults.size(); ++i) {
    EXPECT_EQ(text_of(told.faults[i].what), text_of(at_once.faults[i].what));
  }
  EXPECT_EQ(explanation(told), explanation(at_once));
}

INSTANTIATE_TEST_SUITE_P(Mismatch, Deadlock, testing::ValuesIn(kDeadMismatch), name_of);

}  // namespace
}  // namespace gridlock::detect::states
