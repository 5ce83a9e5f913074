// A rank's device, streams and communicators.
#include "scenarios/runtime/rank.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "scenarios/runtime/check.h"

namespace gridlock {

Rank::Rank(const Environment& environment) : environment_(environment), rendezvous_(environment) {
  check(cudaSetDevice(environment.local_rank % device_count()));
  stream_ = open_stream();
}

void Rank::wait_for(cudaStream_t stream) {
  const auto began = std::chrono::steady_clock::now();
  check(cudaStreamSynchronize(stream));
  report_.add_wait(std::chrono::steady_clock::now() - began);
}

int device_count(int least, const char* why) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
    throw CannotRunHere(fmt::format("needs a GPU: {}", cudaGetErrorString(error)));
  }
  check(error);
  if (devices < least) {
    throw CannotRunHere(fmt::format("needs {} GPUs, there {} {}{}{}", least,
                                    devices == 1 ? "is" : "are", devices, *why == '\0' ? "" : ": ",
                                    why));
  }
  return devices;
}

cudaStream_t open_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

ncclUniqueId share_unique_id(Rank& rank) {
  ncclUniqueId id{};
  if (rank.rank() == 0) check(ncclGetUniqueId(&id));
  const std::string mine(rank.rank() == 0 ? std::string(id.internal, sizeof id.internal) : "");
  const std::string first = rank.rendezvous().exchange(mine).front();
  std::memcpy(id.internal, first.data(), sizeof id.internal);
  return id;
}

ncclComm_t open_communicator(Rank& rank, const char* name, bool blocking) {
  const ncclUniqueId id = share_unique_id(rank);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  config.blocking = blocking ? 1 : 0;
  ncclComm_t communicator = nullptr;
  const ncclResult_t result =
      ncclCommInitRankConfig(&communicator, rank.world_size(), id, rank.rank(), &config);
  if (result != ncclInProgress) check(result);
  if (!blocking) await_communicator(communicator);
  return communicator;
}

ncclComm_t open_communicator(Rank& rank, const char* name, const std::vector<int>& among) {
  ncclUniqueId id{};
  if (rank.rank() == 0) check(ncclGetUniqueId(&id));
  rank.rendezvous()
      .from_rank_0(among, std::string(id.internal, sizeof id.internal))
      .copy(id.internal, sizeof id.internal);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  const auto place = std::ranges::find(among, rank.rank()) - among.begin();
  ncclComm_t communicator = nullptr;
  check(ncclCommInitRankConfig(&communicator, static_cast<int>(among.size()), id,
                               static_cast<int>(place), &config));
  return communicator;
}

void await_communicator(ncclComm_t communicator) {
  ncclResult_t state = ncclInProgress;
  check(ncclCommGetAsyncError(communicator, &state));
  while (state == ncclInProgress) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    check(ncclCommGetAsyncError(communicator, &state));
  }
  check(state);
}

void check_or_await(ncclResult_t result, ncclComm_t communicator) {
  result == ncclInProgress ? await_communicator(communicator) : check(result);
}

void close_communicator(ncclComm_t communicator) { check(ncclCommDestroy(communicator)); }

}  // namespace gridlock
