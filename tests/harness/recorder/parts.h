// Helpers for the parts. A part is a small program as a user would write it, which knows nothing
// about the recorder. It returns its exit code.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

namespace gridlock {

inline void check(ncclResult_t result) {
  if (result == ncclSuccess) return;
  std::fprintf(stderr, "NCCL: %s\n", ncclGetErrorString(result));
  std::_Exit(10);
}
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  std::_Exit(11);
}

inline cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

// A communicator of one rank: everything on it completes.
inline ncclComm_t make_communicator(const char* name = nullptr) {
  ncclUniqueId id;
  ncclComm_t communicator = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = name;
  check(ncclGetUniqueId(&id));
  check(ncclCommInitRankConfig(&communicator, 1, id, 0, &config));
  return communicator;
}

inline float* make_buffer() {
  void* buffer = nullptr;
  check(cudaMalloc(&buffer, 4096));
  return static_cast<float*>(buffer);
}

inline void all_reduce(float* buffer, ncclComm_t communicator, cudaStream_t stream) {
  check(ncclAllReduce(buffer, buffer + 16, 16, ncclFloat32, ncclSum, communicator, stream));
}

// Calls that NCCL refuses, between calls that it takes.
int refused();
int simulated_group();
int no_communicator();
int missing_arguments();
int empty_collective();
int refused_split();
int init();
int refused_init();
int refused_finalize();
int refused_destroy();
int refused_group_of_closings();
int group_of_closings();
int failed_group_with_a_split();
int failed_launch();

// Calls that wait for the device, and calls that do not.
int waits_that_are_none();
int free_on_another_device();
int memory_of_another_thread();
int free_of_another_thread();

// Loops that ask instead of waiting.
int asks_about_a_stream();
int asks_about_an_event();
int leaves_no_addresses();
int asks_about_a_communicator();
int asks_until_it_has_ended();

// Signals' handlers that jump.
int jumps_out_of_a_wait();
int jumps_inside_a_handler();

// Processes, and threads with names.
int forks();
int names_its_threads();
int stops_beside_a_new_thread();
int forks_before();
int becomes_another();
int starts_another();
int starts_another_after_cuda();
int starts_another_before_its_own();
int says_and_stays();
int starts_another_that_stays();
int starts_another_after_its_own();

// Groups and threads.
int group_beside_a_thread();
int group_over_an_allocation();
int copies_in_a_group();
int own_messages_in_place();
int group_of_many_streams();
int groups_larger_than_the_ring();
int group_left_open();
int streams_of_many_threads();

// Graphs of a communicator that are left.
int graphs_hold();
int graph_is_captured_into();

}  // namespace gridlock
