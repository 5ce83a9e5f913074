// A rank that never launches an announced call is missing there.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

const Deadlocked kDeadAnnounced[] = {
    {"synchronizes_inside_a_group",
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("before");
       world[0].on(world[0].add_stream()).group_begin().in("second").all_reduce("inside");
       world[0].announce_only().device_synchronize();
       world[1].in("second").all_reduce("inside").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {1},
     "inside"},
    {"allocates_inside_a_group",
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("before");
       world[0].on(world[0].add_stream()).group_begin().in("second").all_reduce("inside");
       world[0].announce_only().call_on_device(Call::device_malloc);
       world[1].in("second").all_reduce("inside").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "before"},
    // The copy waits for the legacy stream through extra work, which has no position yet.
    {"copy_behind_the_legacy_stream",
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const std::uint32_t legacy = rank.add_stream(false, true);
         const std::uint32_t blocking = rank.add_stream(false);
         rank.on(legacy).in(rank.box.rank == 0 ? "first" : "second").all_reduce("crossed");
         const Event behind = rank.record_event();
         rank.on(blocking).wait_event(behind).announce_only();
         rank.copy_on(blocking);
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "crossed"},
};

INSTANTIATE_TEST_SUITE_P(Announced, Deadlock, testing::ValuesIn(kDeadAnnounced), name_of);

}  // namespace
}  // namespace gridlock::detect::states
