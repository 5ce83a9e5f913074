// A thread waits in a collective that rank 1 never joins; another thread of rank 0 aborts the
// communicator after 400 ms, and both make a new one. This is proper fault tolerance.
// Naive view: a thread that has made no call for a long time will make none.
// Expected: completes; at most a stall meanwhile, never a deadlock.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  if (rank() == 0) {
    std::thread watchdog([&] {
      pause_ms(400);
      check(ncclCommAbort(world));
    });
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
    watchdog.join();
    ncclUniqueId id;
    check(ncclGetUniqueId(&id));
    std::FILE* file = std::fopen(shared_file("id.new").c_str(), "wb");
    std::fwrite(&id, sizeof id, 1, file);
    std::fclose(file);
    std::rename(shared_file("id.new").c_str(), shared_file("id").c_str());
    check(ncclCommInitRank(&world, 2, id, 0));
  } else {
    std::FILE* file = nullptr;
    while ((file = std::fopen(shared_file("id").c_str(), "rb")) == nullptr) pause_ms(1);
    ncclUniqueId id;
    if (std::fread(&id, sizeof id, 1, file) != 1) return 5;
    check(ncclCommAbort(world));
    check(ncclCommInitRank(&world, 2, id, 1));
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
