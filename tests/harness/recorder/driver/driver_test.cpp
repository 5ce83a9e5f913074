// What the recorder does with drivers that lack functions, fail later, or are late.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

struct Ended {
  std::string output;
  record::Snapshot box;
};

Ended after(const char* part, const std::vector<std::string>& script = {},
            const char* program = GRIDLOCK_PROGRAM) {
  Recorded child({program, part}, script);
  EXPECT_EQ(child.wait(), 0) << child.output();
  Ended ended{.output = child.output(), .box = child.look()};
  EXPECT_EQ(ended.box.damage, "");
  EXPECT_EQ(ended.box.backend, "cuda");
  EXPECT_EQ(ended.box.pid, child.pid());
  return ended;
}

// How the progress words of a stream with three operations move: "started/completed" after each
// piece of work. No word may ever move back.
struct Driver {
  const char* name;
  std::vector<std::string> script;
  const char* words;
  bool polled;
  const char* program = GRIDLOCK_PROGRAM;
};
std::ostream& operator<<(std::ostream& out, const Driver& driver) { return out << driver.name; }

// A word, the operation, a word; or the operation and an event.
constexpr const char* kWritten = "0/0 1/0 1/0 1/1 2/1 2/1 2/2 3/2 3/2 3/3 error 0";
constexpr const char* kPolled = "0/0 0/0 1/1 1/1 2/2 2/2 3/3 error 0";

const Driver kDrivers[] = {
    {"Writes", {}, kWritten, false},
    {"HasTheOlderCallOnly", {}, kWritten, false, GRIDLOCK_OLD_PROGRAM},
    {"AnswersTheOlderCallOnly", {"DRIVER_ENTRY=older"}, kWritten, false},
    {"KnowsNoEntryPoints", {"DRIVER_ENTRY=none"}, kPolled, true},
    {"FindsNothing", {"DRIVER_ENTRY=null"}, kPolled, true},
    {"HasNothing", {"DRIVER_ENTRY=none"}, kPolled, true, GRIDLOCK_OLD_PROGRAM},
    {"RegistersNoMemory", {"DRIVER_REGISTER=refused"}, kPolled, true},
    {"NeverWrites", {"DRIVER_WRITES=0"}, kPolled, true},
    {"RefusesToWriteAStart",
     {"DRIVER_WRITES=4"},
     "0/0 1/0 1/0 1/1 2/1 2/1 2/2 2/2 3/3 error 0",
     true},
    // No event says more than the words then.
    {"LosesItsDevice",
     {"DRIVER_WRITES=4", "DRIVER_BROKEN=1"},
     "0/0 1/0 1/0 1/1 2/1 2/1 2/2 2/2 error 0",
     false},
    {"RefusesToWriteAnEnd",
     {"DRIVER_WRITES=3"},
     "0/0 1/0 1/0 1/1 2/1 2/1 2/2 2/2 3/3 error 0",
     true},
};

class OnADriverThat : public testing::TestWithParam<Driver> {};

