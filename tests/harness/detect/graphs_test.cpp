// What a CUDA graph does between its communications is not recorded: its branches have no order,
// and its host functions may run at any time.
#include <gtest/gtest.h>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Graph;

void came_by(Rank& rank, Graph graph) {
  for (record::Operation& operation : rank.box.operations) operation.graph = graph;
}

// Two launches at once that name two communicators in different orders.
World crossed(Graph graph) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.join("second", rank.box.rank, 2);
    const bool turned = rank.box.rank == 1;
    rank.group_begin();
    rank.in(turned ? "second" : "world").all_reduce("earlier");
    rank.in(turned ? "world" : "second").all_reduce("later");
    rank.group_end().device_synchronize();
    came_by(rank, graph);
  }
  return world;
}

TEST(Graphs, HaveNoOrderBetweenTheirCommunicators) {
  EXPECT_EQ(crossed(Graph::none).verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(crossed(Graph::launched).verdict().outcome, Outcome::running);
}

// One launch that names the first communicator, the second and again the first; rank 1's names the
// second one last.
World in_turn(Graph graph) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.join("second", rank.box.rank, 2);
    rank.group_begin();
    rank.in("world").all_reduce("first");
    if (rank.box.rank == 0) rank.in("second").all_reduce("other");
    rank.in("world").all_reduce("again");
    if (rank.box.rank == 1) rank.in("second").all_reduce("other");
    rank.group_end().device_synchronize();
    came_by(rank, graph);
  }
  world[0].box.operations[2].leader = 0;  // each run of calls on a communicator is a group
  return world;
}

TEST(Graphs, RunTheirCommunicationsInTurnIfTheyAreALine) {
  EXPECT_EQ(in_turn(Graph::line).verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(in_turn(Graph::launched).verdict().outcome, Outcome::running);
}

// Rank 1 sleeps until its own device wakes it, and its device waits for rank 0 in a graph.
World asleep_beside(Graph graph) {
  World world = absent({key(1)});
  for (Rank& rank : world.ranks()) rank.join("second", rank.box.rank, 2);
  world[1].in("second").all_reduce("captured");
  came_by(world[1], graph);
  return world;
}

TEST(Graphs, MayCallTheHostBeforeTheirCommunications) {
  EXPECT_EQ(asleep_beside(Graph::launched).finding().dead, (std::vector<int>{0, 1}));
  EXPECT_EQ(asleep_beside(Graph::calls_host).finding().dead, std::vector<int>{});
}

// The ranks captured nodes whose order only the edges of the graph tell.
TEST(Graphs, OfUnknownOrderProveNothingAboutTheirCommunicators) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.all_reduce("gradients").device_synchronize();
  world[1].exit(0);
  world[0].all_reduce("one more");
  EXPECT_EQ(world.finding().dead, std::vector<int>{0});
  world[0].box.communicators[0].uncertain = true;
  EXPECT_EQ(world.finding().dead, std::vector<int>{});
}

}  // namespace
}  // namespace gridlock::detect::states
