// In which order a group's communicators run on a stream that they share. NCCL inserts each in the
// order of its first call up to 2.25, and by the hash of the communicator since 2.26
// (ncclGroupCommJoin in src/include/group.h).
#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

struct Nccl {
  const char* backend;
  int version;
  bool dead;
};

std::ostream& operator<<(std::ostream& out, const Nccl& nccl) {
  return out << nccl.backend << ' ' << nccl.version;
}

class Groups : public testing::TestWithParam<Nccl> {
 protected:
  void expect_of(World world) {
    for (Rank& rank : world.ranks()) {
      rank.box.backend = GetParam().backend;
      rank.box.nccl_version = GetParam().version;
    }
    EXPECT_EQ(world.verdict().outcome, GetParam().dead ? Outcome::deadlock : Outcome::running);
  }
};

TEST_P(Groups, NamedInDifferentOrdersMayRunInOne) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.join("second", rank.box.rank, 2);
    const bool turned = rank.box.rank == 1;
    rank.group_begin();
    rank.in(turned ? "second" : "world").all_reduce("one");
    rank.in(turned ? "world" : "second").all_reduce("other");
    rank.group_end().device_synchronize();
  }
  expect_of(std::move(world));
}

// Rank 0 groups "left" and "right". Rank 1 comes to "left" after a call with rank 2, which makes it
// after "right".
TEST_P(Groups, MayRunTheLastNamedFirst) {
  World world(3);
  world[0].join("left", 0, 2).join("right", 0, 2);
  world[0].group_begin().in("left").all_reduce("left").in("right").all_reduce("right").group_end();
  world[1].join("left", 1, 2).join("told", 0, 2);
  world[1].in("told").all_reduce("told").in("left").all_reduce("left");
  world[2].join("right", 1, 2).join("told", 1, 2);
  world[2].in("right").all_reduce("right").in("told").all_reduce("told");
  for (Rank& rank : world.ranks()) rank.device_synchronize();
  expect_of(std::move(world));
}

constexpr Nccl kNccls[] = {{"sim", 22809, true},      {"simnccl", 22501, true},
                           {"cuda", 22501, true},     {"simnccl", 22602, false},
                           {"simnccl", 22809, false}, {"cuda", 22809, false},
                           {"cuda", 0, false}};
INSTANTIATE_TEST_SUITE_P(Nccls, Groups, testing::ValuesIn(kNccls));

}  // namespace
}  // namespace gridlock::detect::states