TEST_P(OnADriverThat, ProgressIsSeen) {
  const Driver& driver = GetParam();
  const Ended ended = after("steps", driver.script, driver.program);
  EXPECT_EQ(ended.output, driver.words);
  ASSERT_EQ(ended.box.streams.size(), 1U);
  EXPECT_EQ(ended.box.streams[0].polled, driver.polled);
  EXPECT_EQ(ended.box.polls > 0, driver.polled) << "a thread where none is needed, or none";
  EXPECT_EQ(ended.box.streams[0].enqueued, 3U);
  EXPECT_EQ(ended.box.streams[0].missed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Drivers, OnADriverThat, testing::ValuesIn(kDrivers),
                         [](const auto& driver) { return std::string(driver.param.name); });

TEST(Driver, MakesTooFewEvents) {
  const Ended ended = after("steps", {"DRIVER_REGISTER=refused", "DRIVER_EVENTS=1"});
  EXPECT_EQ(ended.output, "0/0 0/0 1/1 1/1 1/1 error 0");
  ASSERT_EQ(ended.box.streams.size(), 1U);
  EXPECT_EQ(ended.box.streams[0].missed, 3U) << "nobody would see what is past of these";
}

TEST(Driver, GetsEachCallOnceAndAsItWas) {
  const Ended ended = after("calls");
  EXPECT_EQ(ended.output,
            "cudaStreamCreateWithFlags 1\n"
            "cudaStreamCreateWithFlags 1\n"
            "pncclCommInitRank 2 1\n"
            "pncclAllReduce 0x7000 0x8000 8 7 2 0x50000 0x1000\n"
            "pncclGroupStart\n"
            "pncclSend 0x7000 3 0 0 0x50000 0x1000\n"
            "pncclAllReduce 0x7000 0x7000 5 0 0 0x50000 0x1010\n"
            "pncclGroupEnd\n"
            "cudaEventRecord 0x1020 0x1000\n"
            "cudaStreamWaitEvent 0x1010 0x1020 1\n"
            "cudaStreamSynchronize 0x1010\n"
            "error 0");
  EXPECT_EQ(ended.box.operations.size(), 4U);
}

// A pair connects at its first message, and an all-to-all is made of messages. That cannot be
// turned off.
TEST(Driver, ConnectsWhereNcclDoes) {
  const std::string messages =
      "pncclSend* pncclSend pncclGroupStart pncclSend pncclGroupEnd* pncclAlltoAll* pncclAlltoAll "
      "error 0";
  EXPECT_EQ(after("connections").output, "pncclAllReduce* pncclAllReduce " + messages);
  EXPECT_EQ(after("connections", {"NCCL_RUNTIME_CONNECT=0"}).output,
            "pncclAllReduce pncclAllReduce " + messages);
}

// A call in a group launches nothing by itself.
TEST(Driver, SeesWhatLaunches) {
  EXPECT_EQ(after("launching", {"NCCL_RUNTIME_CONNECT=0"}).output,
            "pncclAllReduce=all_reduce pncclGroupStart= pncclAllReduce= pncclGroupEnd=group_end "
            "cudaLaunchKernel=kernel_launch cudaLaunchHostFunc=host_function waits for nothing");
}

TEST(Driver, LaunchesNoMoreAfterAJump) {
  EXPECT_EQ(after("jumps_out_of_a_launch", {"NCCL_RUNTIME_CONNECT=0"}).output, "waits for nothing");
}

// An operation is not visible to others before its call has returned, and a failed call leaves
// none. A group is one launch, with one position.
TEST(Driver, HasWhatIsLaunched) {
  const Ended ended = after("launches", {"NCCL_RUNTIME_CONNECT=0"});
  EXPECT_EQ(ended.output,
            "pncclAllReduce 0/0 pncclGroupStart 1/1 pncclAllReduce 10/1 pncclAllReduce 100/1 "
            "pncclGroupEnd 100/1 end 1220/2 ");
  ASSERT_EQ(ended.box.operations.size(), 4U);
  EXPECT_EQ(ended.box.operations[3].call, record::Call::event_wait);
  EXPECT_EQ(ended.box.operations[3].result, record::kDropped);
}

TEST(Driver, IsSeenToOrderDefaultStreamsInWhateverCall) {
  EXPECT_EQ(after("default_streams").output, "error 0");
}

// Only NCCL's destroy and abort always block. The child is known by the handle that it gets later.
TEST(Driver, ClosesCommunicatorsAsNcclDoes) {
  const Ended ended = after("closings", {"NCCL_RUNTIME_CONNECT=0"});
  EXPECT_EQ(ended.output,
            "pncclCommSplit pncclCommGetAsyncError pncclAllReduce pncclCommFinalize "
            "pncclCommFinalize pncclCommDestroy* pncclCommAbort* error 0");
  ASSERT_EQ(ended.box.operations.size(), 1U);
  EXPECT_EQ(ended.box.operations[0].communicator, 3U);
}

TEST(Driver, LaunchesAGroupThatItShouldSimulate) {
  const Ended ended = after("simulates_without_blocking", {"NCCL_RUNTIME_CONNECT=0"});
  ASSERT_EQ(ended.box.operations.size(), 2U);
  EXPECT_EQ(ended.box.operations[0].result, 0);
  EXPECT_EQ(ended.box.operations[0].slot, 0U);
  EXPECT_EQ(ended.box.operations[1].slot, 1U);
}

TEST(Driver, MakesASplitBesideARefusedCall) {
  const Ended ended = after("splits_beside_a_refusal");
  constexpr std::uint64_t kInitAndSplit = 2;
  EXPECT_EQ(ended.box.communicators.at(0).calls, kInitAndSplit);
}

// As an H100 did.
TEST(Driver, WaitsInTheEndOfARegistration) {
  EXPECT_EQ(after("unregisters").output, "cudaHostUnregister* error 0");
}

TEST(Driver, IsPolledOnTheStreamsDeviceAlone) {
  EXPECT_EQ(after("other_device", {"DRIVER_REGISTER=refused"}).output,
            "0/0 0/0 1/1 1/1 2/2 2/2 3/3 3/3 4/4 contexts 2, missed 0, error 0");
}

TEST(Driver, FailsWithoutAnythingBeingPast) {
  EXPECT_EQ(after("failing_device", {"DRIVER_REGISTER=refused"}).output, "0/0 0/0 ");
}

// One operation on a held stream, then four on another one, two of them captured.
void expect_captured(const Ended& ended) {
  ASSERT_EQ(ended.box.operations.size(), 5U);
  const auto& operations = ended.box.operations;
  EXPECT_EQ(operations[1].position, 1U);
  EXPECT_EQ(operations[2].position, 0U) << "captured";
  EXPECT_EQ(operations[3].position, 0U) << "captured, after an end that was none";
  EXPECT_EQ(operations[4].position, 2U);
  for (std::size_t at = 2; at <= 4; ++at) EXPECT_EQ(operations[at].stream, operations[1].stream);
}

TEST(Driver, PutsNothingOfOursIntoAGraph) {
  for (const char* part : {"captured", "captured_to_graph"}) {
    for (const char* script : {"DRIVER_REGISTER=", "DRIVER_REGISTER=refused", "DRIVER_WRITES=2"}) {
      SCOPED_TRACE(std::string(part) + " " + script);
      const Ended ended = after(part, {script});
      EXPECT_EQ(ended.output, "captured 2, spoilt 0, 2/2 error 0");
      expect_captured(ended);
    }
  }
}

TEST(Driver, LetsNoCaptureBeginBesideAMark) {
  EXPECT_EQ(after("captured_beside_a_mark").output, "captured 0, 2/2 error 0");
}

// The first mark waits for the end of the call in vain, and the next ones know that.
TEST(Driver, MayNeverReturnFromACallThatCaptures) {
  const Ended ended = after("jumps_out_of_a_capture");
  EXPECT_EQ(ended.output, "captured 0, 4/4 error 0");
  EXPECT_EQ(ended.box.streams.at(0).missed, 2U);
}

TEST(Driver, IsPreparedBesideACapture) {
  const Ended ended = after("joins_while_capturing");
  EXPECT_EQ(ended.output, "captured 0, spoilt 0, 1/1 error 0");
  EXPECT_FALSE(ended.box.streams.at(0).polled) << "the page of the words is registered";
}

}  // namespace
}  // namespace gridlock
