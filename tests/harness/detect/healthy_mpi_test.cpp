// States of MPI jobs in which somebody can still act: nothing may be called dead.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/detect/words/verdict_text.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

using record::kAnyPeer;
using record::kAnyTag;

struct MpiState {
  const char* name;
  World (*make)();
  std::vector<int> can_act = {0};  // must not be called dead
};

// Rank 0 waits in MPI, rank 1 for a stream on which rank 0 is missing.
World against_a_stream(void (*rank_0)(Rank& rank), void (*rank_1)(Rank& rank) = nullptr) {
  World world = with_mpi(2);
  rank_0(world[0]);
  if (rank_1 != nullptr) rank_1(world[1]);
  world[1].all_reduce("sum").stream_synchronize();
  return world;
}

// Both ranks wait for each other's message. Rank 1's device still does what `on_device` puts there.
World while_each_waits_for_the_other(void (*on_device)(World& world)) {
  World world = with_mpi(2);
  world[1].box.mpi = "MPICH";
  on_device(world);
  for (Rank& rank : world.ranks()) rank.mpi(Call::mpi_recv, "m", 1 - rank.box.rank);
  return world;
}

const MpiState kAliveMpi[] = {
    {"host_function_may_send",
     [] {
       return while_each_waits_for_the_other([](World& world) { world[1].host_function("sends"); });
     }},
    {"host_function_behind_a_collective_may_send",
     [] {
       return while_each_waits_for_the_other([](World& world) {
         for (Rank& rank : world.ranks()) rank.all_reduce("sum");
         world[1].host_function("sends");
       });
     }},
    {"graph_without_communications_may_send",
     [] { return while_each_waits_for_the_other([](World& world) { world[1].graph_launch(); }); }},
    {"graph_behind_a_collective_may_send",
     [] {
       return while_each_waits_for_the_other([](World& world) {
         for (Rank& rank : world.ranks()) rank.all_reduce("sum");
         world[1].graph_launch();
       });
     }},
    {"the_message_was_sent",
     [] {
       return against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_recv, "m", 1); },
                               [](Rank& rank) { rank.mpi_start(Call::mpi_send, "m", 0); });
     }},
    {"the_message_was_sent_and_is_past",
     [] {
       return against_a_stream(
           [](Rank& rank) { rank.mpi(Call::mpi_recv, "m", 1); },
           [](Rank& rank) { rank.mpi_done(rank.mpi_start(Call::mpi_send, "m", 0)); });
     }},
    {"the_receive_was_posted",
     [] {
       return against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_ssend, "m", 1); },
                               [](Rank& rank) { rank.mpi_start(Call::mpi_recv, "m", 0); });
     }},
    {"a_receive_of_anything_was_posted",
     [] {
       return against_a_stream(
           [](Rank& rank) { rank.mpi(Call::mpi_ssend, "m", 1); },
           [](Rank& rank) { rank.mpi_start(Call::mpi_recv, "m", kAnyPeer, kAnyTag); });
     }},
    {"anything_was_sent",
     [] {
       return against_a_stream(
           [](Rank& rank) { rank.mpi(Call::mpi_recv, "m", kAnyPeer, kAnyTag); },
           [](Rank& rank) { rank.mpi_done(rank.mpi_start(Call::mpi_send, "m", 0, 3)); });
     }},
    // Which message a receive in flight gets is unknown until it has it. It may be the other's.
    {"anything_was_sent_and_perhaps_taken",
     [] {
       return against_a_stream(
           [](Rank& rank) {
             rank.mpi_start(Call::mpi_recv, "m", 1, 3);
             rank.mpi(Call::mpi_recv, "m", kAnyPeer, kAnyTag);
           },
           [](Rank& rank) { rank.mpi_done(rank.mpi_start(Call::mpi_send, "m", 0, 3)); });
     }},
    {"one_of_those_who_could_send_can_act",
     [] {
       World world = with_mpi(3);
       world[0].mpi(Call::mpi_recv, "m", kAnyPeer);
       world[1].all_reduce("sum").stream_synchronize();
       return world;
     },
     {0, 2}},
    {"messages_that_are_not_recorded",
     [] {
       World world = against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_recv, "m", 1); });
       world[1].box.communicators[1].uncertain = true;
       return world;
     }},
    {"calls_that_are_not_recorded_any_more",
     [] {
       World world = against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_barrier, "m"); });
       world[1].box.mpi = "not recorded: a call has failed";
       return world;
     }},
    {"receives_that_overlapped",
     [] {
       World world = against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_recv, "m", 1); });
       world[0].box.communicators[1].uncertain = true;
       return world;
     }},
    {"one_of_any_request_may_end",
     [] {
       World world = with_mpi(3);
       const auto left = world[0].mpi_start(Call::mpi_recv, "halo", 1);
       const auto right = world[0].mpi_start(Call::mpi_recv, "halo", 2);
       world[0].mpi_wait_any({left, right});
       world[1].mpi(Call::mpi_barrier, "epoch");
       return world;
     },
     {0, 2}},
    {"one_of_any_request_is_over",
     [] {
       return against_a_stream([](Rank& rank) {
         const auto first = rank.mpi_start(Call::mpi_recv, "halo", 1);
         const auto second = rank.mpi_start(Call::mpi_recv, "halo", 1, 2);
         rank.mpi_done(first).mpi_wait_any({first, second});
       });
     }},
    {"requests_that_are_not_recorded",
     [] { return against_a_stream([](Rank& rank) { rank.mpi_wait({}); }); }},
    {"a_buffered_send_never_waits",
     [] {
       return against_a_stream(
           [](Rank& rank) { rank.mpi_wait({rank.mpi_start(Call::mpi_bsend, "m", 1)}); });
     }},
    {"a_root_may_go_on",
     [] { return against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_bcast, "m", 0); }); }},
    {"a_leaf_of_a_reduction_may_go_on",
     [] { return against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_reduce, "m", 1); }); }},
    {"a_collective_of_nothing_may_wait_for_nobody",
     [] {
       return against_a_stream([](Rank& rank) { rank.count(0).mpi(Call::mpi_allreduce, "m"); });
     }},
    {"the_first_rank_of_a_scan_may_go_on",
     [] { return against_a_stream([](Rank& rank) { rank.mpi(Call::mpi_scan, "m"); }); }},
    // A communicator's next collective does not wait for one that was started before.
    {"started_collectives_overtake_each_other",
     [] {
       World world = with_mpi(2);
       const auto first = world[0].mpi_start(Call::mpi_gather, "a", 0);
       world[0].mpi_wait({world[0].mpi_start(Call::mpi_barrier, "b")});
       const auto second = world[1].mpi_start(Call::mpi_gather, "a", 0);
       world[1].mpi_wait({world[1].mpi_start(Call::mpi_barrier, "b")});
       static_cast<void>(first);
       static_cast<void>(second);
       return world;
     },
     {0, 1}},
    {"a_request_under_way_is_no_wait",
     [] {
       World world = with_mpi(2);
       world[0].mpi_start(Call::mpi_recv, "m", 1);
       world[1].mpi(Call::mpi_barrier, "epoch");
       return world;
     }},
};

class HealthyMpi : public testing::TestWithParam<MpiState> {};

TEST_P(HealthyMpi, IsNotCalledDead) {
  World world = GetParam().make();
  const Finding finding = world.finding();
  for (const int rank : GetParam().can_act) {
    EXPECT_FALSE(std::binary_search(finding.dead.begin(), finding.dead.end(), rank))
        << "rank " << rank << ": " << explanation(world.verdict());
  }
}

std::string name_of_state(const testing::TestParamInfo<MpiState>& state) {
  return state.param.name;
}

INSTANTIATE_TEST_SUITE_P(Mpi, HealthyMpi, testing::ValuesIn(kAliveMpi), name_of_state);

// Without its last alternative, the receive is dead too. So each state above is saved by one edge.
TEST(HealthyMpi, IsDeadWithoutTheLastWhoCouldSend) {
  World world = with_mpi(3);
  world[0].mpi(Call::mpi_recv, "m", kAnyPeer);
  world[1].all_reduce("sum").stream_synchronize();
  EXPECT_TRUE(world.finding().dead.empty());
  world[2].mpi(Call::mpi_barrier, "epoch");
  EXPECT_EQ(world.finding().dead, (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace gridlock::detect::states
