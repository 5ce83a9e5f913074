// Rank 0 has finished. Ranks 1 and 2 wait in ncclCommInitRank for rank 1's second process, which
// first talks to its loader, in many short messages, for a second and a half.
// Naive view: whenever one of the two is looked at, it sleeps until the other one writes.
// Expected: completes.
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

namespace {

void join_others(int as) {
  ncclUniqueId id;
  const std::string file = shared_file("id");
  while (access(file.c_str(), F_OK) != 0) pause_ms(1);
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&id), sizeof id);
  ncclComm_t all = nullptr;
  check(ncclCommInitRank(&all, 3, id, as));
  const cudaStream_t stream = make_stream();
  all_reduce(all, stream, device_floats());
  check(cudaStreamSynchronize(stream));
}

void repeat(const Pipe& from, const Pipe& to) {
  char byte = 0;
  while (read(from.reading(), &byte, 1) == 1 && write(to.writing(), &byte, 1) == 1 && byte == 0) {
  }
}

void talk_and_join(const Pipe& there, const Pipe& back) {
  while (access(shared_file("id").c_str(), F_OK) != 0) pause_ms(1);
  pause_ms(200);
  for (const Deadline end = in_ms(1500);;) {
    char byte = end.is_over() ? 1 : 0;
    if (write(there.writing(), &byte, 1) != 1 || read(back.reading(), &byte, 1) != 1) std::_Exit(5);
    if (byte != 0) break;
  }
  check(cudaSetDevice(3));
  join_others(2);
}

}  // namespace

int program(int, char**) {
  const Pipe there;
  const Pipe back;
  pid_t loader = 0;
  pid_t second = 0;
  if (rank() == 1) {
    loader = start_helper([&] { repeat(there, back); });
    second = start_helper([&] { talk_and_join(there, back); });
  }
  const Training training;
  training.step();
  check(ncclCommDestroy(training.world));
  if (rank() == 0) return 0;
  if (rank() == 1) {
    ncclUniqueId id;
    check(ncclGetUniqueId(&id));
    const std::string file = shared_file("id");
    std::ofstream(file + ".new", std::ios::binary)
        .write(reinterpret_cast<const char*>(&id), sizeof id);
    std::rename((file + ".new").c_str(), file.c_str());
  }
  join_others(rank() - 1);
  if (rank() == 1) {
    wait_for(second);
    wait_for(loader);
  }
  return 0;
}
