// States that can never move again: each must be proven, with its cause, its culprits and where the
// others wait.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

struct State {
  const char* name;
  World (*make)();
  Cause cause;
  std::vector<int> culprits;
  std::vector<int> waiting;  // ranks in the group of `label` or `operation`
  const char* label = "";
  Call operation = Call::none;
};

std::ostream& operator<<(std::ostream& out, const State& state) { return out << state.name; }

World all_ranks(int ranks, void (*act)(Rank& rank)) {
  World world(ranks);
  for (Rank& rank : world.ranks()) act(rank);
  return world;
}

// Joins two more communicators over all ranks, `first` and `second`.
World two_communicators(int ranks) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    rank.join("first", rank.box.rank, ranks).join("second", rank.box.rank, ranks);
  }
  return world;
}

World crossed_with_sync(int ranks, int odd_from) {
  World world = two_communicators(ranks);
  for (Rank& rank : world.ranks()) {
    const bool odd = odd_from >= 0 ? rank.box.rank >= odd_from : rank.box.rank % 2 == 1;
    rank.in(odd ? "second" : "first").all_reduce("crossed").device_synchronize();
  }
  return world;
}

// Both orders enqueued, on one stream.
World crossed_on_stream(int ranks, int odd) {
  World world = two_communicators(ranks);
  for (Rank& rank : world.ranks()) {
    const bool is_odd = rank.box.rank >= odd;
    rank.in(is_odd ? "second" : "first").all_reduce("a");
    rank.in(is_odd ? "first" : "second").all_reduce("b").device_synchronize();
  }
  return world;
}

World crossed_with(Rank& (*block)(Rank&)) {
  World world = two_communicators(2);
  block(world[0].in("first").all_reduce("crossed"));
  block(world[1].in("second").all_reduce("crossed"));
  return world;
}

World ring(int ranks, std::uint64_t count, bool grouped = false) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    const int own = rank.box.rank;
    rank.count(count);
    if (grouped) rank.group_begin();
    rank.send((own + 1) % ranks, "halo").recv((own + ranks - 1) % ranks, "halo");
    rank.group_end().device_synchronize();
  }
  return world;
}

World mismatch(void (*usual)(Rank&), void (*odd)(Rank&), int odd_rank = 2) {
  World world(4);
  for (Rank& rank : world.ranks()) {
    rank.box.rank == odd_rank ? odd(rank) : usual(rank);
    rank.device_synchronize();
  }
  return world;
}

