// A host function on a stream waits for a collective that comes after it on the same stream.
//
// Lesson    A host function is part of its stream's work: nothing behind it starts before it
//           returns. So it must not wait for anything that needs its own stream.
// Watch     CUDA forbids API calls in a host function, so it waits by other means: a flag, a queue,
//           a lock. No CUDA call shows that wait, and no record of CUDA calls can prove it. The
//           other ranks wait in the all-reduce, and this rank's stream waits in host code. So the
//           verdict is a stall, which names the rank but proves nothing.
// Cure      Never wait in a host function: enqueue it behind the work that it needs. A host
//           function that waits passes here if it is on another stream, behind an event. But CUDA
//           forbids a host function to wait for work that need not run before it. CUDA may also run
//           the host functions of several streams one after the other.
// In PyTorch
//     no PyTorch spelling: PyTorch puts no host functions on streams. In CUDA and NCCL:
//     cudaLaunchHostFunc(stream, wait_for_sum_and_write, &log);   // bug: before the sum
//     ncclAllReduce(..., stream);
//     cudaLaunchHostFunc(stream, write, &log);                    // cure: after it, no wait
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

// The log line of a step's end. Never destroyed: a host function may still use it when the variant
// ends.
struct LogLine {
  std::promise<void> step_done;
  std::promise<void> written;
};

void write(void* line) { static_cast<LogLine*>(line)->written.set_value(); }

void wait_and_write(void* line) {
  static_cast<LogLine*>(line)->step_done.get_future().wait();
  write(line);
}

[[gnu::noinline]] void log_in_stream_order(cudaStream_t stream, cudaHostFn_t log, LogLine& line) {
  const Label label("log/host_function");
  check(cudaLaunchHostFunc(stream, log, &line));
}

// Each step makes two reductions. In one step of the last rank, `between` and `behind` enqueue the
// host function that writes the log line.
template <typename Between, typename Behind>
void train(Rank& rank, Between between, Behind behind) {
  const Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    auto& line = *new LogLine;
    const bool logs = rank.is_last() && step == kOddStep;
    const auto mine = static_cast<float>(rank.rank() + step);
    all_reduce(channel, "gradients", mine);
    if (logs) between(line, channel.stream);
    all_reduce(channel, "metric", mine);
    if (logs) behind(line, channel.stream);
    check_sum(rank, channel, step);
    line.step_done.set_value();
    if (logs) line.written.get_future().wait();
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void nothing(LogLine&, cudaStream_t) {}

void no_log(Rank& rank) {
  train(rank, nothing, [](LogLine& line, cudaStream_t) { write(&line); });
}

void waits_in_host_function(Rank& rank) {
  const auto log = [](LogLine& line, cudaStream_t stream) {
    log_in_stream_order(stream, wait_and_write, line);  // BUG: holds up what it waits for
  };
  train(rank, log, nothing);
}

void behind_what_it_needs(Rank& rank) {
  const auto log = [](LogLine& line, cudaStream_t stream) {
    log_in_stream_order(stream, write, line);  // FIX: the stream's order is enough
  };
  train(rank, nothing, log);
}

void on_another_stream(Rank& rank) {
  const cudaStream_t logging = open_stream();
  cudaEvent_t reduced = nullptr;
  check(cudaEventCreateWithFlags(&reduced, cudaEventDisableTiming));
  const auto log = [&](LogLine& line, cudaStream_t stream) {
    check(cudaEventRecord(reduced, stream));
    check(cudaStreamWaitEvent(logging, reduced, 0));
    log_in_stream_order(logging, wait_and_write, line);  // beside the second reduction
  };
  train(rank, log, nothing);
}

Expectation others_wait(int ranks) {
  return one_is_stuck(ranks, ranks - 1, reduction_at("metric", second_in_step(kOddStep)));
}

constexpr Variant kVariants[] = {
    {"no_log", control, "two reductions a step, and no log", no_log},
    {"waits_in_host_function", broken,
     "the last rank's host function waits for the reduction behind it", waits_in_host_function,
     others_wait},
    {"on_another_stream", remedy,
     "this host function on a stream of its own: passes, and CUDA forbids it", on_another_stream},
    {"behind_what_it_needs", fix, "a host function behind both reductions, which never waits",
     behind_what_it_needs},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a host function waits for a collective that comes after it on its own stream",
    .variants = kVariants,
};
