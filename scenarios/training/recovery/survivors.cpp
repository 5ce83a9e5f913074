// Polls, replaces the communicator, repeats.
#include "scenarios/training/recovery/survivors.h"

#include <unistd.h>

#include <algorithm>

namespace gridlock {

bool is_done(const TinyTraining& training, Asks asks, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  ncclResult_t error = ncclSuccess;
  while (true) {
    const cudaError_t state = cudaStreamQuery(training.rank.stream());
    if (state != cudaErrorNotReady) check(state);
    // Also of a stream that is done: another rank's abort may have ended it, with wrong numbers.
    if (asks == Asks::nccl_and_peers && training.rank.rendezvous().anyone_has_left()) return false;
    if (state != cudaErrorNotReady) return true;
    check(ncclCommGetAsyncError(training.communicator, &error));
    if (error != ncclSuccess) return false;
    if (std::chrono::steady_clock::now() > end) return false;
    usleep(100);
  }
}

void shrink_to(TinyTraining& training, const std::vector<int>& left) {
  std::vector<int> lost;  // places in the communicator
  for (std::size_t at = 0; at < training.members.size(); ++at) {
    if (!std::ranges::binary_search(left, training.members[at])) {
      lost.push_back(static_cast<int>(at));
    }
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "survivors";
  ncclComm_t smaller = nullptr;
  check(ncclCommShrink(training.communicator, lost.data(), static_cast<int>(lost.size()), &smaller,
                       &config, NCCL_SHRINK_ABORT));
  check(ncclCommAbort(training.communicator));
  training.communicator = smaller;
  training.members = left;
}

void rebuild_with(TinyTraining& training, const std::vector<int>& left) {
  check(ncclCommAbort(training.communicator));
  training.communicator = open_communicator(training.rank, "survivors", left);
  training.members = left;
}

void reduce_both(const TinyTraining& training) {
  training.reduce_bucket(0);
  training.reduce_bucket(1);
}

void repeat_step_with(TinyTraining& training, const std::vector<int>& left, Smaller how) {
  const auto began = std::chrono::steady_clock::now();
  how == Smaller::by_shrink ? shrink_to(training, left) : rebuild_with(training, left);
  reduce_both(training);
  check(cudaStreamSynchronize(training.rank.stream()));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  training.rank.report().figure("recovery_ms", took.count());
}

void train_with_survivors(Rank& rank, int steps, int bad_step) {
  TinyTraining training(rank);
  for (int step = 0; step < steps; ++step) {
    reduce_both(training);
    const bool is_whole = training.members.size() == static_cast<std::size_t>(rank.world_size());
    if (!is_done(training, is_whole ? Asks::nccl_and_peers : Asks::nccl)) {
      repeat_step_with(training, rank.rendezvous().survivors());
    }
    training.update();  // only now, so an interrupted step never reaches the weights
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  rank.report().figure("ranks_left", static_cast<double>(training.members.size()));
  training.verify(steps, bad_step);
  close_communicator(training.communicator);
}

}  // namespace gridlock
