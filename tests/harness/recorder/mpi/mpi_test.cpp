// What the box says about a program that uses MPI.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Call;
using record::Snapshot;
using record::Waits;

std::vector<std::string> program(const std::string& part) { return {GRIDLOCK_PROGRAM, part}; }

Snapshot stuck(Recorded& child, Call call) {
  return child.look_until([call](const Snapshot& seen) {
    return std::any_of(seen.threads.begin(), seen.threads.end(),
                       [call](const auto& thread) { return thread.call == call; });
  });
}

const record::Communicator* named(const Snapshot& snapshot, const std::string& name) {
  const auto& all = snapshot.communicators;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<record::Operation> calls(const Snapshot& snapshot, Call call) {
  std::vector<record::Operation> found;
  std::copy_if(snapshot.operations.begin(), snapshot.operations.end(), std::back_inserter(found),
               [call](const auto& operation) { return operation.call == call; });
  return found;
}

TEST(MpiRecord, HoldsEveryCallAndItsEnd) {
  Recorded child(program("everything"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  const Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_NE(snapshot.mpi.find("MPICH"), std::string::npos) << snapshot.mpi;
  const record::Communicator* world = named(snapshot, "MPI_COMM_WORLD");
  ASSERT_NE(world, nullptr);
  EXPECT_TRUE(world->mpi);
  EXPECT_FALSE(world->uncertain);
  EXPECT_FALSE(snapshot.mpi_was_given_up());
  EXPECT_EQ(world->size, 1);
  EXPECT_EQ(world->state, record::CommunicatorState::closed);
  const record::Communicator* made = named(snapshot, "child");
  ASSERT_NE(made, nullptr);
  EXPECT_NE(made->id, world->id);
  EXPECT_EQ(made->next_slot, 1U);
  EXPECT_EQ(made->state, record::CommunicatorState::closed);
  EXPECT_EQ(calls(snapshot, Call::mpi_allreduce).at(0).count, 4U);
  EXPECT_EQ(calls(snapshot, Call::mpi_barrier).size(), 2U);
  EXPECT_EQ(calls(snapshot, Call::mpi_scatter).size(), 1U);
  EXPECT_EQ(calls(snapshot, Call::mpi_gather).size(), 1U);
  EXPECT_EQ(calls(snapshot, Call::mpi_send).size(), 3U);
  EXPECT_EQ(calls(snapshot, Call::mpi_recv).size(), 3U);
  // Both receives from any source have recorded what they got, and count like the others.
  const auto got = calls(snapshot, Call::mpi_got);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].peer, 0);
  EXPECT_EQ(got[0].tag, 8);
  EXPECT_EQ(got[0].slot, 0U);
  EXPECT_EQ(got[1].tag, 7);
  EXPECT_EQ(got[1].slot, 1U);
  for (const record::Stream& stream : snapshot.streams) {
    EXPECT_EQ(stream.completed, stream.enqueued);
  }
}

TEST(MpiRecord, OfACallThatWaits) {
  Recorded child(program("sends_to_itself"));
  const Snapshot snapshot = stuck(child, Call::mpi_ssend);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  const record::Thread& thread = snapshot.threads[0];
  EXPECT_EQ(thread.call, Call::mpi_ssend);
  EXPECT_EQ(thread.waits, Waits::stream);
  ASSERT_LT(thread.stream, snapshot.streams.size());
  const record::Stream& queue = snapshot.streams[thread.stream];
  EXPECT_TRUE(queue.mpi);
  EXPECT_EQ(queue.started, thread.position);
  EXPECT_EQ(queue.completed, thread.position - 1);
  const auto sent = calls(snapshot, Call::mpi_ssend);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].peer, 0);
  EXPECT_EQ(sent[0].tag, 7);
  EXPECT_EQ(sent[0].stream, thread.stream);
  EXPECT_NE(sent[0].callers[0], 0U);
}

TEST(MpiRecord, OfAReceiveOfAnything) {
  Recorded child(program("receives_anything"));
  const auto received = calls(stuck(child, Call::mpi_recv), Call::mpi_recv);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].peer, record::kAnyPeer);
  EXPECT_EQ(received[0].tag, record::kAnyTag);
}

TEST(MpiRecord, OfAWaitForAnyOfItsRequests) {
  Recorded child(program("waits_for_any"));
  const Snapshot snapshot = stuck(child, Call::mpi_waitany);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::any_request);
  ASSERT_EQ(snapshot.threads[0].requests.size(), 2U);
  for (const std::uint32_t request : snapshot.threads[0].requests) {
    EXPECT_EQ(snapshot.streams.at(request).completed + 1, snapshot.streams.at(request).enqueued);
  }
}

