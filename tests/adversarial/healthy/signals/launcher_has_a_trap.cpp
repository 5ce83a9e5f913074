// A batch script has a trap, as for Slurm's `--signal=B:USR1`, that tells rank 0 to go on. The
// signal comes from outside the job, half a second later.
// Naive view: the script waits for its ranks, and nobody signals a launcher.
// Expected: completes.
#include <csignal>
#include <cstring>

#include "tests/adversarial/setup/crossed.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   mkfifo "$ADVERSARIAL_FOLDER/orders"
                   exec 7<> "$ADVERSARIAL_FOLDER/orders"
                   rm "$ADVERSARIAL_FOLDER/orders"
                   trap 'echo go >&7' USR1
                   RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   while ! wait $first || ! wait $second; do :; done)",
    .outsider = true};

int program(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "outsider") == 0) {
    std::FILE* in = nullptr;
    while ((in = std::fopen(shared_file("pid").c_str(), "r")) == nullptr) pause_ms(1);
    int pid = 0;
    if (std::fscanf(in, "%d", &pid) == 1) {
      pause_ms(500);
      kill(pid, SIGUSR1);
    }
    return 0;
  }
  return crossed_until([] {
    const std::string unfinished = shared_file("pid.new");
    std::FILE* out = std::fopen(unfinished.c_str(), "w");
    std::fprintf(out, "%d", getppid());
    std::fclose(out);
    std::rename(unfinished.c_str(), shared_file("pid").c_str());
    char order = 0;
    if (read(7, &order, 1) != 1) std::_Exit(5);
  });
}
