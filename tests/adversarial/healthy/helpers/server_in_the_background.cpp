// Rank 1 has started a server in the background, whose parent has ended. After a while the server
// joins a communicator with rank 0, which waits for it there. Rank 1 waits for rank 0.
// Naive view: the server is below no rank, so it is no member of the job.
// Expected: completes.
#include <cstring>
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static void reduce_with(int self, const ncclUniqueId& id) {
  ncclComm_t pair = nullptr;
  check(ncclCommInitRank(&pair, 2, id, self));
  const cudaStream_t stream = make_stream();
  all_reduce(pair, stream, device_floats());
  check(cudaStreamSynchronize(stream));
}

static void serve(const std::string& name) {
  ncclUniqueId id;
  while (!std::ifstream(name, std::ios::binary).read(id.internal, sizeof id.internal)) pause_ms(1);
  pause_ms(2000);
  check(cudaSetDevice(3));
  reduce_with(1, id);
}

int program(int, char**) {
  const std::string name = shared_file("id");
  if (rank() == 1) {
    wait_for(start_helper([&] { start_helper([&] { serve(name); }); }));
  }
  const Training training;
  training.step();
  if (rank() == 0) {
    ncclUniqueId id;
    check(ncclGetUniqueId(&id));
    std::ofstream(name + ".part", std::ios::binary).write(id.internal, sizeof id.internal);
    if (std::rename((name + ".part").c_str(), name.c_str()) != 0) return 5;
    reduce_with(0, id);
  }
  training.step();
  return 0;
}
