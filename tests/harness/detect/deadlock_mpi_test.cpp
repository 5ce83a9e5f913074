// States that can never move again, in which MPI, NCCL and CUDA streams wait for each other.
#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

using record::kAnyPeer;
using record::kAnyTag;

// Rank 0 waits in `call`. Rank 1 waits for its device, after an operation that no other rank has
// called.
World against_a_stream(Call call, int peer, int tag = 0) {
  World world = with_mpi(2);
  world[0].mpi(call, "m", peer, tag);
  world[1].all_reduce("sum").stream_synchronize();
  return world;
}

const Deadlocked kDeadMpi[] = {
    // mpi_barrier, mpi_receive
    {"barrier_before_and_behind_an_all_reduce",
     [] {
       World world = with_mpi(4);
       for (Rank& rank : world.ranks()) {
         if (rank.box.rank % 2 == 0) {
           rank.mpi(Call::mpi_barrier, "epoch");
         } else {
           rank.all_reduce("sum").stream_synchronize();
         }
       }
       return world;
     },
     Cause::cycle,
     {0, 1, 2, 3},
     {0, 2},
     "epoch"},
    {"one_of_four_is_in_the_barrier",
     [] {
       World world = with_mpi(4);
       for (Rank& rank : world.ranks()) rank.all_reduce("sum").stream_synchronize();
       world[2] = Rank(2, 4);
       world[2].join("mpi", 2, 4).mpi(Call::mpi_barrier, "epoch");
       world[2].box.communicators[1].mpi = true;
       return world;
     },
     Cause::missing_rank,
     {2},
     {2},
     "epoch"},
    {"receive_from_who_waits_for_his_stream",
     [] { return against_a_stream(Call::mpi_recv, 1); },
     Cause::cycle,
     {0, 1},
     {0},
     "m"},
    {"synchronous_send_to_who_waits_for_his_stream",
     [] { return against_a_stream(Call::mpi_ssend, 1); },
     Cause::cycle,
     {0, 1},
     {0},
     "m"},
    {"probe", [] { return against_a_stream(Call::mpi_probe, 1); }, Cause::cycle, {0, 1}, {0}, "m"},
    {"receive_of_anything",
     [] { return against_a_stream(Call::mpi_recv, kAnyPeer, kAnyTag); },
     Cause::cycle,
     {0, 1},
     {0},
     "m"},
    {"receive_of_anything_behind_another_that_got_all",
     [] {
       World world = with_mpi(2);
       world[1].mpi_done(world[1].mpi_start(Call::mpi_send, "m", 0, 7));
       world[1].all_reduce("sum").stream_synchronize();
       world[0].mpi_got(1, 7).mpi(Call::mpi_recv, "m", kAnyPeer, 7);
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "m"},
    {"receive_with_another_tag",
     [] {
       World world = with_mpi(2);
       world[1].mpi_done(world[1].mpi_start(Call::mpi_send, "m", 0, 7));
       world[1].all_reduce("sum").stream_synchronize();
       world[0].mpi(Call::mpi_recv, "m", 1, 8);
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "m"},
    // MPI alone
    {"everyone_receives_first",
     [] {
       World world = with_mpi(3);
       for (Rank& rank : world.ranks()) {
         rank.mpi(Call::mpi_recv, "halo", (rank.box.rank + 2) % 3);
       }
       return world;
     },
     Cause::cycle,
     {0, 1, 2},
     {0, 1, 2},
     "halo"},
    {"one_has_left_a_collective",
     [] {
       World world = with_mpi(3);
       world[0].mpi(Call::mpi_allreduce, "norm");
       world[1].mpi(Call::mpi_allreduce, "norm");
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "norm"},
    {"leaf_waits_for_a_root_that_waits_for_it",
     [] {
       World world = with_mpi(2);
       world[0].mpi(Call::mpi_recv, "m", 1);
       world[1].mpi(Call::mpi_bcast, "parameters", 0);
       return world;
     },
     Cause::cycle,
     {0, 1},
     {1},
     "parameters"},
    {"all_of_the_requests",  // one of them is complete
     [] {
       World world = with_mpi(2);
       const auto sent = world[0].mpi_start(Call::mpi_send, "m", 1);
       const auto received = world[0].mpi_start(Call::mpi_recv, "halo", 1);
       world[0].mpi_done(sent).mpi_wait({sent, received});
       world[1].mpi_got(0).mpi(Call::mpi_barrier, "epoch");
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "halo"},
    {"none_of_any_request",
     [] {
       World world = with_mpi(3);
       const auto left = world[0].mpi_start(Call::mpi_recv, "halo", 1);
       const auto right = world[0].mpi_start(Call::mpi_recv, "halo", 2);
       world[0].mpi_wait_any({left, right});
       world[1].mpi(Call::mpi_barrier, "epoch");
       world[2].mpi(Call::mpi_barrier, "epoch");
       return world;
     },
     Cause::missing_rank,
     {0},
     {0},
     "halo"},
    {"started_barrier_is_waited_for_behind_a_stream",
     [] {
       World world = with_mpi(2);
       const auto barrier = world[0].mpi_start(Call::mpi_barrier, "epoch");
       world[0].mpi_wait({barrier});
       world[1].all_reduce("sum").stream_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "epoch"},
    {"split_that_one_does_not_make",
     [] {
       World world = with_mpi(3);
       world[0].in("mpi").communicator_call(Call::mpi_comm_split);
       world[1].in("mpi").communicator_call(Call::mpi_comm_split);
       world[2].in("mpi").mpi(Call::mpi_barrier, "epoch");
       for (Rank& rank : world.ranks()) {
         rank.box.communicators[1].state = record::CommunicatorState::ready;
       }
       return world;
     },
     Cause::missing_rank,
     {2},
     {2},
     "epoch"},
    {"to_oneself",
     [] {
       World world = with_mpi(1);
       world[0].mpi(Call::mpi_ssend, "self", 0);
       return world;
     },
     Cause::self,
     {0},
     {0},
     "self"},
};

INSTANTIATE_TEST_SUITE_P(Mpi, Deadlock, testing::ValuesIn(kDeadMpi), name_of);

// A send that may be buffered is proven only with an assumption, and only after some time.
TEST(MpiAssumptions, StandardSendIsOneThatIsNamed) {
  World world = with_mpi(2);
  for (Rank& rank : world.ranks()) rank.mpi(Call::mpi_send, "halo", 1 - rank.box.rank);
  world.parameters = {.may_wait_ns = 1'000'000, .now_ns = 1'000'000};
  EXPECT_TRUE(world.finding().dead.empty());
  world.parameters.now_ns = 2'000'000;
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.outcome, Outcome::deadlock);
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  EXPECT_NE(text_of(verdict.assumptions.front()).find("standard send"), std::string::npos);
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
}

TEST(MpiAssumptions, CollectivesThatDifferAreOne) {
  World world = with_mpi(2);
  world[0].mpi(Call::mpi_barrier, "a");
  world[1].mpi(Call::mpi_allreduce, "b");
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(verdict.cause, Cause::mismatch);
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  EXPECT_NE(text_of(verdict.assumptions.front()).find("MPI"), std::string::npos);
}

TEST(MpiAssumptions, MpiFinalizeIsOne) {
  World world = with_mpi(2);
  world[0].in("mpi").communicator_call(Call::mpi_finalize);
  world[1].mpi(Call::mpi_recv, "m", 0);
  world.parameters.now_ns = 1'000'000;
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.outcome, Outcome::deadlock);
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  EXPECT_NE(text_of(verdict.assumptions.front()).find("MPI_Finalize"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::detect::states