TEST(MpiRecord, HoldsCallsByTheNamesForTools) {
  Recorded child(program("calls_by_the_names_for_tools"));
  const Snapshot snapshot = stuck(child, Call::mpi_recv);
  EXPECT_EQ(calls(snapshot, Call::mpi_barrier).size(), 1U);
  EXPECT_EQ(calls(snapshot, Call::mpi_send).size(), 1U);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::stream);
}

TEST(MpiRecord, OfATestOfAllItsRequests) {
  Recorded child(program("tests_for_all"));
  const Snapshot snapshot = child.look_until([](const Snapshot& seen) {
    return seen.threads.size() == 1 && seen.threads[0].asked.at_ns != 0;
  });
  const record::Thread::Asked& question = snapshot.threads[0].asked;
  EXPECT_EQ(question.waits, Waits::all_requests);
  EXPECT_TRUE(snapshot.streams.at(question.of).mpi);
  EXPECT_EQ(question.position, snapshot.streams.at(question.of).enqueued);
}

TEST(MpiRecord, OfATestForAnyIsNoQuestion) {
  Recorded child(program("tests_for_any"));
  const Snapshot snapshot = child.look_until(
      [](const Snapshot& seen) { return calls(seen, Call::mpi_recv).size() == 2; });
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].asked.at_ns, 0);
}

TEST(MpiRecord, AWaitForWhatIsNotRecordedIsNone) {
  Recorded child(program("waits_for_a_persistent_one_too"));
  const Snapshot snapshot = stuck(child, Call::mpi_waitany);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::nothing);
  EXPECT_TRUE(named(snapshot, "MPI_COMM_WORLD")->uncertain);
}

TEST(MpiRecord, SaysWhenMessagesCannotBeCounted) {
  for (const char* part : {"overlapping_receives", "more_requests_than_fit"}) {
    Recorded child(program(part));
    const Snapshot snapshot = stuck(child, Call::mpi_waitall);
    ASSERT_NE(named(snapshot, "MPI_COMM_WORLD"), nullptr) << part;
    EXPECT_TRUE(named(snapshot, "MPI_COMM_WORLD")->uncertain) << part;
    EXPECT_EQ(snapshot.damage, "") << part;
  }
}

TEST(MpiRecord, EndsWithACallThatFails) {
  Recorded child(program("goes_on_after_an_error"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  const Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.mpi, "not recorded: a call has failed");
  EXPECT_TRUE(snapshot.mpi_was_given_up());
  EXPECT_EQ(calls(snapshot, Call::mpi_send).size(), 1U);
  EXPECT_TRUE(calls(snapshot, Call::mpi_barrier).empty());
}

// While MPI's error handler takes its time, the rank waits for nobody.
TEST(MpiRecord, LeavesOutMessagesThatMpiRefusesForTheirArguments) {
  Recorded child(program("is_refused"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  const Snapshot snapshot = child.look();
  EXPECT_FALSE(snapshot.mpi_was_given_up()) << snapshot.mpi;
  EXPECT_TRUE(calls(snapshot, Call::mpi_recv).empty());
  EXPECT_TRUE(calls(snapshot, Call::mpi_send).empty());
  EXPECT_EQ(calls(snapshot, Call::mpi_barrier).size(), 1U);
}

TEST(MpiRecord, ClosesACommunicatorOnlyIfMpiFreesIt) {
  Recorded child(program("frees"));
  const Snapshot snapshot = stuck(child, Call::mpi_recv);
  const record::Communicator* world = named(snapshot, "MPI_COMM_WORLD");
  ASSERT_NE(world, nullptr);
  EXPECT_EQ(world->state, record::CommunicatorState::ready);
  EXPECT_EQ(world->next_slot, 1U) << "its handle is known";
  EXPECT_NE(world->last_call, Call::mpi_comm_free);
  const record::Communicator* freed = named(snapshot, "child");
  ASSERT_NE(freed, nullptr);
  EXPECT_EQ(freed->state, record::CommunicatorState::closed);
  EXPECT_EQ(freed->last_call, Call::mpi_comm_free);
}

TEST(MpiRecord, TakesAHandleThatComesBackForAnother) {
  Recorded child(program("frees_in_a_callback"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  EXPECT_TRUE(calls(child.look(), Call::mpi_barrier).empty());
}

TEST(MpiRecord, UsesItsPlacesAgain) {
  Recorded child(program("many_messages"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  const Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_FALSE(named(snapshot, "MPI_COMM_WORLD")->uncertain);
  EXPECT_EQ(calls(snapshot, Call::mpi_recv).back().slot, 1999U);
}

TEST(MpiRecord, AReceiveFromAnySourceCountsOnItsOwnCommunicator) {
  Recorded child(program("outlives_its_communicator"));
  ASSERT_EQ(child.wait(), 0) << child.output();
  EXPECT_TRUE(calls(child.look(), Call::mpi_got).empty());
}

}  // namespace
}  // namespace gridlock
