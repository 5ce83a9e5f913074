// A large MPI message does not move while its sender waits for a stream.
//
// Lesson    MPI moves a large message only while both ends are in MPI calls. A rank that has begun
//           to send and then waits for its stream moves nothing. If its stream waits for the
//           receiver, neither ends.
// Watch     A small message is on its way when MPI_Isend returns, so every test passes. Large ones
//           hang. Polling the stream instead of waiting for it moves no message either.
// Cure      Wait for the message before the stream. Or poll the stream and MPI in turn: each
//           MPI_Test moves the message on.
// In PyTorch
//     request = comm.Isend(checkpoint, dest=0); dist.all_reduce(x)
//     torch.cuda.synchronize(); request.Wait()                   # bug: nobody moves the message
//     request.Wait(); torch.cuda.synchronize()                   # cure: the message first
//     while not (request.Test() and torch.cuda.current_stream().query()): pass    # or both
// Seen in   NCCL's guide, "Using NCCL within an MPI Program" (MPI's progress); the MPI standard on
//           progress

#include <mpi.h>

#include <vector>

#include "scenarios/mpi/job.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kLarge = 16 << 20;  // bytes: MPI sends none of it before the receiver asks

// The last rank begins to send a large message to rank 0, which receives it before the all-reduce.
// `wait` is how the sender waits for its stream.
template <typename Wait>
void pass_large_message(Rank& rank, Wait wait) {
  const Job job(rank);
  std::vector<unsigned char> message(rank.rank() == 0 || job.is_last() ? kLarge : 0);
  for (int step = 0; step < kSteps; ++step) {
    const auto mark = static_cast<unsigned char>(step + 1);
    MPI_Request sent = MPI_REQUEST_NULL;
    if (job.is_last()) {
      message.back() = mark;
      MPI_Isend(message.data(), kLarge, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, &sent);
    }
    if (rank.rank() == 0) {
      const Label label("checkpoint/receive");
      MPI_Recv(message.data(), kLarge, MPI_BYTE, rank.world_size() - 1, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      rank.report().numbers(message.back() == mark, "exact sums, and the message's last byte");
    }
    job.reduce(step);
    wait(job, sent);
    job.read(step);
    await(sent);
    job.step_done();
  }
  job.close();
}

// BUG: outside MPI calls, the sender's host does not move the message
void large_message_left_alone(Rank& rank) {
  pass_large_message(rank, [](const Job&, MPI_Request&) {});
}

// BUG: polling the stream moves no message either
void stream_asked_alone(Rank& rank) {
  pass_large_message(rank, [](const Job& job, MPI_Request&) {
    while (!job.stream_is_done()) {
    }
  });
}

void message_waited_for(Rank& rank) {
  pass_large_message(rank, [](const Job&, MPI_Request& sent) { await(sent); });
}

void stream_and_message_asked(Rank& rank) {
  pass_large_message(rank, [](const Job& job, MPI_Request& sent) {
    while (!is_done(sent) || !job.stream_is_done()) {  // FIX: each look moves the message
    }
  });
}

// MPI does not promise that the message never moves by itself, so this is a stall and not a proof.
Expectation left_alone(int ranks) {
  return stall(Cause::cycle)
      .culprits({0, ranks - 1})
      .waiting({0}, {"checkpoint/receive", Operation::mpi_recv, "MPI_COMM_WORLD"});
}

constexpr Variant kVariants[] = {
    {"message_waited_for", control, "the sender waits for its message, then for its stream",
     message_waited_for},
    {"large_message_left_alone", broken, "a sender in cudaStreamSynchronize moves no message",
     large_message_left_alone, left_alone},
    {"stream_asked_alone", remedy, "it asks its stream again and again: the message does not move",
     stream_asked_alone, left_alone, 2, 4,
     "a rank that spins counts as slow until it has had a core for the whole stall limit"},
    {"stream_and_message_asked", fix, "it asks the stream and MPI_Test in turn",
     stream_and_message_asked},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a large MPI message does not move while its sender waits for a stream",
    .launcher = "mpiexec",
    .variants = kVariants,
};
