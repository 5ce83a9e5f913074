// A rank whose first process to use CUDA is a short program beside it, as scripts run one that
// choose their settings.
#pragma once

#include <string_view>

#include "tests/adversarial/setup/helper.h"

inline bool is_probe(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "probe";
}
inline int probe(int device) {
  check(cudaSetDevice(device));
  device_floats();
  return 0;
}

// Runs the probe, then loads data.
inline void probe_and_load(char** argv, unsigned milliseconds) {
  wait_for(start_helper([&] { execl(argv[0], argv[0], "probe", nullptr); }));
  pause_ms(milliseconds);
}

// The two ranks meet at `address`, by NCCL alone, and train.
inline int train(const std::string& address, int own) {
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(own));
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, own));
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, device_floats());
  check(cudaStreamSynchronize(stream));
  return 0;
}
inline int train_below_a_launcher() {
  return train(std::string("127.0.0.1:") + std::getenv("MASTER_PORT"), rank());
}
