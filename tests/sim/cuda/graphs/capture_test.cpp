// Stream capture: what goes into a graph, what a capture forbids, and what invalidates it.
#include <thread>

#include "tests/sim/cuda/graphs/graph.h"

namespace {

using sim_test::Buffer;
using sim_test::capture;
using sim_test::check;
using sim_test::EventOwner;
using sim_test::launch;
using sim_test::node_count;
using sim_test::StreamOwner;

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
  return status;
}

// Ends a capture that must fail with `error`.
void expect_end(cudaStream_t stream, cudaError_t error) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), error);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status_of(stream), cudaStreamCaptureStatusNone);
}

TEST(CudaCapture, CapturedWorkDoesNotRunBeforeALaunchAndRunsAtEach) {
  const StreamOwner stream;
  int runs = 0;
  const cudaGraph_t graph = capture(stream, [&] {
    check(cudaLaunchHostFunc(
        stream, [](void* count) { ++*static_cast<int*>(count); }, &runs));
  });
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(node_count(graph), 1U);
  launch(graph, stream, 3);
  EXPECT_EQ(runs, 3);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, ACopyReadsItsPageableSourceAtTheLaunch) {
  const StreamOwner stream;
  Buffer device(sizeof(int));
  int source = 1;
  int result = 0;
  const cudaGraph_t graph = capture(stream, [&] {
    check(cudaMemcpyAsync(device.data(), &source, sizeof source, cudaMemcpyHostToDevice, stream));
    check(cudaMemcpyAsync(&result, device.data(), sizeof source, cudaMemcpyDeviceToHost, stream));
  });
  source = 2;
  launch(graph, stream, 1);
  EXPECT_EQ(result, 2);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, SaysWhereItIs) {
  const StreamOwner stream;
  EXPECT_EQ(status_of(stream), cudaStreamCaptureStatusNone);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
  Buffer device(4);
  check(cudaMemsetAsync(device.data(), 0, 4, stream));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t during = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  check(cudaStreamGetCaptureInfo(stream, &status, &id, &during, &nodes, nullptr, &count));
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_NE(id, 0U);
  ASSERT_EQ(count, 1U);
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  check(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT_EQ(type, cudaGraphNodeTypeMemset);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(graph, during);
  check(cudaGraphDestroy(graph));
  expect_end(stream, cudaErrorIllegalState);
}

TEST(CudaCapture, AnEventTakesAnotherStreamIn) {
  const StreamOwner first;
  const StreamOwner second;
  const EventOwner fork;
  const EventOwner join;
  int order = 0;
  int seen[3] = {};
  struct Step {
    int* order;
    int* seen;
  } steps[3] = {{&order, &seen[0]}, {&order, &seen[1]}, {&order, &seen[2]}};
  const auto run = [](void* step) {
    auto& at = *static_cast<Step*>(step);
    *at.seen = ++*at.order;
  };
  const cudaGraph_t graph = capture(first, [&] {
    check(cudaLaunchHostFunc(first, run, &steps[0]));
    check(cudaEventRecord(fork, first));
    check(cudaStreamWaitEvent(second, fork, 0));
    EXPECT_EQ(status_of(second), cudaStreamCaptureStatusActive);
    check(cudaLaunchHostFunc(second, run, &steps[1]));
    check(cudaEventRecord(join, second));
    check(cudaStreamWaitEvent(first, join, 0));
    check(cudaLaunchHostFunc(first, run, &steps[2]));
  });
  EXPECT_EQ(status_of(second), cudaStreamCaptureStatusNone);
  EXPECT_EQ(node_count(graph), 3U);
  launch(graph, first, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(seen[i], i + 1);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, AStreamThatDoesNotComeBackIsUnjoined) {
  const StreamOwner first;
  const StreamOwner second;
  const EventOwner fork;
  Buffer device(4);
  check(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  check(cudaEventRecord(fork, first));
  check(cudaStreamWaitEvent(second, fork, 0));
  check(cudaMemsetAsync(device.data(), 0, 4, second));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureUnmatched);
  expect_end(first, cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(status_of(second), cudaStreamCaptureStatusNone);
}

TEST(CudaCapture, NodesThatAreTakenFromAStreamNeedNotBeJoined) {
  const StreamOwner first;
  const StreamOwner second;
  const EventOwner fork;
  Buffer device(4);
  const cudaGraph_t graph = capture(first, [&] {
    check(cudaEventRecord(fork, first));
    check(cudaStreamWaitEvent(second, fork, 0));
    check(cudaMemsetAsync(device.data(), 0, 4, second));
    check(cudaStreamUpdateCaptureDependencies(second, nullptr, nullptr, 0,
                                              cudaStreamSetCaptureDependencies));
  });
  EXPECT_EQ(node_count(graph), 1U);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, WaitsForACapturedStreamSpoilIt) {
  const StreamOwner stream;
  const EventOwner event;
  const auto spoils = [&](cudaError_t expected, auto call) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    check(cudaEventRecord(event, stream));
    EXPECT_EQ(call(), expected);
    EXPECT_EQ(status_of(stream), cudaStreamCaptureStatusInvalidated);
    EXPECT_EQ(cudaMemsetAsync(nullptr, 0, 0, stream), cudaSuccess) << "nothing to capture";
    EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorStreamCaptureInvalidated);
    expect_end(stream, cudaErrorStreamCaptureInvalidated);
  };
  spoils(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamSynchronize(stream); });
  spoils(cudaErrorStreamCaptureUnsupported, [&] { return cudaStreamQuery(stream); });
  spoils(cudaErrorStreamCaptureUnsupported, [&] { return cudaDeviceSynchronize(); });
  spoils(cudaErrorCapturedEvent, [&] { return cudaEventSynchronize(event); });
  spoils(cudaErrorCapturedEvent, [&] { return cudaEventQuery(event); });
  check(cudaGetLastError() == cudaSuccess ? cudaErrorUnknown : cudaSuccess);
}

