// The even and the odd ranks make a communicator each. Rank 4 reads the id of the odd ones, and
// joins them in rank 5's place. So rank 5 is refused, and goes on; ranks 0 and 2 wait for rank 4.
// Naive view: only ranks 0 and 2 are missing in the next all-reduce, so they are to blame.
// Expected: deadlock. One of the other four should have joined ranks 0 and 2; which one, no record
// says.
#include <fstream>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = deadlock("init", {4}).or_as("deadlock", "init", {1, 3, 4, 5}),
                            .ranks = 6};

int program(int, char**) {
  const Training training;
  const auto id_of = [](int parity) { return shared_file("half" + std::to_string(parity)); };
  const int own = rank() % 2;
  ncclUniqueId id;
  if (rank() < 2) {
    check(ncclGetUniqueId(&id));
    std::ofstream(id_of(own)).write(id.internal, sizeof id);
  }
  training.step();
  std::ifstream(id_of(rank() == 4 ? 1 : own)).read(id.internal, sizeof id);
  if (rank() == 5) pause_ms(300);
  ncclComm_t same = nullptr;
  static_cast<void>(ncclCommInitRank(&same, 3, id, rank() / 2));
  training.step();
  return 0;
}
