// An operation that is announced but not launched holds up nobody. Neither does one that may come
// later on the stream.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {
namespace {

// Rank 1 waits in "second"; it calls "first" after that.
World second_before_first() {
  World world = two_communicators(2);
  world[1].in("second").all_reduce("second").device_synchronize();
  return world;
}

const Living kAliveAnnounced[] = {
    {"group_open_over_an_allocation",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       const std::uint32_t other = rank.add_stream();
       rank.on(other).host_function("reads a file");
       rank.on(0).group_begin().in("first").all_reduce("first").announce_only();
       rank.call_on_device(Call::device_malloc);
       return world;
     }},
    // Its kernel is still being compiled, and nothing that could hold it up is on the device.
    {"launch_with_nothing_before_it",
     [] {
       World world = second_before_first();
       world[0].call_on_device(Call::kernel_launch);
       world.parameters.now_ns = world[0].box.threads[0].since_ns;
       return world;
     }},
    {"launch_behind_what_ends",
     [] {
       World world = second_before_first();
       world[0].on(world[0].add_stream()).host_function("reads a file");
       world[0].in("second").all_reduce("second").announce_only();
       world[0].call_on_device(Call::all_reduce);
       world.parameters.now_ns = world[0].box.threads[0].since_ns;
       return world;
     }},
    {"synchronize_beside_a_thread_that_connects",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       rank.in("first").all_reduce("first").connect();
       rank.thread(rank.add_thread()).device_synchronize();
       return world;
     }},
    {"operation_behind_one_that_connects",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       rank.in("first").all_reduce("first").connect();
       rank.thread(rank.add_thread()).in("second").all_reduce("second").stream_synchronize();
       return world;
     }},
    {"nccl_launches_what_the_host_has_called",
     [] {
       World world = two_communicators(2);
       world[1].in("first").all_reduce("first").device_synchronize();
       Rank& rank = world[0];
       const std::uint32_t other = rank.add_stream();
       rank.in("first").all_reduce("first").nccl_will_launch();
       rank.on(other).in("second").all_reduce("second").stream_synchronize();
       return world;
     }},
    {"calls_of_two_threads_on_a_stream_overlapped",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       rank.in("first").all_reduce("first").stream_synchronize();
       rank.thread(rank.add_thread()).in("second").all_reduce("second");
       rank.box.operations.back().called = 0;  // it may be the first on the stream
       rank.stream_synchronize();
       return world;
     }},
    {"group_ended_after_another_threads_call",
     [] {
       World world(2);
       Rank& rank = world[0];
       const std::uint32_t other = rank.add_stream();
       rank.all_reduce("in the group");
       rank.thread(rank.add_thread()).on(other).all_reduce("of the other thread");
       record::Operation& grouped = rank.box.operations[0];
       record::Operation& alone = rank.box.operations[1];
       std::swap(grouped.launched, alone.launched);
       std::swap(grouped.called, alone.called);
       std::swap(grouped.slot, alone.slot);
       rank.device_synchronize();
       rank.thread(0).device_synchronize();
       world[1].all_reduce("of the other thread").stream_synchronize();
       return world;
     }},
    {"called_on_the_legacy_stream_before_a_blocking_stream_was_held",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       const std::uint32_t legacy = rank.add_stream(false, true);
       const std::uint32_t blocking = rank.add_stream(false);
       rank.on(blocking).in("first").all_reduce("first");
       rank.on(legacy).in("second").all_reduce("second").not_started();
       rank.box.operations.back().called = 0;
       rank.device_synchronize();
       return world;
     }},
    {"launched_after_the_wait_began",
     [] {
       World world = second_before_first();
       Rank& rank = world[0];
       rank.device_synchronize();
       rank.thread(rank.add_thread()).in("first").all_reduce("first").stream_synchronize();
       return world;
     }},
};

INSTANTIATE_TEST_SUITE_P(Announced, Healthy, testing::ValuesIn(kAliveAnnounced), name_of_living);

}  // namespace
}  // namespace gridlock::detect::states