TEST(CudaCapture, WaitingForAnEventOutsideSpoilsIt) {
  const StreamOwner stream;
  const StreamOwner other;
  const EventOwner event;
  check(cudaEventRecord(event, other));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
  expect_end(stream, cudaErrorStreamCaptureInvalidated);
}

TEST(CudaCapture, AnExternalEventIsANode) {
  const StreamOwner stream;
  const StreamOwner other;
  const EventOwner before;
  const EventOwner after;
  const cudaGraph_t graph = capture(stream, [&] {
    check(cudaStreamWaitEvent(stream, before, cudaEventWaitExternal));
    check(cudaEventRecordWithFlags(after, stream, cudaEventRecordExternal));
  });
  EXPECT_EQ(node_count(graph), 2U);
  sim_test::Gate gate;
  gate.hold(other);
  check(cudaEventRecord(before, other));
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph, 0));
  check(cudaGraphLaunch(exec, stream));
  EXPECT_EQ(cudaEventQuery(after), cudaErrorNotReady);
  gate.open();
  check(cudaEventSynchronize(after));
  check(cudaStreamSynchronize(stream));
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaCapture, UnsafeCallsSpoilACaptureUnlessItIsRelaxed) {
  const StreamOwner stream;
  void* memory = nullptr;
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
    check(cudaStreamBeginCapture(stream, mode));
    EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
    expect_end(stream, cudaErrorStreamCaptureInvalidated);
  }
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  check(cudaMalloc(&memory, 64));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphDestroy(graph));
  check(cudaFree(memory));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaCapture, AnotherThreadsUnsafeCallSpoilsAGlobalCaptureOnly) {
  const StreamOwner stream;
  const auto allocate_elsewhere = [](cudaStreamCaptureMode thread_mode) {
    cudaError_t error = cudaErrorUnknown;
    std::thread([&] {
      check(cudaThreadExchangeStreamCaptureMode(&thread_mode));
      void* memory = nullptr;
      error = cudaMalloc(&memory, 64);
      if (error == cudaSuccess) check(cudaFree(memory));
    }).join();
    return error;
  };
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_EQ(allocate_elsewhere(cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(allocate_elsewhere(cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(status_of(stream), cudaStreamCaptureStatusActive);
  EXPECT_EQ(allocate_elsewhere(cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  expect_end(stream, cudaErrorStreamCaptureInvalidated);
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  EXPECT_EQ(allocate_elsewhere(cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, OnlyItsThreadEndsItUnlessItIsRelaxed) {
  const StreamOwner stream;
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaSuccess;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] { error = cudaStreamEndCapture(stream, &graph); }).join();
  EXPECT_EQ(error, cudaErrorStreamCaptureWrongThread);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphDestroy(graph));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  std::thread([&] { error = cudaStreamEndCapture(stream, &graph); }).join();
  EXPECT_EQ(error, cudaSuccess);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, TheLegacyStreamIsNotCapturedAndSpoilsThoseOfBlockingStreams) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed),
            cudaErrorStreamCaptureUnsupported);
  const StreamOwner blocking;
  Buffer device(4);
  check(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &status), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(status_of(blocking), cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaMemsetAsync(device.data(), 0, 4, nullptr), cudaErrorStreamCaptureImplicit);
  expect_end(blocking, cudaErrorStreamCaptureInvalidated);

  const StreamOwner apart(cudaStreamNonBlocking);
  const cudaGraph_t graph =
      capture(apart, [&] { check(cudaMemsetAsync(device.data(), 0, 4, nullptr)); });
  EXPECT_EQ(node_count(graph), 0U);
  check(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
}

TEST(CudaCapture, TwoCapturesDoNotMerge) {
  const StreamOwner first;
  const StreamOwner second;
  const EventOwner event;
  check(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
  check(cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed));
  check(cudaEventRecord(event, first));
  EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaErrorStreamCaptureMerge);
  expect_end(first, cudaErrorStreamCaptureInvalidated);
  expect_end(second, cudaErrorStreamCaptureInvalidated);
}

TEST(CudaCapture, GoesIntoAGraphThatIsThere) {
  const StreamOwner stream;
  int runs = 0;
  const auto count = [](void* counter) { ++*static_cast<int*>(counter); };
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0));
  const cudaHostNodeParams parameters{.fn = count, .userData = &runs};
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters));
  check(cudaStreamBeginCaptureToGraph(stream, graph, &node, nullptr, 1,
                                      cudaStreamCaptureModeRelaxed));
  check(cudaLaunchHostFunc(stream, count, &runs));
  cudaGraph_t ended = nullptr;
  check(cudaStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, graph);
  std::size_t edges = 0;
  check(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 1U);
  launch(graph, stream, 1);
  EXPECT_EQ(runs, 2);
  check(cudaGraphDestroy(graph));
}

TEST(CudaCapture, AllocationInAStreamIsNotCaptured) {
  const StreamOwner stream;
  void* memory = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaMallocAsync(&memory, 64, stream), cudaErrorStreamCaptureUnsupported);
  expect_end(stream, cudaErrorStreamCaptureInvalidated);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
