// Parts in which NCCL refuses calls.
#include "tests/harness/recorder/parts.h"

namespace gridlock {

namespace {

void expect(ncclResult_t wanted, ncclResult_t result) {
  if (result == wanted) return;
  std::fprintf(stderr, "NCCL: %s\n", ncclGetErrorString(result));
  std::_Exit(12);
}

}  // namespace

int refused() {
  constexpr ncclDataType_t kNoType = ncclNumTypes;
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator("dp");
  const auto send = [&](int peer) {
    return ncclSend(buffer, 4, ncclFloat32, peer, communicator, stream);
  };
  const auto receive = [&] {
    return ncclRecv(buffer + 4, 4, ncclFloat32, 0, communicator, stream);
  };
  all_reduce(buffer, communicator, stream);
  expect(ncclInvalidArgument,
         ncclAllReduce(buffer, buffer, 16, kNoType, ncclSum, communicator, stream));
  all_reduce(buffer, communicator, stream);
  // If one call of a group is refused, the whole group is, but for the copy that its first call is.
  check(ncclGroupStart());
  all_reduce(buffer, communicator, stream);
  expect(ncclInvalidArgument, ncclBroadcast(buffer, buffer, 8, ncclInt8, 5, communicator, stream));
  check(send(0));
  check(receive());
  expect(ncclInvalidArgument, ncclGroupEnd());
  // Only the group's end finds the fault: a message to oneself that nobody receives.
  check(ncclGroupStart());
  check(send(0));
  all_reduce(buffer, communicator, stream);
  expect(ncclInvalidUsage, ncclGroupEnd());
  check(ncclGroupStart());
  check(send(0));
  check(receive());
  check(ncclGroupEnd());
  all_reduce(buffer, communicator, stream);
  expect(ncclInvalidArgument, send(7));
  check(cudaStreamSynchronize(stream));
  return 0;
}

int simulated_group() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  check(ncclGroupStart());
  check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, stream));
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  ncclGroupSimulateEnd(&info);  // the simulation only drops the group
  all_reduce(buffer, communicator, stream);
  check(cudaStreamSynchronize(stream));
  return 0;
}

// A communicator that does not exist: refused, and no reason to distrust the box.
int no_communicator() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  alignas(64) static char nothing[256];
  auto* communicator = reinterpret_cast<ncclComm_t>(nothing);
  expect(ncclInvalidArgument,
         ncclAllReduce(buffer, buffer, 16, ncclFloat32, ncclSum, communicator, stream));
  return 0;
}

// A null pointer where NCCL would read.
int missing_arguments() {
  ncclComm_t communicator = make_communicator();
  ncclComm_t made = nullptr;
  expect(ncclInvalidArgument,
         ncclCommShrink(communicator, nullptr, 1, &made, nullptr, NCCL_SHRINK_DEFAULT));
  expect(ncclInvalidArgument, ncclCommInitRankScalable(&made, 1, 0, 1, nullptr, nullptr));
  return 0;
}

// NCCL accepts it and does nothing, alone and in a group.
int empty_collective() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator();
  const auto nothing = [&] {
    return ncclAllReduce(buffer, buffer, 0, ncclFloat32, ncclSum, communicator, stream);
  };
  check(nothing());
  check(ncclGroupStart());
  check(nothing());
  check(ncclGroupEnd());
  all_reduce(buffer, communicator, stream);
  check(cudaStreamSynchronize(stream));
  return 0;
}

namespace {

void make_with(const ncclUniqueId& id, ncclResult_t wanted, int blocking) {
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = blocking;
  expect(wanted, ncclCommInitRankConfig(&communicator, 1, id, 0, &config));
}

}  // namespace

int init() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  make_with(id, ncclSuccess, 1);
  return 0;
}

// Refused, corrected and repeated with the same id.
int refused_init() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  make_with(id, ncclInvalidArgument, 17);
  make_with(id, ncclSuccess, 1);
  return 0;
}