const State kStates[] = {
    // uneven_batches
    {"peers_leave_and_exit",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->all_reduce("gradients").device_synchronize();
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0, 1, 2},
     "gradients"},
    {"peers_leave_after_several_steps",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.all_reduce("gradients").all_reduce("gradients");
       for (Rank& rank : world.ranks()) rank.all_done();
       for (Rank* rank : world.some(0, 2)) rank->all_reduce("last").stream_synchronize();
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0, 1, 2},
     "last"},
    {"rank_killed",
     [] {
       World world(3);
       world[0].all_reduce("gradients").device_synchronize();
       world[1].killed(9);
       world[2].all_reduce("gradients").device_synchronize();
       return world;
     },
     Cause::rank_exited,
     {1},
     {0, 2},
     "gradients"},
    {"killed_inside_the_operation",
     [] {
       World world = all_ranks(3, [](Rank& rank) { rank.all_reduce("g").device_synchronize(); });
       world[1].killed(11);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0, 2},
     "g"},
    {"two_ranks_exited",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("g").device_synchronize();
       world[2].exit(1);
       world[3].exit(1);
       return world;
     },
     Cause::rank_exited,
     {2, 3},
     {0, 1},
     "g"},
    {"victim_of_a_victim",  // 0 waits for 1, 1 waits for 2, 2 is gone: blame goes to the end
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         if (rank.box.rank < 2) rank.join("left", rank.box.rank, 2);
         if (rank.box.rank > 0) rank.join("right", rank.box.rank - 1, 2);
       }
       world[0].in("left").all_reduce("left").device_synchronize();
       world[1].in("right").all_reduce("right").device_synchronize();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0},
     "left"},
    {"validation_pairs_with_gradients",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("gradients"); },
                       [](Rank& rank) { rank.count(1).all_reduce("validation/metric"); }, 3);
     },
     Cause::mismatch,
     {3},
     {0, 1, 2},
     "gradients"},
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
    {"guarded_on_its_own_communicator",  // few wait for most, who wait for them: no majority waits
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
    // stray_synchronize
    {"crossed_with_sync_tie",
     [] { return crossed_with_sync(4, -1); },
     Cause::cycle,
     {0, 1, 2, 3},
     {0, 1, 2, 3},
     "crossed"},
    {"crossed_with_sync_pair",
     [] { return crossed_with_sync(2, -1); },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
    {"crossed_with_sync_majority",
     [] { return crossed_with_sync(4, 3); },
     Cause::missing_rank,
     {3},
     {0, 1, 2, 3},
     "crossed"},
    {"synchronize_of_one_stream",
     [] { return crossed_with([](Rank& rank) -> Rank& { return rank.stream_synchronize(); }); },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
    // implicit_synchronize
    {"free_waits",
     [] {
       return crossed_with(
           [](Rank& rank) -> Rank& { return rank.call_on_device(Call::device_free); });
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
    {"malloc_waits",
     [] {
       return crossed_with(
           [](Rank& rank) -> Rank& { return rank.call_on_device(Call::device_malloc); });
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
    {"pageable_copy_waits_for_blocking_streams",
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         rank.add_stream(false, true);
         rank.on(rank.add_stream(false));
         rank.in(rank.box.rank == 0 ? "first" : "second").all_reduce("crossed");
         rank.copy_on_legacy_stream();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
    {"legacy_stream_orders_streams",  // s1 | legacy | s2: what is on s2 never begins
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const bool first = rank.box.rank == 0;
         const std::uint32_t legacy = rank.add_stream(false, true);
         const std::uint32_t one = rank.add_stream(false);
         const std::uint32_t two = rank.add_stream(false);
         rank.on(one).in(first ? "first" : "second").all_reduce("one");
         rank.legacy_work(legacy).on(legacy).not_started();
         rank.on(two).in(first ? "second" : "first").all_reduce("two").not_started();
         rank.device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "one"},
    // interleaved_communicators
    {"opposite_order_on_a_stream_tie",
     [] { return crossed_on_stream(4, 2); },
     Cause::cycle,
     {0, 1, 2, 3},
     {0, 1, 2, 3},
     "a"},
    {"opposite_order_on_a_stream_majority",
     [] { return crossed_on_stream(4, 3); },
     Cause::cycle,
     {3},
     {0, 1, 2, 3},
     "a"},
    {"three_overlapping_communicators",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         const std::string left = std::to_string(own);
         const std::string right = std::to_string((own + 1) % 3);
         rank.join(left, 0, 2).join(right, 1, 2);
         rank.in(left).all_reduce("left").in(right).all_reduce("right").device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1, 2},
     {0, 1, 2},
     "left"},
    {"grid_crossed_on_half",  // rows {0,1} {2,3}, columns {0,2} {1,3}
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         const std::string row = "row" + std::to_string(own / 2);
         const std::string column = "column" + std::to_string(own % 2);
         rank.join(row, own % 2, 2).join(column, own / 2, 2);
         const bool crossed = own == 1 || own == 2;
         rank.in(crossed ? column : row).all_reduce(crossed ? "column" : "row");
         rank.device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1, 2, 3},
     {0, 3},
     "row"},
    {"communicator_order_holds_across_streams",  // two streams, but NCCL keeps the order of calls
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const std::uint32_t other = rank.add_stream();
         rank.in("first").on(0).all_reduce("one").in("second");
         rank.on(0).all_reduce("two");
         rank.on(other).in("first").all_reduce("three");
         rank.device_synchronize();
       }
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "one"},
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
    // missing_rank_at_init
    {"rank_never_calls_init_and_exits",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_init);
       world[2].leave_world().exit(0);
       return world;
     },
     Cause::init,
     {2},
     {0, 1},
     "",
     Call::comm_init},
    {"rank_waits_elsewhere_instead_of_init",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.join("second", rank.box.rank, 3);
       for (Rank* rank : world.some(0, 1)) rank->in("second").communicator_call(Call::comm_init);
       world[2].box.communicators.pop_back();
       world[2].all_reduce("x").device_synchronize();
       return world;
     },
     Cause::init,
     {2},
     {0, 1},
     "",
     Call::comm_init},
    {"wrong_world_size",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         rank.communicator_call(Call::comm_init);
         if (rank.box.rank == 1) rank.box.communicators[0].size = 5;
       }
       return world;
     },
     Cause::init,
     {1},
     {0, 1, 2, 3},
     "",
     Call::comm_init},
    {"all_say_one_too_many",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.communicator_call(Call::comm_init);
         rank.box.communicators[0].size = 4;
       }
       return world;
     },
     Cause::init,
     {0, 1, 2},
     {0, 1, 2},
     "",
     Call::comm_init},
    {"duplicate_rank",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_init);
       world[3].box.communicators[0].rank = 2;
       return world;
     },
     Cause::init,
     {3},
     {0, 1, 2, 3},
     "",
     Call::comm_init},
    {"crashed_during_init",
     [] {
       World world = all_ranks(3, [](Rank& rank) { rank.communicator_call(Call::comm_init); });
       world[1].killed(6);
       return world;
     },
     Cause::init,
     {1},
     {0, 2},
     "",
     Call::comm_init},
    {"split_without_one",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->communicator_call(Call::comm_split);
       world[3].all_reduce("x").device_synchronize();
       return world;
     },
     Cause::missing_rank,
     {3},
     {0, 1, 2},
     "",
     Call::comm_split},
    // lazy connect
    {"lazy_connect_of_an_exited_rank",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("first").not_started().connect();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "first"},
    {"lazy_connect_crossed",  // no sync needed: the host itself blocks
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("x").not_started().connect();
       world[1].in("second").all_reduce("x").not_started().connect();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "x"},
    {"lazy_connect_against_a_sync",
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("x").not_started().connect();
       world[1].in("second").all_reduce("x").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "x"},
    // destroy_order
    {"destroy_while_others_communicate",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").device_synchronize();
       world[2].communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::missing_rank,
     {2},
     {0, 1},
     "x"},
    {"destroyed_and_gone_on",  // the rank that left runs on, and never comes back
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").device_synchronize();
       world[2].box.communicators[0].state = record::CommunicatorState::closed;
       return world;
     },
     Cause::missing_rank,
     {2},
     {0, 1},
     "x"},
    {"destroyed_in_different_order",
     [] {
       World world = two_communicators(2);
       world[0].in("first").communicator_call(Call::comm_destroy);
       world[1].in("second").communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "",
     Call::comm_destroy},
    // send_recv_order
    {"both_send_first_large", [] { return ring(2, kLarge); }, Cause::cycle, {0, 1}, {0, 1}, "halo"},
    {"ring_of_large_sends",
     [] { return ring(5, kLarge); },
     Cause::cycle,
     {0, 1, 2, 3, 4},
     {0, 1, 2, 3, 4},
     "halo"},
    {"both_receive_first",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.recv(1 - rank.box.rank, "m").send(1 - rank.box.rank).device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "m"},
    {"buffer_filled_by_earlier_messages",  // each fits, together they do not
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.count(kLarge / 8);
         for (int message = 0; message < 3; ++message) rank.send(1 - rank.box.rank, "m");
         rank.done(2).recv(1 - rank.box.rank).device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "m"},
    {"wrong_peer",
     [] {
       World world(3);
       world[0].recv(2, "m").device_synchronize();
       world[1].recv(0, "m").device_synchronize();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "m"},
    {"self_send_outside_a_group",
     [] {
       World world(2);
       world[0].count(kLarge).send(0, "self").recv(0).device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::self,
     {0},
     {0},
     "self"},
    // collective_and_p2p
    {"receive_behind_a_collective",
     [] {
       World world(2);
       world[0].count(kLarge).all_reduce("sum").recv(1, "m").device_synchronize();
       world[1].count(kLarge).send(0, "m").all_reduce("sum").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "sum"},
    // rooted collectives
    {"broadcast_without_its_root",
     [] {
       World world(4);
       for (Rank* rank : world.some(1, 3)) rank->broadcast("weights").device_synchronize();
       world[0].exit(0);
       return world;
     },
     Cause::rank_exited,
     {0},
     {1, 2, 3},
     "weights"},
    {"reduce_root_waits_for_a_leaf",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->reduce("loss");
       world[0].device_synchronize();
       for (Rank* rank : world.some(1, 2)) rank->all_done().exit(0);
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0},
     "loss"},
    {"large_broadcast_without_a_leaf",
     [] {
       World world(3);
       world[0].count(kLarge).broadcast("weights").device_synchronize();
       world[1].count(kLarge).broadcast("weights").all_done().exit(0);
       world[2].exit(1);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0},
     "weights"},
    // missing_group
    {"one_thread_two_devices_at_init",
     [] {
       World world(1);
       world[0].box.communicators[0].size = 2;
       world[0].communicator_call(Call::comm_init);
       return world;
     },
     Cause::self,
     {0},
     {0},
     "",
     Call::comm_init},
    {"one_thread_two_devices_at_a_collective",
     [] {
       World world(1);
       Rank& rank = world[0];
       rank.leave_world().join("pair", 0, 2).join("pair", 1, 2);
       rank.in("pair").all_reduce("x").not_started().connect();
       return world;
     },
     Cause::self,
     {0},
     {0},
     "x"},
    // streams and events
    {"event_behind_a_stuck_collective",  // compute waits for communication, the host for compute
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         const std::uint32_t communication = rank->add_stream();
         const Event done = rank->on(communication).all_reduce("gradients").record_event();
         rank->on(0).wait_event(done).stream_synchronize();
       }
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "gradients"},
    {"blocked_ranks_with_work_queued_behind",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         for (int bucket = 0; bucket < 20; ++bucket) rank->all_reduce("gradients");
         rank->device_synchronize();
       }
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "gradients"},
    // second_thread
    {"both_threads_blocked",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[0].thread(world[0].add_thread()).device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "x"},
    {"a_thread_that_ended_cannot_act",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[0].thread(world[0].add_thread()).thread_ended();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "x"},
    {"rank_zero_barrier",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.join("control", rank.box.rank, 3);
       world[0].in("control").all_reduce("barrier").device_synchronize();
       for (Rank* rank : world.some(1, 2)) rank->exit(0);
       return world;
     },
     Cause::rank_exited,
     {0},
     {0},
     "barrier"},
    // One call too many: where most have ended without it, those who made it differ.
    {"one_call_too_many_at_the_end",
     [] {
       World world = all_ranks(4, [](Rank& rank) { rank.all_reduce("g").all_reduce("g"); });
       for (Rank& rank : world.ranks()) rank.all_done();
       for (const int rank : {0, 1, 3}) world[rank].exit(0);
       world[2].all_reduce("once more").device_synchronize();
       return world;
     },
     Cause::rank_exited,
     {2},
     {2},
     "once more"},
    {"one_call_too_many_behind_work_that_is_done",
     [] {
       World world(5);
       for (Rank* rank : world.some(0, 1)) rank->reduce("loss", 0);
       world[0].device_synchronize();
       world[1].all_done().exit(0);
       for (Rank* rank : world.some(2, 4)) rank->exit(0);
       return world;
     },
     Cause::rank_exited,
     {0, 1},
     {0},
     "loss"},
    {"one_call_too_many_of_two",  // no majority: the one that is gone
     [] {
       World world(2);
       world[0].all_reduce("g").device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "g"},
    {"one_call_too_many_while_others_close",
     [] {
       World world(4);
       world[2].all_reduce("once more").device_synchronize();
       for (const int rank : {0, 1, 3}) world[rank].communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::missing_rank,
     {2},
     {2},
     "once more"},
    {"most_have_failed",  // that is no agreement
     [] {
       World world(4);
       world[0].all_reduce("g").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->exit(1);
       return world;
     },
     Cause::rank_exited,
     {1, 2, 3},
     {0},
     "g"},
    {"most_have_ended_and_one_has_crashed",
     [] {
       World world(5);
       world[0].all_reduce("g").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->exit(0);
       world[4].killed(11);
       return world;
     },
     Cause::rank_exited,
     {1, 2, 3, 4},
     {0},
     "g"},
};

class Deadlock : public testing::TestWithParam<State> {};

TEST_P(Deadlock, IsProvenAndBlamed) {
  const State& state = GetParam();
  World world = state.make();
  const Finding finding = world.finding();
  EXPECT_TRUE(finding.proven);
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(to_string(verdict.cause), to_string(state.cause)) << verdict.explanation;
  EXPECT_EQ(verdict.culprits, state.culprits) << verdict.explanation;
  std::vector<int> waiting;
  for (const Wait& wait : verdict.waiting) {
    if (wait.label != state.label) continue;
    if (state.operation != Call::none && wait.operation != state.operation) continue;
    waiting.insert(waiting.end(), wait.ranks.begin(), wait.ranks.end());
  }
  std::sort(waiting.begin(), waiting.end());
  EXPECT_EQ(waiting, state.waiting) << verdict.explanation;
  const bool died_inside =
      std::any_of(world.ranks().begin(), world.ranks().end(), [](const Rank& rank) {
        const auto& streams = rank.box.streams;
        return rank.box.process != record::ProcessState::alive &&
               std::any_of(streams.begin(), streams.end(),
                           [](const auto& stream) { return stream.started > stream.completed; });
      });
  EXPECT_EQ(verdict.assumptions.size(), died_inside ? 1U : 0U);
  EXPECT_FALSE(verdict.faults.empty());
  EXPECT_FALSE(verdict.explanation.empty());
  if (verdict.cause == Cause::cycle || verdict.cause == Cause::self) {
    ASSERT_GE(verdict.cycle.size(), 2U);
    EXPECT_EQ(verdict.cycle.front(), verdict.cycle.back());
  }
}

INSTANTIATE_TEST_SUITE_P(States, Deadlock, testing::ValuesIn(kStates),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace gridlock::detect::states
