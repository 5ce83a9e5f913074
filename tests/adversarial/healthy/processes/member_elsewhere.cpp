// `watch -n 1`: the other member is a server that Gridlock did not start. It comes late to the init
// and to the collective.
// Naive view: all ranks of the job are known and wait, so nobody is left to come.
// Expected: completes.
#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 1, .outsider = true};

int program(int argc, char** argv) {
  const int self = argc > 1 && std::strcmp(argv[1], "outsider") == 0 ? 1 : 0;
  const std::string file = shared_file("id");
  ncclUniqueId id;
  if (self == 0) {
    check(ncclGetUniqueId(&id));
    std::FILE* out = std::fopen((file + ".new").c_str(), "wb");
    std::fwrite(&id, sizeof id, 1, out);
    std::fclose(out);
    std::rename((file + ".new").c_str(), file.c_str());
  } else {
    std::FILE* in = nullptr;
    while ((in = std::fopen(file.c_str(), "rb")) == nullptr) pause_ms(1);
    if (std::fread(&id, sizeof id, 1, in) != 1) return 5;
    pause_ms(600);
  }
  check(cudaSetDevice(self));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, self));
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (self == 1) pause_ms(400);
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
