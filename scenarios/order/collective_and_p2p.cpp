// One end of a message puts it before a collective, the other end puts it after.
//
// Lesson    A stream runs a receive only after the collective before it, and a collective only
//           after the send before it. Messages and collectives on one stream have one order. Both
//           ends of a message must agree where the message stands in that order.
// Watch     All other ranks wait in the collective. They look innocent, and they are. A small
//           message fits the buffers and passes, so the bug stays hidden until the activations
//           grow.
// Cure      Use the same order on both sides. A separate communicator and stream for the messages
//           also end this hang, but the ranks then use two communicators in different orders. That
//           passes only while the GPU has room for both kernels (see interleaved_communicators).
// In PyTorch
//     if rank == 0: dist.send(act, dst=1); dist.all_reduce(grads)     # bug: before it here and
//     if rank == 1: dist.all_reduce(grads); dist.recv(act, src=0)     #      after it there
//     if rank == 1: dist.recv(act, src=0); dist.all_reduce(grads)     # cure: as the sender has it
// Seen in   pytorch#175145 (messages and all-reduces of one job, a permanent deadlock)

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr std::size_t kSmall = 256;                   // floats: 1 KiB
constexpr std::size_t kLarge = std::size_t{8} << 20;  // 32 MiB, more than any of NCCL's buffers

// Rank 0 is the first stage of a pipeline and sends its activations to rank 1. All ranks reduce
// gradients.
struct Pipeline {
  Pipeline(Rank& of, std::size_t floats)
      : rank(of),
        gradients(open_channel(of, "world", of.stream())),
        messages(gradients.communicator),
        stream(of.stream()),
        activations(of.rank() < 2 ? floats : 0, of.stream()),
        host(1) {
    connect();
    if (of.rank() == 0) {
      check(kernels::launch_fill(activations.data(), static_cast<std::int64_t>(floats), 7.0F,
                                 stream));
    }
    rank.wait_for(stream);
    rank.report().begin_steps();
  }

  // A pair connects at its first message, on the host. This scenario is not about that, so the pair
  // connects before the first step, on the messages' stream.
  void connect() const {
    if (rank.rank() > 1) return;
    const Label label("pipeline/connect");
    check(rank.rank() == 0 ? ncclSend(activations.data(), 1, ncclFloat32, 1, messages, stream)
                           : ncclRecv(activations.data(), 1, ncclFloat32, 0, messages, stream));
  }

  void reduce(int step) const {
    all_reduce(gradients, "gradients", static_cast<float>(rank.rank() + step));
  }
  // Rank 0's or rank 1's side of the message. Other ranks do nothing.
  [[gnu::noinline]] void pass_activations() const {
    if (rank.rank() > 1) return;
    const Label label("pipeline/activations");
    check(rank.rank() == 0
              ? ncclSend(activations.data(), activations.size(), ncclFloat32, 1, messages, stream)
              : ncclRecv(activations.data(), activations.size(), ncclFloat32, 0, messages, stream));
  }
  void finish(int step) const {
    check_sum(rank, gradients, step);
    if (rank.rank() == 1) {
      const float* last = activations.data() + activations.size() - 1;
      check(cudaMemcpyAsync(host.data(), last, sizeof(float), cudaMemcpyDeviceToHost, stream));
      rank.wait_for(stream);
      rank.report().numbers(host[0] == 7.0F, "an exact sum, and the sender's number");
    }
    rank.report().step_done();
  }

  Rank& rank;
  Channel gradients;
  ncclComm_t messages;
  cudaStream_t stream;  // for the messages
  Buffer<float> activations;
  PinnedBuffer<float> host;
};

// Each end calls its side of the message before the all-reduce or after it.
void run_steps(const Pipeline& pipeline, bool sends_first, bool receives_first) {
  const bool first = pipeline.rank.rank() == 0 ? sends_first : receives_first;
  for (int step = 0; step < kSteps; ++step) {
    if (first) pipeline.pass_activations();
    pipeline.reduce(step);
    if (!first) pipeline.pass_activations();
    pipeline.finish(step);
  }
}

void run_all(Rank& rank, std::size_t floats, bool sends_first, bool receives_first) {
  const Pipeline pipeline(rank, floats);
  run_steps(pipeline, sends_first, receives_first);
  close_communicator(pipeline.gradients.communicator);
}

void message_first(Rank& rank) { run_all(rank, kLarge, true, true); }
void small_message(Rank& rank) { run_all(rank, kSmall, true, false); }

// BUG: rank 0's send waits for the receive, which is behind an all-reduce that waits for rank 0
void receive_behind_collective(Rank& rank) { run_all(rank, kLarge, true, false); }

// BUG: rank 1's receive waits for the send, which is behind an all-reduce that waits for rank 1
void send_behind_collective(Rank& rank) { run_all(rank, kSmall, false, true); }

void collective_first(Rank& rank) { run_all(rank, kLarge, false, false); }  // FIX: on both sides

void own_communicator_and_stream(Rank& rank) {
  Pipeline pipeline(rank, kLarge);
  pipeline.messages = open_communicator(rank, "pipeline");  // not ordered with the gradients
  pipeline.stream = open_stream();
  pipeline.connect();
  run_steps(pipeline, true, false);
  check(cudaStreamSynchronize(pipeline.stream));
  close_communicator(pipeline.gradients.communicator);
  close_communicator(pipeline.messages);
}

// `first` waits in the message, and all other ranks in the all-reduce.
Expectation crossed(int ranks, int first, Operation operation) {
  return deadlock(Cause::cycle)
      .culprits({0, 1})
      .waiting({first}, {"pipeline/activations", operation, "world", 1, "pass_activations"})
      .waiting(all_but(ranks, first), reduction_at("gradients", in_step(0)));
}
// A GPU may complete the send: the pair has as many buffers as it has channels.
Expectation sender_waits(int ranks) {
  return crossed(ranks, 0, Operation::send).or_on_real_nccl(Outcome::completes);
}
Expectation receiver_waits(int ranks) { return crossed(ranks, 1, Operation::recv); }

constexpr Variant kVariants[] = {
    {"message_first", control, "the message first on both sides", message_first},
    {"small_message", control, "crossed, but the message fits the buffers: it passes",
     small_message},
    {"receive_behind_collective", broken,
     "rank 0 sends, then reduces; rank 1 reduces, then receives", receive_behind_collective,
     sender_waits},
    {"send_behind_collective", broken,
     "rank 1 receives, then reduces; rank 0 reduces, then sends: hangs at every size",
     send_behind_collective, receiver_waits},
    {"collective_first", fix, "the collective first on both sides", collective_first},
    {"own_communicator_and_stream", remedy,
     "crossed, messages apart on a communicator and a stream: passes while the GPU has room",
     own_communicator_and_stream},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one end of a message puts it before a collective, the other end after it",
    .variants = kVariants,
};
