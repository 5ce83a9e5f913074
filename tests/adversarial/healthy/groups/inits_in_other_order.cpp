// Two threads would deadlock if they made two communicators in opposite orders; in one group they
// do not. Both ranks make both, each in its own order.
// Naive view: the inits of a group run one after the other.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  check(cudaSetDevice(rank()));
  struct {
    ncclUniqueId first, second;
  } ids{};
  const std::string file = shared_file("ids");
  if (rank() == 0) {
    check(ncclGetUniqueId(&ids.first));
    check(ncclGetUniqueId(&ids.second));
    std::FILE* out = std::fopen((file + ".new").c_str(), "wb");
    std::fwrite(&ids, sizeof ids, 1, out);
    std::fclose(out);
    std::rename((file + ".new").c_str(), file.c_str());
  }
  std::FILE* in = nullptr;
  while ((in = std::fopen(file.c_str(), "rb")) == nullptr) pause_ms(1);
  if (std::fread(&ids, sizeof ids, 1, in) != 1) return 5;
  ncclComm_t a = nullptr;
  ncclComm_t b = nullptr;
  check(ncclGroupStart());
  if (rank() == 0) check(ncclCommInitRank(&a, 2, ids.first, 0));
  check(ncclCommInitRank(&b, 2, ids.second, rank()));
  if (rank() == 1) check(ncclCommInitRank(&a, 2, ids.first, 1));
  check(ncclGroupEnd());
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(a, stream, data);
  all_reduce(b, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
