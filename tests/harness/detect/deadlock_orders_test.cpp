// States in which ranks wait for each other because they made the same calls in different orders.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

World crossed_with_sync(int ranks, int odd_from) {
  World world = two_communicators(ranks);
  for (Rank& rank : world.ranks()) {
    const bool odd = odd_from >= 0 ? rank.box.rank >= odd_from : rank.box.rank % 2 == 1;
    rank.in(odd ? "second" : "first").all_reduce("crossed").device_synchronize();
  }
  return world;
}

// Both orders are enqueued on one stream.
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

const Deadlocked kDeadOrders[] = {
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
    {"legacy_stream_orders_streams",  // s1 | legacy | s2: the work on s2 never begins
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
    {"grid_member_skips",  // columns {0,2} {1,3}; 1 waits for 3, which has gone past it
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         const std::string column = "column" + std::to_string(own % 2);
         rank.join(column, own / 2, 2);
         if (own % 2 == 0) rank.in(column).all_reduce("gradients").done(1);
         const bool waits = own == 1;
         rank.in(waits ? column : "world").all_reduce(waits ? "gradients" : "loss");
         rank.device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {1, 3},
     {0, 2, 3},
     "loss"},
    // Pairs {0,1} … {6,7}, replicas {even} {odd}. 5 leaves its pair's call out, and 4 waits there.
    // The
    // other even ranks only wait for 4.
    {"pair_member_skips",
     [] {
       World world(8);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         const std::string pair = "pair" + std::to_string(own / 2);
         const std::string replicas = "replicas" + std::to_string(own % 2);
         rank.join(pair, own % 2, 2).join(replicas, own / 2, 4);
         if (own / 2 != 2) rank.in(pair).all_reduce("layer").done(1);
         if (own == 4) {
           rank.in(pair).all_reduce("layer");
         } else {
           rank.in(replicas).all_reduce("gradients");
           if (own % 2 == 1) rank.done(own == 5 ? 1 : 2).in("world").all_reduce("loss");
         }
         rank.device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {4, 5},
     {4},
     "layer"},
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
};

INSTANTIATE_TEST_SUITE_P(Orders, Deadlock, testing::ValuesIn(kDeadOrders), name_of);

}  // namespace
}  // namespace gridlock::detect::states
