// A rank confuses two arguments of ncclCommInitRankScalable: it gives far too many unique ids, and
// a rank that is not there. NCCL refuses that, and the program makes its communicator as usual.
// Naive view: arguments are sound.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclUniqueId id = exchange_id(rank(), ranks());
  ncclComm_t world = nullptr;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  constexpr int kMany = 1 << 22;
  if (ncclCommInitRankScalable(&world, 2, 77, kMany, &id, &config) == ncclSuccess) return 5;
  check(ncclCommInitRankScalable(&world, ranks(), rank(), 1, &id, &config));
  float* data = device_floats();
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
