// A launcher restarts all workers after a failure (torchrun --max-restarts). In the first try, rank
// 1 fails while rank 0 waits for it. The second try succeeds.
// Naive view: a rank is gone while another waits for it.
// Expected: completes.
// Must not happen: the job is ended a millisecond after the first failure.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(),
                            .launcher =
                                "export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1\n"
                                "for try in 0 1; do\n"
                                "  export TRY=$try MASTER_PORT=$((20000 + ($$ + $try) % 10000))\n"
                                "  RANK=0 LOCAL_RANK=0 \"$0\" & a=$!\n"
                                "  RANK=1 LOCAL_RANK=1 \"$0\" & b=$!\n"
                                "  wait $b && wait $a && exit 0\n"
                                "  sleep 0.5; kill -9 $a 2>/dev/null; wait $a\n"
                                "done; exit 1\n",
                            .leaves = "done"};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1 && number_from("TRY") == 0) _exit(1);
  if (rank() == 1) pause_ms(300);
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) std::fclose(std::fopen(shared_file("done").c_str(), "w"));
  return 0;
}
