// Some ranks wait in an MPI collective, and others wait for an NCCL collective.
//
// Lesson    MPI waits on the host, NCCL on a stream, and neither knows about the other. Once the
//           host waits for its stream, the two form one chain: a rank in an MPI call makes no NCCL
//           call, and a rank that waits for its stream makes no MPI call.
// Watch     Each library shows one half. NCCL shows a rank that has not come to the all-reduce. MPI
//           shows a rank that has not come to the barrier. Both look like a slow rank. A rank that
//           waits in MPI spins at 100 % of a core and looks busy.
// Cure      Use one order of barriers and synchronizes on all ranks. Or start the barrier
//           (MPI_Ibarrier), then poll the stream and MPI in turn.
// In PyTorch
//     if rank % 2 == 0: comm.Barrier(); dist.all_reduce(x); torch.cuda.synchronize()   # bug: even
//     else: dist.all_reduce(x); torch.cuda.synchronize(); comm.Barrier()               # and odd
//     dist.all_reduce(x); torch.cuda.synchronize(); comm.Barrier()        # cure: one order
//     request = comm.Ibarrier(); dist.all_reduce(x)                       # cure: wait in neither
//     while not (request.Test() and torch.cuda.current_stream().query()): pass
// Seen in   NCCL's guide, "Using NCCL within an MPI Program" (it warns of just this), horovod#1099
//           (MPI and NCCL in different order on the ranks)

#include <mpi.h>

#include "scenarios/mpi/job.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// Each step has an all-reduce and a barrier. `barrier_first` gives this rank's order.
void run_steps(Rank& rank, bool barrier_first) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (barrier_first) job.barrier();
    job.reduce(step);
    job.read(step);
    if (!barrier_first) job.barrier();
    job.step_done();
  }
  job.close();
}

void barrier_first(Rank& rank) { run_steps(rank, true); }

// BUG: even ranks wait in the barrier; odd ranks wait for their streams, which wait for even ranks
void barrier_on_either_side(Rank& rank) { run_steps(rank, rank.rank() % 2 == 0); }

void reduction_first(Rank& rank) { run_steps(rank, false); }  // FIX: one order

void barrier_started(Rank& rank) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Request barrier = MPI_REQUEST_NULL;
    const bool first = rank.rank() % 2 == 0;
    if (first) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    job.reduce(step);
    if (!first) MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    while (!is_done(barrier) || !job.stream_is_done()) {
    }  // FIX: it blocks in neither
    job.read(step);
    job.step_done();
  }
  job.close();
}

// Gradients come in two parts. Between them, rank 0 broadcasts the next learning rate.
void broadcast_between_parts(Rank& rank) {
  const Job job(rank);
  for (int step = 0; step < kSteps; ++step) {
    float learning_rate = job.is_last() ? 0.5F : 0.0F;
    const auto broadcast = [&] {
      const Label label("schedule/broadcast");
      MPI_Bcast(&learning_rate, 1, MPI_FLOAT, rank.world_size() - 1, MPI_COMM_WORLD);
    };
    job.reduce(step);
    job.read(step);
    if (rank.rank() == 0) broadcast();  // BUG: it keeps rank 0 from its next all-reduce
    job.reduce(step);
    job.read(step);
    if (rank.rank() > 0) broadcast();
    job.step_done();
  }
  job.close();
}

const Place kBarrier{"epoch/barrier", Operation::mpi_barrier, "MPI_COMM_WORLD", 0, "barrier"};
const Place kBroadcast{"schedule/broadcast", Operation::mpi_bcast, "MPI_COMM_WORLD", 0};

Expectation crossed(int ranks) { return hosts_crossed(ranks, kBarrier, first_gradients()); }

// The others wait in the second part of the gradients.
Expectation in_broadcast(int ranks) {
  return one_is_elsewhere(ranks, 0, kBroadcast, reduction_at("gradients", second_in_step(0)));
}

constexpr Variant kVariants[] = {
    {"barrier_first", control, "an MPI barrier, then an NCCL all-reduce, on all ranks",
     barrier_first},
    {"barrier_on_either_side", broken,
     "even ranks: barrier, all-reduce; odd ranks: all-reduce, barrier", barrier_on_either_side,
     crossed},
    {"broadcast_between_parts", broken, "rank 0 is in MPI_Bcast between two all-reduces",
     broadcast_between_parts, in_broadcast},
    {"reduction_first", fix, "the all-reduce, its stream, then the barrier, on all ranks",
     reduction_first},
    {"barrier_started", fix, "either order, MPI_Ibarrier, and a look at both in turn",
     barrier_started},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "some ranks wait in an MPI collective, others wait for an NCCL collective",
    .launcher = "mpiexec",
    .variants = kVariants,
};
