// Events: what a record covers, what waits for it, and the time between two.
#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

class CudaEvent : public testing::TestWithParam<unsigned int> {
 protected:
  void SetUp() override {
    check(cudaSetDevice(0));
    check(cudaEventCreateWithFlags(&event, GetParam()));
  }
  void TearDown() override { check(cudaEventDestroy(event)); }
  cudaEvent_t event = nullptr;
};

// Blocking: on a GPU the wait for any other event spins, and waits_for() looks for one that sleeps.
INSTANTIATE_TEST_SUITE_P(Flags, CudaEvent,
                         testing::Values(cudaEventBlockingSync,
                                         cudaEventBlockingSync | cudaEventDisableTiming));

TEST_P(CudaEvent, IsDoneBeforeItsFirstRecord) {
  const StreamOwner stream;
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  check(cudaEventSynchronize(event));
  check(cudaStreamWaitEvent(stream, event));
  check(cudaStreamSynchronize(stream));
}

TEST_P(CudaEvent, CoversTheWorkBeforeIt) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaEventRecord(event, stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaEventSynchronize(event)); }));
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
}

TEST_P(CudaEvent, DoesNotCoverTheWorkAfterIt) {
  const StreamOwner stream;
  check(sim::launch(stream, [] {}));
  check(cudaEventRecord(event, stream));
  Gate gate;
  gate.hold(stream);
  check(cudaEventSynchronize(event));  // returns while the gate is closed
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_P(CudaEvent, MakesAnotherStreamWaitAndNotTheHost) {
  const StreamOwner held;
  const StreamOwner waiting(cudaStreamNonBlocking);
  Gate gate;
  gate.hold(held);
  check(cudaEventRecord(event, held));
  check(cudaStreamWaitEvent(waiting, event));
  std::atomic<bool> gate_was_open{false};
  check(sim::launch(waiting, [&] { gate_was_open.store(gate.is_open()); }));
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(waiting)); }));
  EXPECT_TRUE(gate_was_open.load());
}

TEST_P(CudaEvent, RecordingAgainDoesNotDisturbThoseWhoWait) {
  const StreamOwner first;
  const StreamOwner second;
  const StreamOwner waiting;
  check(sim::launch(first, [] {}));
  check(cudaEventRecord(event, first));
  check(cudaStreamWaitEvent(waiting, event));
  Gate gate;
  gate.hold(second);
  check(cudaEventRecord(event, second));
  check(cudaStreamSynchronize(waiting));  // waits for the first record only
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
}

TEST_P(CudaEvent, InTheDefaultStreamCoversBlockingStreams) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaEventRecord(event, nullptr));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaEventSynchronize(event)); }));
}

TEST_P(CudaEvent, InABlockingStreamCoversTheDefaultStream) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(nullptr);
  check(cudaEventRecord(event, stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaEventSynchronize(event)); }));
}

TEST_P(CudaEvent, NeedsAStreamOfItsDevice) {
  if (const std::string why = sim_test::why_not_on(2); !why.empty()) GTEST_SKIP() << why;
  check(cudaSetDevice(1));
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  check(cudaSetDevice(0));
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  check(cudaEventSynchronize(event));
}

TEST(CudaEventHandle, DestroyDoesNotWait) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  check(cudaEventRecord(event, stream));
  check(cudaEventDestroy(event));  // returns while the gate is closed
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

TEST(CudaEventTime, GrowsAlongAStream) {
  const StreamOwner stream;
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle);
  Gate gate;
  check(cudaEventRecord(start, stream));
  gate.hold(stream);
  check(cudaEventRecord(end, stream));
  EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorNotReady);
  gate.open();
  check(cudaEventSynchronize(end));
  check(cudaEventElapsedTime(&ms, start, end));
  EXPECT_GT(ms, 0.0F);
  float back = 0;
  check(cudaEventElapsedTime(&back, end, start));
  EXPECT_EQ(back, -ms);
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(end));
}

TEST(CudaEventTime, IsThatOfTheLastRecord) {
  const StreamOwner held;
  const StreamOwner stream;
  cudaEvent_t event = nullptr;
  cudaEvent_t later = nullptr;
  check(cudaEventCreate(&event));
  check(cudaEventCreate(&later));
  Gate gate;
  gate.hold(held);
  check(cudaEventRecord(event, held));  // will run last
  check(cudaEventRecord(event, stream));
  check(cudaEventRecord(later, stream));
  check(cudaStreamSynchronize(stream));
  float before = 0;
  float after = 0;
  check(cudaEventElapsedTime(&before, event, later));
  gate.open();
  check(cudaStreamSynchronize(held));
  check(cudaEventElapsedTime(&after, event, later));
  EXPECT_EQ(before, after);
  check(cudaEventDestroy(event));
  check(cudaEventDestroy(later));
}

TEST(CudaEventTime, IsNotThereWithoutTiming) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaEventRecord(event, nullptr));
  check(cudaEventSynchronize(event));
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, event), cudaErrorInvalidResourceHandle);
  check(cudaEventDestroy(event));
}

}  // namespace
