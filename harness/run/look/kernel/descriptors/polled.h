// Which descriptors a thread asks about that sleeps in a poll.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/run/look/kernel/descriptors/wanted.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

struct PolledDescriptor {
  int number = -1;
  Wanted wanted = Wanted::any_events;
};

// Those of a poll, ppoll, select or pselect6, but for those that it skips. Empty: they cannot be
// read.
std::optional<std::vector<PolledDescriptor>> polled_by(std::int64_t pid, const SystemCall& call);

}  // namespace gridlock::run
