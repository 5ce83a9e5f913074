// Writes the sentence.
#include "harness/run/look/kernel/programs/unseen_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/text.h"

namespace gridlock::run {

std::string unseen_cuda(std::span<const record::Snapshot> snapshots) {
  std::vector<int> ranks;
  std::string program;
  for (const record::Snapshot& snapshot : snapshots) {
    if (!snapshot.cuda_unseen) continue;
    ranks.push_back(snapshot.rank);
    // The loader lists the program itself first.
    if (program.empty() && !snapshot.modules.empty()) program = snapshot.modules.front().path;
  }
  if (ranks.empty()) return {};
  std::sort(ranks.begin(), ranks.end());
  return fmt::format(
      "Of {} only the calls of NCCL were seen and none of CUDA, so that no wait for a stream is "
      "proven: {} has the CUDA runtime linked in, as nvcc does it; link it with -cudart shared and "
      "watch it again.",
      ranks_text(ranks), program.empty() ? "the program" : program);
}

}  // namespace gridlock::run
