// Collectives in graphs: they run at each launch, in the order of the launches and of other calls.
#include <gtest/gtest.h>

#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::check;
using sim_test::check_cuda;
using sim_test::Device;
using sim_test::Rank;
using sim_test::require;

TEST(NcclCapture, ACollectiveRunsAtEachLaunchAndAtNoOther) {
  sim_test::with_ranks(2, [](Rank& rank) {
    const cudaStream_t stream = rank.stream;
    const Device<int> number(1, 1);
    const auto all_reduce = [&] {
      check(ncclAllReduce(number.data(), number.data(), 1, ncclInt, ncclSum, rank.comm, stream));
    };
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    // Only rank 0 has two in its graph, so the ranks launch different numbers of times.
    for (int i = 0; i <= (rank.rank == 0 ? 1 : 0); ++i) all_reduce();
    check_cuda(cudaStreamEndCapture(stream, &graph));
    require(number.read()[0] == 1, "nothing ran at the capture");
    cudaGraphExec_t exec = nullptr;
    check_cuda(cudaGraphInstantiate(&exec, graph, 0));
    check_cuda(cudaGraphDestroy(graph));
    all_reduce();  // not captured: 2
    for (int i = 0; i < (rank.rank == 0 ? 1 : 2); ++i) check_cuda(cudaGraphLaunch(exec, stream));
    all_reduce();
    check_cuda(cudaStreamSynchronize(stream));
    require(number.read()[0] == 16, "four all-reduces of two ranks");
    check_cuda(cudaGraphExecDestroy(exec));  // the communicator's end waits for it
  });
}

}  // namespace
