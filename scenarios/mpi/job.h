// A job whose ranks average gradients with NCCL and exchange metrics with MPI. Only scenarios that
// need MPICH include it.
#pragma once

#include <mpi.h>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/verdicts.h"

namespace gridlock {

constexpr int kTag = 7;

struct Job {
  //   Collective, Blocks  MPI_Init, and opens the communicator "world"
  explicit Job(Rank& of) : rank(of), metric(static_cast<float>(of.rank())) {
    MPI_Init(nullptr, nullptr);
    gradients = open_channel(of, "world", of.stream());
    of.report().begin_steps();
  }

  bool is_last() const { return rank.is_last(); }

  //   Collective
  //   Blocks  no
  void reduce(int step) const {
    all_reduce(gradients, "gradients", static_cast<float>(rank.rank() + step));
  }
  //   Blocks  until the stream is done
  void read(int step) const { check_sum(rank, gradients, step); }
  bool stream_is_done() const {
    const cudaError_t state = cudaStreamQuery(gradients.stream);
    if (state != cudaErrorNotReady) check(state);
    return state == cudaSuccess;
  }

  //   Collective, Blocks  until all ranks have called it
  [[gnu::noinline]] void barrier() const {
    const Label label("epoch/barrier");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Receives the metric of `from`, or of any rank.
  //   Blocks  until it has come
  [[gnu::noinline]] void receive_metric(int from) {
    const Label label("metrics/receive");
    float other = -1;
    MPI_Status status;
    MPI_Recv(&other, 1, MPI_FLOAT, from, kTag, MPI_COMM_WORLD, &status);
    check_metric(other, status.MPI_SOURCE);
  }
  // Sends this rank's metric to rank 0.
  void send_metric() const {
    const Label label("metrics/send");
    MPI_Send(&metric, 1, MPI_FLOAT, 0, kTag, MPI_COMM_WORLD);
  }
  //   Blocks  until the stream is done
  void copy_metric(float* to, const float* from, cudaMemcpyKind kind) const {
    check(cudaMemcpyAsync(to, from, sizeof(float), kind, gradients.stream));
    rank.wait_for(gradients.stream);
  }
  void check_metric(float got, int from) const {
    rank.report().numbers(got == static_cast<float>(from), "exact sums, and the sender's number");
  }

  void step_done() const { rank.report().step_done(); }
  //   Collective, Blocks
  void close() const {
    close_communicator(gradients.communicator);
    MPI_Finalize();
  }

  Rank& rank;
  float metric;
  Channel gradients;
};

inline bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

//   Blocks  until it is done
inline void await(MPI_Request& request) {
  // NOLINTNEXTLINE(*MPI-Checker): null on the ranks that have begun nothing
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The place of ranks that have called Job::reduce in the first step and wait.
inline Place first_gradients() { return reduction_at("gradients", in_step(0)); }

}  // namespace gridlock
