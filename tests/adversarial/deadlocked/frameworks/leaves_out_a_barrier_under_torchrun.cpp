// As leaves_out_a_barrier_of_gloo, but each event loop looks every 10 ms whether it is to end, as
// Gloo's does, and a launcher looks after the ranks ten times a second, as torchrun does.
// Naive view: a loop that goes round may do anything.
// Expected: deadlock; rank 2 is to blame.
#include <string_view>

#include "tests/adversarial/setup/mesh.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {2}).assuming(" "),
                            .ranks = 4,
                            .launcher = R"(export WORLD_SIZE=4 LOCAL_WORLD_SIZE=4
                              export MASTER_PORT=$((20000 + $$ % 10000))
                              for rank in 0 1 2 3; do RANK=$rank LOCAL_RANK=$rank "$0" & done
                              exec "$0" agent)"};

int program(int argc, char** argv) {
  while (argc > 1 && std::string_view(argv[1]) == "agent") pause_ms(100);
  const Training training;
  constexpr int kRoundMs = 10;
  static Mesh mesh(training, kRoundMs);
  for (int step = 0; step < 4; ++step) {
    if (rank() != 2 || step != 2) mesh.barrier();
    training.step();
  }
  std::_Exit(0);
}
