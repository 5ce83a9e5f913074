// What is reported about programs whose CUDA calls nobody sees.
#include "harness/run/look/kernel/programs/unseen_cuda.h"

#include <gtest/gtest.h>

#include <vector>

namespace gridlock::run {
namespace {

TEST(UnseenCuda, NothingIsSaidWhereAllIsSeen) {
  EXPECT_EQ(unseen_cuda(std::vector<record::Snapshot>(3)), "");
}

TEST(UnseenCuda, TheRanksTheProgramAndTheCureAreNamed) {
  std::vector<record::Snapshot> snapshots(4);
  for (int rank = 0; rank < 4; ++rank) snapshots[static_cast<std::size_t>(rank)].rank = rank;
  for (const std::size_t rank : {1U, 2U}) {
    snapshots[rank].cuda_unseen = true;
    snapshots[rank].modules = {{.path = "/opt/train"}, {.path = "/lib/libnccl.so.2"}};
  }
  EXPECT_EQ(unseen_cuda(snapshots),
            "Of ranks 1, 2 only the calls of NCCL were seen and none of CUDA, so that no wait for "
            "a stream is proven: /opt/train has the CUDA runtime linked in, as nvcc does it; link "
            "it with -cudart shared and watch it again.");
}

TEST(UnseenCuda, AProgramWithoutANameIsTheProgram) {
  std::vector<record::Snapshot> snapshots(1);
  snapshots[0].rank = 0;
  snapshots[0].cuda_unseen = true;
  EXPECT_NE(unseen_cuda(snapshots).find("the program has the CUDA runtime"), std::string::npos);
}

}  // namespace
}  // namespace gridlock::run
