// mpiexec starts two ranks, which use NCCL alone. Rank 1 first runs a short program that looks at
// its device and ends, as scripts do that choose their settings, and then loads its data for 2 s
// before its own first call. Rank 0 waits for it in ncclCommInitRank.
// Naive view: the first process to use CUDA is the rank, and it has ended.
// Expected: completes.
#include <fstream>

#include "tests/adversarial/setup/probe.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  const int own = number_from("PMI_RANK");
  if (is_probe(argc, argv)) return probe(own);
  const std::string file = shared_file("port");
  if (own == 0) {
    std::ofstream(file + ".new") << "127.0.0.1:" << 20000 + getpid() % 10000;
    std::rename((file + ".new").c_str(), file.c_str());
  } else {
    probe_and_load(argv, 2000);
    while (access(file.c_str(), F_OK) != 0) pause_ms(1);
  }
  std::string address;
  std::ifstream(file) >> address;
  return train(address, own);
}
