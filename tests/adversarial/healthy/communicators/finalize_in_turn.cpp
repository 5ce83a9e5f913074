// The ranks finalize a nonblocking communicator and poll. Rank 1 first completes a collective on
// another communicator, which rank 0 joins only after it has begun to finalize.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ncclComm_t loose = nullptr;
  check(cudaSetDevice(rank()));
  ncclUniqueId id{};
  const std::string file = shared_file("id");
  if (rank() == 0) {
    check(ncclGetUniqueId(&id));
    std::FILE* out = std::fopen((file + ".new").c_str(), "wb");
    std::fwrite(&id, sizeof id, 1, out);
    std::fclose(out);
    std::rename((file + ".new").c_str(), file.c_str());
  }
  std::FILE* in = nullptr;
  while ((in = std::fopen(file.c_str(), "rb")) == nullptr) pause_ms(1);
  if (std::fread(&id, sizeof id, 1, in) != 1) return 5;
  ncclResult_t state = ncclCommInitRankConfig(&loose, 2, id, rank(), &config);
  while (state == ncclInProgress) check(ncclCommGetAsyncError(loose, &state));
  if (rank() == 0) {
    ncclCommFinalize(loose);
    pause_ms(200);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  } else {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    ncclCommFinalize(loose);
  }
  state = ncclInProgress;
  while (state == ncclInProgress) check(ncclCommGetAsyncError(loose, &state));
  check(ncclCommDestroy(loose));
  return 0;
}
