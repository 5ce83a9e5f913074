// Ranks destroy a communicator before the CUDA graph that contains its collectives.
//
// Lesson    A captured collective keeps its communicator in use, launched or not. ncclCommDestroy
//           returns when the graph is destroyed, and the thread that would do that waits in it.
// Watch     Training has ended well, and the job does not: each rank waits for itself, and none is
//           missing. ncclCommAbort does not help. It ends what is on the device and waits for the
//           graphs like the destroy. In Python, an object that is still referenced keeps its graph.
// Cure      Destroy the graphs first, the executable ones too, and the communicator then.
// In PyTorch
//     graph = torch.cuda.CUDAGraph()                        # captures an all-reduce
//     dist.destroy_process_group()                          # bug: graph is alive, and it hangs
//     graph.reset()                                         # cure: first the graphs,
//     dist.destroy_process_group()                          #       then the group
// Seen in   pytorch#115388, Megatron-Bridge#3595, TensorRT-Model-Connect#540, vllm#39846 (abort);
//           commDestroySync in NCCL's src/init.cc, all versions from 2.18 to 2.30

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kReplays = 4;

// A step sums this rank's number over the ranks.
cudaGraphExec_t capture_step(Rank& rank, const Channel& channel) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  check(cudaStreamBeginCapture(channel.stream, cudaStreamCaptureModeThreadLocal));
  all_reduce(channel, "gradients", static_cast<float>(rank.rank()));
  check(cudaStreamEndCapture(channel.stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  check(cudaGraphDestroy(graph));
  return step;
}

cudaGraphExec_t train(Rank& rank, const Channel& channel) {
  const cudaGraphExec_t step = capture_step(rank, channel);
  rank.report().begin_steps();
  for (int replay = 0; replay < kReplays; ++replay) {
    const Label label("step/replay");
    check(cudaGraphLaunch(step, channel.stream));
    check_sum(rank, channel, 0);
    rank.report().step_done();
  }
  return step;
}

[[gnu::noinline]] void destroy(ncclComm_t communicator) {
  const Label label("shutdown/destroy");
  check(ncclCommDestroy(communicator));
}

[[gnu::noinline]] void abort_communicator(ncclComm_t communicator) {
  const Label label("shutdown/abort");
  check(ncclCommAbort(communicator));
}

void without_a_graph(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  for (int step = 0; step < kReplays; ++step) train_step(rank, channel, step);
  destroy(channel.communicator);
}

void communicator_first(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const cudaGraphExec_t step = train(rank, channel);
  destroy(channel.communicator);  // BUG: waits for the graph
  check(cudaGraphExecDestroy(step));
}

void aborted_first(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const cudaGraphExec_t step = train(rank, channel);
  abort_communicator(channel.communicator);  // BUG: so does the abort
  check(cudaGraphExecDestroy(step));
}

void graph_first(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  check(cudaGraphExecDestroy(train(rank, channel)));  // FIX
  destroy(channel.communicator);
}

Expectation each_for_itself(int ranks, const Place& place) {
  return deadlock(Cause::self).culprits(all_ranks(ranks)).waiting(all_ranks(ranks), place);
}
Expectation in_destroy(int ranks) {
  return each_for_itself(ranks,
                         {"shutdown/destroy", Operation::comm_destroy, "world", {}, "destroy"});
}
// Over a network the ranks come to their abort up to half a second after each other, and the
// verdict names those who are there.
Expectation in_abort(int ranks) {
  return each_for_itself(
             ranks, {"shutdown/abort", Operation::comm_abort, "world", {}, "abort_communicator"})
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"without_a_graph", control, "the same steps, not captured", without_a_graph},
    {"communicator_first", broken, "all ranks destroy the communicator, then the graph",
     communicator_first, in_destroy},
    {"aborted_first", remedy, "they abort it instead, which waits as the destroy did",
     aborted_first, in_abort},
    {"graph_first", fix, "the graph is destroyed first", graph_first},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks destroy a communicator before a graph with its collectives",
    .variants = kVariants,
};
