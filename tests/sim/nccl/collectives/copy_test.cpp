// Collectives of one rank, which NCCL makes copies (ncclLaunchOneRank).
#include "sim/nccl/collectives/copy.h"

#include <gtest/gtest.h>

#include <latch>

#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

// A copy of 1, on a stream that is held until the latch opens.
struct Held {
  cudaStream_t stream = nullptr;
  std::latch open{1};
  Device<int> one{1, 1};
  Device<int> out{1, 0};

  explicit Held(ncclComm_t comm, cudaStream_t on = nullptr) : stream(on) {
    if (stream == nullptr) {
      check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    check_cuda(cudaLaunchHostFunc(
        stream, [](void* latch) { static_cast<std::latch*>(latch)->wait(); }, &open));
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, comm, stream));
  }
  int result() {
    open.count_down();
    check_cuda(cudaStreamSynchronize(stream));
    return out.read().front();
  }
};

TEST(NcclCopy, IsEnqueuedAtTheCall) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> one(1, 1);
    const Device<int> out(1, 0);
    check(ncclGroupStart());
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    rank.synchronize();
    require(out.read().front() == 1, "it waited for the group's end");
    check(ncclGroupEnd());
  });
}

TEST(NcclCopy, IsOrderedByItsStreamAlone) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> out(1, 0);
    Held held(rank.comm);
    check(ncclAllReduce(held.one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    rank.synchronize();
    require(out.read().front() == 1, "wrong sum");
    require(cudaStreamQuery(held.stream) == cudaErrorNotReady, "the other stream is not held");
    require(held.result() == 1, "wrong sum");
  });
}

TEST(NcclCopy, IsMadeAlthoughItsCommunicatorIsAborted) {
  with_ranks(1, [](Rank& rank) {
    Held held(rank.comm);
    check(ncclCommAbort(rank.comm));
    rank.comm = nullptr;
    require(held.result() == 1, "it was dropped");
  });
}

TEST(NcclCopy, DoesNotHoldUpAFinalize) {
  with_ranks(1, [](Rank& rank) {
    Held held(rank.comm);
    check(ncclCommFinalize(rank.comm));
    require(held.result() == 1, "wrong sum");
  });
}

TEST(NcclCopy, InPlaceIsNoWork) {
  with_ranks(1, [](Rank& rank) {
    const Device<float> one(1, 1);
    cudaStream_t blocking = nullptr;
    cudaGraph_t graph = nullptr;
    const auto all_reduce = [&](ncclRedOp_t op) {
      return ncclAllReduce(one.data(), one.data(), 1, ncclFloat, op, rank.comm, nullptr);
    };
    // The capture forbids work on the legacy stream.
    check_cuda(cudaStreamCreate(&blocking));
    check_cuda(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    check(all_reduce(ncclSum));
    check_cuda(cudaStreamEndCapture(blocking, &graph));
    check_cuda(cudaGraphDestroy(graph));
    // But a sum with a factor is work, and so is an average of floats.
    check_cuda(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    require(all_reduce(ncclAvg) == ncclUnhandledCudaError, "an average in place is no work");
    require(cudaStreamEndCapture(blocking, &graph) == cudaErrorStreamCaptureInvalidated,
            "the capture goes on");
    check_cuda(cudaStreamDestroy(blocking));
    cudaGetLastError();
    float two = 2;
    ncclRedOp_t twice = ncclSum;
    check(ncclRedOpCreatePreMulSum(&twice, &two, ncclFloat, ncclScalarHostImmediate, rank.comm));
    check(ncclAllReduce(one.data(), one.data(), 1, ncclFloat, twice, rank.comm, rank.stream));
    check(ncclRedOpDestroy(twice, rank.comm));
    rank.synchronize();
    require(one.read().front() == 2, "wrong product");
  });
}

TEST(NcclCopy, MayUseAStreamOfAnotherDevice) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> one(1, 1);
    const Device<int> out(1, 0);
    cudaStream_t other = nullptr;
    check_cuda(cudaSetDevice(1));
    check_cuda(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    check_cuda(cudaSetDevice(0));
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, other));
    check_cuda(cudaStreamSynchronize(other));
    require(out.read().front() == 1, "wrong sum");
  });
}

TEST(NcclCopy, OnADefaultStreamIsTheCurrentDevices) {
  with_ranks(1, [](Rank& rank) {
    std::latch open(1);
    const Device<int> one(1, 1);
    const Device<int> out(1, 0);
    check_cuda(cudaSetDevice(1));
    check_cuda(cudaLaunchHostFunc(
        nullptr, [](void* latch) { static_cast<std::latch*>(latch)->wait(); }, &open));
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, nullptr));
    check_cuda(cudaSetDevice(0));
    check_cuda(cudaStreamSynchronize(nullptr));
    require(cudaStreamQuery(nullptr) == cudaSuccess, "device 0 is held");
    check_cuda(cudaSetDevice(1));
    require(cudaStreamQuery(nullptr) == cudaErrorNotReady, "device 1 is not held");
    open.count_down();
    check_cuda(cudaStreamSynchronize(nullptr));
    check_cuda(cudaSetDevice(0));
    require(out.read().front() == 1, "wrong sum");
  });
}

TEST(NcclCopy, StaysInAGraphWhenItsCommunicatorIsGone) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> one(1, 1);
    const Device<int> out(1, 0);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check_cuda(cudaStreamBeginCapture(rank.stream, cudaStreamCaptureModeRelaxed));
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    check_cuda(cudaStreamEndCapture(rank.stream, &graph));
    check_cuda(cudaGraphInstantiate(&executable, graph, 0));
    check(ncclCommDestroy(rank.comm));
    rank.comm = nullptr;
    check_cuda(cudaGraphLaunch(executable, rank.stream));
    rank.synchronize();
    require(out.read().front() == 1, "wrong sum");
  });
}

}  // namespace
