// A host function on a stream waits for a collective that stands behind it on the same stream.
//
// Lesson    A host function is work of its stream: nothing behind it begins before it returns. What
//           it waits for must therefore not need its own stream.
// Watch     CUDA forbids API calls in a host function, so it waits by other means: a flag, a queue,
//           a lock. No CUDA call shows that wait, and no record of CUDA calls can prove it. The
//           other ranks stand in the all-reduce, and this one's stream stands in host code: a
//           stall, with the name of the rank, but not proven.
// Cure      Let the host function only signal, and wait on the host; or put it on another stream,
//           behind an event, where it holds nothing up.
// In PyTorch
//     no PyTorch spelling: PyTorch puts no host functions on streams. In CUDA and NCCL:
//     cudaLaunchHostFunc(stream, wait_for_sum, &log);             // bug: in front of the sum
//     ncclAllReduce(..., stream);
//     cudaEventRecord(reduced, stream); cudaStreamWaitEvent(logging, reduced, 0);
//     cudaLaunchHostFunc(logging, wait_for_sum, &log);            // cure: beside it
// Seen in   NVIDIA/nccl#1196 (asking for the collective's state in a host function cannot work);
//           CUDA's cudaLaunchHostFunc ("must not perform any synchronization that may depend on
//           outstanding CUDA work not mandated to run earlier")

#include <future>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kOddStep = 2;  // where the last rank logs

// A log line that is to be written when both reductions of the step are there. Never destroyed: a
// host function may still hold it when the variant ends.
struct LogLine {
  std::promise<void> step_done;
  std::promise<void> written;
};

void wait_and_write(void* line) {
  auto* log = static_cast<LogLine*>(line);
  log->step_done.get_future().wait();
  log->written.set_value();
}

[[gnu::noinline]] void write_in_stream_order(LogLine& line, cudaStream_t stream) {
  const Label label("log/host_function");
  check(cudaLaunchHostFunc(stream, wait_and_write, &line));
}

// Two reductions in each step; between them, in one step of the last rank, the log line is
// enqueued.
template <typename Log>
void train(Rank& rank, Log log) {
  const Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    auto& line = *new LogLine;
    const bool logs = rank.is_last() && step == kOddStep;
    const auto mine = static_cast<float>(rank.rank() + step);
    all_reduce(channel, "gradients", mine);
    if (logs) log(line, channel.stream);
    all_reduce(channel, "metric", mine);
    check_sum(rank, channel, step);
    line.step_done.set_value();
    if (logs) line.written.get_future().wait();
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void no_log(Rank& rank) {
  train(rank, [](LogLine& line, cudaStream_t) { line.written.set_value(); });
}

void waits_in_host_function(Rank& rank) {
  train(rank, [](LogLine& line, cudaStream_t stream) {
    write_in_stream_order(line, stream);  // BUG: holds up the reduction that it waits for
  });
}

void on_another_stream(Rank& rank) {
  const cudaStream_t logging = open_stream();
  cudaEvent_t reduced = nullptr;
  check(cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming));
  train(rank, [&](LogLine& line, cudaStream_t stream) {
    check(cudaEventRecord(reduced, stream));
    check(cudaStreamWaitEvent(logging, reduced, 0));
    write_in_stream_order(line, logging);  // FIX: behind the first reduction, beside the second
  });
}

Expectation others_wait(int ranks) {
  return one_is_stuck(ranks, ranks - 1, reduction_at("metric", kFirstSlot + 2 * kOddStep + 1));
}

constexpr Variant kVariants[] = {
    {"no_log", control, "two reductions a step, nothing between", no_log},
    {"waits_in_host_function", broken,
     "the last rank's host function waits for the reduction behind it", waits_in_host_function,
     others_wait},
    {"on_another_stream", fix, "the same host function on a stream of its own, behind an event",
     on_another_stream},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a host function waits for a collective behind it on its own stream",
    .variants = kVariants,
};
