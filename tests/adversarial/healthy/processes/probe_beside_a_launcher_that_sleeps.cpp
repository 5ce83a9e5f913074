// A start script puts rank 1 into the background and becomes `flock`, which runs rank 0 and waits for
// it alone. Rank 1 first runs a short program that looks at its device and ends, as scripts do that
// choose their settings, and then loads its data for 2 s before its own first call. Rank 0 waits for it
// in ncclCommInitRank.
// Naive view: the first process to use CUDA is the rank, and it has ended.
// Expected: completes.
#include <string_view>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher =
        "export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))\n"
        "RANK=1 LOCAL_RANK=1 \"$0\" &\n"
        "RANK=0 LOCAL_RANK=0 exec flock \"$ADVERSARIAL_FOLDER/lock\" \"$0\""};

int program(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "probe") {
    check(cudaSetDevice(rank()));
    device_floats();
    return 0;
  }
  if (rank() == 1) {
    wait_for(start_helper([&] { execl(argv[0], argv[0], "probe", nullptr); }));
    pause_ms(2000);
  }
  const std::string address = std::string("127.0.0.1:") + std::getenv("MASTER_PORT");
  setenv("NCCL_COMM_ID", address.c_str(), 1);
  check(cudaSetDevice(rank()));
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 2, id, rank()));
  const cudaStream_t stream = make_stream();
  all_reduce(world, stream, device_floats());
  check(cudaStreamSynchronize(stream));
  return 0;
}