namespace {

// It waits for a second rank.
ncclComm_t make_half() {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  check(ncclGetUniqueId(&id));
  expect(ncclInProgress, ncclCommInitRankConfig(&communicator, 2, id, 0, &config));
  return communicator;
}

}  // namespace

// Refused because the communicator is still being made. Making it goes on.
int refused_finalize() {
  if (ncclCommFinalize(make_half()) == ncclSuccess) return 13;
  std::_Exit(0);
}

// The same, and then the right call.
int refused_destroy() {
  ncclComm_t communicator = make_half();
  expect(ncclInvalidArgument, ncclCommDestroy(communicator));
  check(ncclCommAbort(communicator));
  return 0;
}

int refused_group_of_closings() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t kept = make_communicator("kept");
  ncclComm_t destroyed = make_communicator("destroyed");
  check(ncclGroupStart());
  check(ncclCommFinalize(kept));
  check(ncclCommDestroy(destroyed));
  expect(ncclInvalidArgument,
         ncclReduce(buffer, buffer, 8, ncclFloat32, ncclSum, 99, kept, stream));
  expect(ncclInvalidArgument, ncclGroupEnd());
  check(ncclCommDestroy(destroyed));
  return 0;
}

int group_of_closings() {
  ncclComm_t finalized = make_communicator("finalized");
  ncclComm_t destroyed = make_communicator("destroyed");
  check(ncclGroupStart());
  check(ncclCommFinalize(finalized));
  check(ncclCommDestroy(destroyed));
  check(ncclGroupEnd());
  return 0;
}

// NCCL makes the child before it finds that nobody receives the message.
int failed_group_with_a_split() {
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  ncclComm_t communicator = make_communicator("parent");
  ncclComm_t child = nullptr;
  check(ncclGroupStart());
  check(ncclCommSplit(communicator, 0, 0, &child, nullptr));
  check(ncclSend(buffer, 4, ncclFloat32, 0, communicator, stream));
  expect(ncclInvalidUsage, ncclGroupEnd());
  all_reduce(buffer, child, stream);
  check(cudaStreamSynchronize(stream));
  return 0;
}

// NCCL launches the first communicator's messages, and cannot launch the second one's.
int failed_launch() {
  float* buffer = make_buffer();
  ncclComm_t both[] = {make_communicator("first"), make_communicator("second")};
  cudaStream_t streams[] = {make_stream(), nullptr};
  check(cudaSetDevice(1));
  streams[1] = make_stream();
  check(cudaSetDevice(0));
  check(ncclGroupStart());
  for (int i = 0; i < 2; ++i) {
    check(ncclSend(buffer, 4, ncclFloat32, 0, both[i], streams[i]));
    check(ncclRecv(buffer + 8, 4, ncclFloat32, 0, both[i], streams[i]));
  }
  expect(ncclUnhandledCudaError, ncclGroupEnd());
  check(cudaStreamSynchronize(streams[0]));
  return 0;
}

// An invalid color, then a valid one.
int refused_split() {
  ncclComm_t communicator = make_communicator();
  ncclComm_t child = nullptr;
  check(ncclCommSplit(communicator, 0, 0, &child, nullptr));
  expect(ncclInvalidArgument, ncclCommSplit(communicator, -7, 0, &child, nullptr));
  // With its group.
  float* buffer = make_buffer();
  cudaStream_t stream = make_stream();
  check(ncclGroupStart());
  static_cast<void>(ncclCommSplit(communicator, 0, 0, &child, nullptr));
  expect(ncclInvalidArgument,
         ncclReduce(buffer, buffer, 8, ncclFloat32, ncclSum, 99, communicator, stream));
  expect(ncclInvalidArgument, ncclGroupEnd());
  expect(ncclInvalidArgument, ncclCommSplit(communicator, -7, 0, &child, nullptr));
  return 0;
}

}  // namespace gridlock
