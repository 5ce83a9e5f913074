// The real NCCL that the fixture real_nccl/build has built, or why there is none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/end_to_end/command.h"

namespace gridlock::real_nccl {

// Empty if NCCL was built.
std::string why_not();

using Environment = std::map<std::string, std::string>;

// Runs `gridlock watch --nccl` on one of the programs in this folder.
end_to_end::Done watch(const end_to_end::Folder& folder, int ranks,
                       const std::vector<std::string>& program,
                       const Environment& environment = {});

}  // namespace gridlock::real_nccl

#define GRIDLOCK_NEEDS_REAL_NCCL() \
  if (const std::string why = gridlock::real_nccl::why_not(); !why.empty()) GTEST_SKIP() << why
