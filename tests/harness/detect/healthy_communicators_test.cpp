// Communicators are made, connected, closed or aborted, and the job can go on.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {
namespace {

// Rank 1 waits for a call of rank 0's. Rank 0 waits for what it has put on its second stream, which
// is not held up.
World copies_on_two_streams(bool grouped, const std::string& backend) {
  World world = two_communicators(2);
  world[1].in("second").all_reduce("second").device_synchronize();
  Rank& rank = world[0];
  rank.box.backend = backend;
  const std::uint32_t side = rank.join("alone", 0, 1).add_stream();
  rank.on(side).host_function("reads a file").on(0);
  if (grouped) rank.group_begin();
  rank.in("first").all_reduce("x").in("alone").all_reduce("y").on(side).all_reduce("z");
  if (grouped) rank.group_end();
  rank.stream_synchronize();
  return world;
}

const Living kAliveCommunicators[] = {
    {"copies_of_one_rank_in_a_group", [] { return copies_on_two_streams(true, "sim"); }},
    {"copies_of_one_rank_behind_a_collective",
     [] { return copies_on_two_streams(false, "simnccl"); }},
    {"init_with_one_still_to_come",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_init);
       world[2].leave_world();
       return world;
     }},
    {"init_that_is_about_to_return",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_init);
       return world;
     }},
    {"grouped_init_of_two_members_in_one_process",
     [] {
       World world(1);
       world[0].leave_world().join("devices", 0, 2).join("devices", 1, 2).in("devices");
       world[0].communicator_call(Call::comm_init);
       world[0].box.threads[0].call = Call::group_end;  // the group's calls wait there
       return world;
     }},
    {"init_of_a_communicator_among_others_busy_elsewhere",
     [] {
       World world(3);
       world[0].join("pair", 0, 2).in("pair").communicator_call(Call::comm_init);
       world[1].all_reduce("x").device_synchronize();
       return world;  // rank 2 runs, and may join and reduce
     }},
    {"inits_that_are_one_but_were_counted_differently",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         const std::string name = rank.box.rank == 0 ? "second" : "first";
         rank.join(name, rank.box.rank, 2, record::CommunicatorState::initialising);
         rank.in(name).communicator_call(Call::comm_init);
       }
       world[1].box.communicators.back().uncertain = true;
       return world;
     }},
    {"collective_beside_an_aborted_communicator_that_was_counted_the_same",
     [] {
       World world(2);
       world[0].join("pair", 0, 2, record::CommunicatorState::aborted);
       world[0].device_synchronize();
       world[1].join("pair", 1, 2).in("pair").all_reduce("x").device_synchronize();
       world[1].box.communicators.back().uncertain = true;
       return world;
     }},
    {"several_communicators_of_one_id",  // 0 and 1 were in one, 0 and 2 are in another
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.join("pair", rank.box.rank == 0 ? 0 : 1, 2);
         if (rank.box.rank != 1) rank.in("pair").all_reduce("x").device_synchronize();
       }
       world[1].exit(0);
       return world;
     }},
    {"split_of_a_revoked_one",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.box.communicators[0].state = record::CommunicatorState::aborted;
       }
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_split);
       return world;
     }},
    {"split_of_all",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_split);
       world[1].returned();
       return world;
     }},
    {"shrink_without_a_dead_rank",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_shrink);
       world[2].exit(1);
       return world;
     }},
    {"finalize_here_destroy_there",
     [] {
       World world(2);
       world[0].communicator_call(Call::comm_finalize);
       world[1].communicator_call(Call::comm_destroy);
       return world;
     }},
    {"abort_after_a_rank_died",
     [] {
       World world(3);
       world[0].communicator_call(Call::comm_abort);
       world[1].communicator_call(Call::comm_abort);
       world[2].killed(9);
       return world;
     }},
    {"lazy_connect_of_all",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.all_reduce("x").not_started().connect();
       return world;
     }},
    {"lazy_connect_with_one_to_come",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").not_started().connect();
       return world;
     }},
    // ncclCommAbort ends what is in flight. Until the stream has noticed, the state looks as
    // before.
    {"collective_of_an_aborted_communicator",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.all_reduce("x").stream_synchronize();
         rank.box.communicators[0].state = record::CommunicatorState::aborted;
       }
       world[2].killed(9);
       return world;
     }},
    {"receive_on_an_aborted_communicator",
     [] {
       World world(2);
       world[0].recv(1).stream_synchronize();
       world[0].box.communicators[0].state = record::CommunicatorState::aborted;
       world[1].killed(9);
       return world;
     }},
    {"rank_without_a_box_yet",
     [] {
       World world(2);
       world[0].communicator_call(Call::comm_init);
       world[1].leave_world();
       world[1].box.threads.clear();
       world[1].box.streams.clear();
       return world;
     }},
};

INSTANTIATE_TEST_SUITE_P(Communicators, Healthy, testing::ValuesIn(kAliveCommunicators),
                         name_of_living);

}  // namespace
}  // namespace gridlock::detect::states
