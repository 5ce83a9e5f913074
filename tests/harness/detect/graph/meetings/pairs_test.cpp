// One side of a message: in flight, past, or never called.
#include "harness/detect/graph/meetings/pairs.h"

#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect {
namespace {

using states::World;

Arrival::Kind sent(World world, std::uint64_t number) {
  const std::vector<record::Snapshot> shown = world.snapshots();
  Ledger ledger;
  ledger.add(shown);
  WaitGraph graph;
  graph.build(shown, {}, &ledger, Hosts::may_act);
  const Index entry = graph.entry_of(0, 0);
  return find_message(graph, &ledger, entry, 1, number, true).kind;
}

TEST(FindMessage, InFlight) {
  World world(2);
  world[0].send(1);
  EXPECT_EQ(sent(world, 0), Arrival::in_flight);
  EXPECT_EQ(sent(world, 1), Arrival::not_called);
}

TEST(FindMessage, NeverCalled) { EXPECT_EQ(sent(World(2), 0), Arrival::not_called); }

TEST(FindMessage, Past) {
  World world(2);
  world[0].send(1).done(1);
  world[0].send(1);
  EXPECT_EQ(sent(world, 0), Arrival::past);
  EXPECT_EQ(sent(world, 1), Arrival::in_flight);
}

// Between two looks came more operations than the ring holds, so only the counts show them.
World overrun(std::uint64_t sends) {
  World world(2);
  world[0].all_reduce("loss");
  world[0].box.operations.front().index = 9000;
  world[0].box.communicators[0].messages = {{.peer = 1, .sends = true, .count = sends},
                                            {.peer = 1, .sends = false, .count = 9}};
  return world;
}

TEST(FindMessage, IsCountedWhereNoOperationShowsIt) {
  World world = overrun(5);
  EXPECT_EQ(sent(world, 5), Arrival::past) << "who may be wrong is not proven";
  world[0].box.communicators[0].counts_messages = true;
  EXPECT_EQ(sent(world, 4), Arrival::past);
  EXPECT_EQ(sent(world, 5), Arrival::not_called);
}

TEST(FindMessage, NothingIsKnownOfWhoIsNotTrusted) {
  World world(2);
  world[0].box.overrun = true;
  EXPECT_EQ(sent(world, 0), Arrival::past);
}

}  // namespace
}  // namespace gridlock::detect
