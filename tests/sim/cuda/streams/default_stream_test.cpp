// The legacy default stream orders with blocking streams, both ways, and with no other.
#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

TEST(CudaDefaultStream, WaitsForBlockingStreams) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  std::atomic<bool> gate_was_open{false};
  check(sim::launch(nullptr, [&] { gate_was_open.store(gate.is_open()); }));
  EXPECT_TRUE(waits_for(gate, [] { check(cudaStreamSynchronize(cudaStreamLegacy)); }));
  EXPECT_TRUE(gate_was_open.load());
}

TEST(CudaDefaultStream, BlockingStreamsWaitForIt) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(nullptr);
  std::atomic<bool> gate_was_open{false};
  check(sim::launch(stream, [&] { gate_was_open.store(gate.is_open()); }));
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(stream)); }));
  EXPECT_TRUE(gate_was_open.load());
}

// CUDA puts the wait before a blocking stream's next work, so without any the stream is done.
TEST(CudaDefaultStream, IdleBlockingStreamsDoNotWaitForIt) {
  const StreamOwner stream;
  Gate gate;
  gate.hold(nullptr);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  check(cudaStreamSynchronize(stream));  // returns while the default stream is held
  check(sim::launch(stream, [] {}));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(stream)); }));
}

TEST(CudaDefaultStream, EarlierWorkDoesNotWaitForIt) {
  const StreamOwner stream;
  Gate first;
  first.hold(stream);
  Gate second;
  second.hold(nullptr);  // behind the stream's work
  first.open();
  check(cudaStreamSynchronize(stream));  // returns while the default stream is held
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
}

TEST(CudaDefaultStream, NonBlockingStreamsDoNotCare) {
  const StreamOwner stream(cudaStreamNonBlocking);
  {
    Gate gate;
    gate.hold(nullptr);
    check(sim::launch(stream, [] {}));
    check(cudaStreamSynchronize(stream));  // returns while the default stream is held
  }
  check(cudaDeviceSynchronize());
  Gate gate;
  gate.hold(stream);
  check(sim::launch(nullptr, [] {}));
  check(cudaStreamSynchronize(nullptr));  // returns while the other stream is held
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST(CudaDefaultStream, PerThreadStreamIsABlockingStream) {
  Gate gate;
  gate.hold(cudaStreamPerThread);
  check(sim::launch(cudaStreamLegacy, [] {}));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [] { check(cudaStreamSynchronize(nullptr)); }));
}

TEST(CudaDefaultStream, PerThreadStreamsAreIndependentOfEachOther) {
  Gate gate;
  gate.hold(cudaStreamPerThread);
  bool done = false;
  std::thread([&] {
    check(sim::launch(cudaStreamPerThread, [&] { done = true; }));
    check(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  EXPECT_TRUE(done);
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
}

TEST(CudaDefaultStream, OrdersTwoBlockingStreamsAroundIt) {
  const StreamOwner first;
  const StreamOwner second;
  Gate gate;
  gate.hold(first);
  check(sim::launch(nullptr, [] {}));
  check(sim::launch(second, [] {}));  // behind the default stream, which is behind the first
  EXPECT_EQ(cudaStreamQuery(second), cudaErrorNotReady);
  EXPECT_TRUE(waits_for(gate, [&] { check(cudaStreamSynchronize(second)); }));
}

TEST(CudaDefaultStream, OfAnotherDeviceDoesNotCare) {
  if (const std::string why = sim_test::why_not_on(2); !why.empty()) GTEST_SKIP() << why;
  const StreamOwner stream;
  Gate gate;
  gate.hold(stream);
  check(cudaSetDevice(1));
  check(sim::launch(nullptr, [] {}));
  check(cudaDeviceSynchronize());
  check(cudaSetDevice(0));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
}

TEST(CudaDefaultStream, WaitsForADestroyedStream) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  Gate gate;
  gate.hold(stream);
  check(cudaStreamDestroy(stream));
  EXPECT_TRUE(waits_for(gate, [] { check(cudaStreamSynchronize(nullptr)); }));
}

// Two threads that mix the default stream with a blocking one cause waits in both directions. These
// waits must never form a cycle.
TEST(CudaDefaultStream, NeverDeadlocksWithItself) {
  const StreamOwner stream;
  const auto enqueue = [&](cudaStream_t target) {
    for (int i = 0; i < 2000; ++i) check(sim::launch(target, [] {}));
  };
  std::thread blocking([&] { enqueue(stream); });
  std::thread legacy([&] { enqueue(nullptr); });
  blocking.join();
  legacy.join();
  check(cudaDeviceSynchronize());
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
}

}  // namespace
